import type { JSX } from 'preact';
import { everyRow } from '../../data/api';
import { useData } from '../../data/data';
import { changed } from '../../data/live';
import { age, isNotSigned, signed, signedCall } from '../../signing';
import type { Page, SignatureRequest } from '../../data/types';
import { AccountLink, Action, Empty, Facts, Heading, Loaded, Notice, Time, usePage } from '../../ui';

const PATH = '/v1/signature_requests';
/** The most requests of each state that are listed. */
const MAX_LISTED = 100;
/** A transaction expires within a minute. */
const EVERY_MS = 10_000;

/** The requests to sign with the operator's chain key, newest first. */
export function SignaturesView(): JSX.Element {
  const requests = useData('signature requests', read, { everyMs: EVERY_MS });
  return (
    <>
      <Heading title="Signatures" />
      <Loaded {...requests}>
        {({ data, has_more }) =>
          data.length === 0 ? (
            <Empty>Nothing waits for your signature: what needs your chain key appears here until it is signed.</Empty>
          ) : (
            <>
              {has_more && <Notice>The newest {data.length} requests are listed.</Notice>}
              <ul class="cards">
                {data.map((request) => (
                  <li key={request.signature_request_id}>
                    <Card request={request} />
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** The pending and expired requests. */
async function read(): Promise<Pick<Page<SignatureRequest>, 'data' | 'has_more'>> {
  const pages = await Promise.all(['pending', 'expired'].map((status) => everyRow<SignatureRequest>(PATH, { status }, MAX_LISTED)));
  const byId = new Map(pages.flatMap(({ data }) => data).map((request) => [request.signature_request_id, request]));
  const data = [...byId.values()].sort((a, b) => (a.signature_request_id < b.signature_request_id ? 1 : -1));
  return { data, has_more: pages.some(({ has_more }) => has_more) };
}

/** Waits for the dialog. A request that stays unsigned is still listed, which says enough. */
async function untilClosed(signing: Promise<unknown>): Promise<void> {
  try {
    await signing;
  } catch (problem) {
    if (!isNotSigned(problem)) throw problem;
  } finally {
    changed();
  }
}

function Card({ request }: { request: SignatureRequest }): JSX.Element {
  const { keyNameOf } = usePage();
  const { signature_request_id: id, status, summary, account_id, created_at, created_by, expires_at } = request;
  const isExpired = status === 'expired';
  const sign = () => untilClosed(signed({ ...request, status: 'signature_required', message: '' }));
  const renew = () => untilClosed(signedCall('POST', `${PATH}/${id}/renew`, {}));
  return (
    <article aria-label={summary[0]}>
      <header>
        <ul class="plain">
          {summary.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        <span class={`status ${isExpired ? '' : 'wait'}`}>{isExpired ? 'Expired' : 'Pending'}</span>
      </header>
      <Facts
        facts={[
          ['Account', account_id === null ? 'all' : <AccountLink id={account_id} />],
          ['Created', <span title={created_at}>{age(created_at, Date.now())}</span>],
          ['Created by', keyNameOf(created_by)],
          [isExpired ? 'Expired' : 'Expires', <Time at={expires_at} />],
        ]}
      />
      <div class="actions">
        {isExpired ? (
          <Action run={renew} class="primary" label={`Renew: ${summary[0]}`}>
            Renew
          </Action>
        ) : (
          <Action run={sign} class="primary" label={`Sign: ${summary[0]}`}>
            Sign
          </Action>
        )}
      </div>
    </article>
  );
}
