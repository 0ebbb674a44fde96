import type { JSX } from 'preact';
import { hostOf } from '../../values/addresses';
import { useGet } from '../../data/data';
import { formatUsdc } from '../../values/money';
import type { Payment } from '../../data/types';
import { AccountLink, Code, Copy, Empty, Facts, Heading, Link, Loaded, Notice, Section, Status, TimeLine, Usdc, WholeUrl } from '../../ui';
import { howPaid } from './payments';
import { ruleInWords } from '../policies/rules';

/** A payment: what was called, what it cost, how it was paid, and what the provider answered. */
export function PaymentView({ id }: { id: string }): JSX.Element {
  const payment = useGet<Payment>(`/v1/payments/${id}`);
  return (
    <>
      <Heading
        title={payment.data ? titleOf(payment.data) : payment.problem && 'Payment'}
        state={payment.data && <Status of={payment.data.status} reason={payment.data.rejection_reason} />}
        back={{ to: '/payments', title: 'Payments' }}
      />
      <Loaded {...payment}>
        {(data) => (
          <>
            <Why payment={data} />
            <TimeLine
              steps={[
                { what: 'Created', at: data.created_at },
                data.settled_at !== undefined && data.settled_at !== null && { what: 'Settled', at: data.settled_at, tone: 'good' },
              ]}
            />
            <PaymentFacts payment={data} />
            <Receipt receipt={data.receipt} />
            <Answer response={data.response} status={data.status} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** "0.01 USDC to api.example.com". */
function titleOf({ amount_usdc, provider }: Payment): string {
  const amount = amount_usdc === null ? 'Payment' : `${formatUsdc(amount_usdc)} USDC`;
  return `${amount} to ${hostOf(provider)}`;
}

/** Why a payment was not made, or is not finished, with the numbers. */
function Why({ payment: { status, rejection_reason: reason, message } }: { payment: Payment }): JSX.Element | null {
  if (reason === undefined && message === undefined) return null;
  return (
    <Notice tone={status === 'rejected' || status === 'failed' ? 'bad' : ''}>
      {reason !== undefined && (
        <p>
          <strong>{ruleInWords(reason)}.</strong>
        </p>
      )}
      {message !== undefined && <p>{message}</p>}
    </Notice>
  );
}

function PaymentFacts({ payment }: { payment: Payment }): JSX.Element {
  const { request, session_id, purse_id, tx_signature } = payment;
  return (
    <Facts
      facts={[
        ['Price', payment.amount_usdc === null ? 'known when its channel is over' : <Usdc amount={payment.amount_usdc} />],
        ['Account', <AccountLink id={payment.account_id} />],
        [
          'URL',
          request && (
            <>
              {request.method !== null && <strong>{request.method} </strong>}
              <WholeUrl of={request.url} /> <Copy text={request.url} what="the URL" />
            </>
          ),
          'wide',
        ],
        ['Host', hostOf(payment.provider)],
        ['Paid by', howPaid(payment) || null],
        [
          'Out of',
          session_id !== null ? (
            <Link to={`/sessions/${session_id}`}>its session</Link>
          ) : purse_id !== null ? (
            <Link to={`/purses/${purse_id}`}>its purse</Link>
          ) : null,
        ],
        ['Category', payment.category],
        ['Reference', payment.reference],
        ['Payment id', <Code text={payment.payment_id} />],
        ['Transfer’s signature', tx_signature !== undefined && <Code text={tx_signature} what="the signature" />],
      ]}
    />
  );
}

function Receipt({ receipt }: { receipt: Payment['receipt'] }): JSX.Element {
  const members = receipt === null ? null : membersOf(receipt);
  return (
    <Section title="Receipt">
      {members === null ? (
        <Empty>The provider sent no receipt.</Empty>
      ) : typeof members === 'string' ? (
        <Text text={members} />
      ) : (
        <Facts facts={Object.entries(members).map(([name, value]) => [name, <Code text={textOf(value)} whole />])} />
      )}
    </Section>
  );
}

function Answer({ response, status }: Pick<Payment, 'response' | 'status'>): JSX.Element {
  if (response === null)
    return (
      <Section title="Answer">
        <Empty>
          {status === 'rejected'
            ? 'Nothing was paid, so there is no answer.'
            : 'None is kept: answers are deleted 24 hours after the payment.'}
        </Empty>
      </Section>
    );
  return (
    <Section title="Answer">
      <Facts facts={[['HTTP status', response.status]]} />
      <details class="headers">
        <summary>Headers</summary>
        <Facts facts={Object.entries(response.headers).map(([name, value]) => [name, <Code text={value} whole />])} />
      </details>
      {response.body === null ? (
        <p class="muted">{response.body_base64 === '' ? 'It has no body.' : 'Its body is no text.'}</p>
      ) : (
        <Text text={response.body} />
      )}
      {response.truncated && <p class="muted">The answer is longer than what is kept.</p>}
    </Section>
  );
}

/** The members of a receipt. An x402 receipt is JSON in base64; what is not is shown as it came. */
function membersOf(receipt: NonNullable<Payment['receipt']>): Record<string, unknown> | string {
  if (typeof receipt !== 'string') return receipt;
  try {
    const members: unknown = JSON.parse(atob(receipt));
    return typeof members === 'object' && members !== null ? (members as Record<string, unknown>) : receipt;
  } catch {
    return receipt;
  }
}

/** A text of any length, in a box that scrolls. */
function Text({ text }: { text: string }): JSX.Element {
  return (
    <pre class="text" tabIndex={0}>
      {text}
    </pre>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
