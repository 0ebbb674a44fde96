import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Problem, call } from '../../data/api';
import { changed } from '../../data/live';
import { formatMicro, toMicro } from '../../values/money';
import { isNotSigned, signed, signedForEach } from '../../signing';
import type { Approval } from '../../data/types';
import { Dialog, Field, Form, AccountLink, Usdc, textOf } from '../../ui';

/** An order that waits for approval. */
export type Waiting = Pick<Approval, 'kind' | 'id' | 'account_id' | 'to' | 'amount_usdc' | 'provider'>;

const WHAT: Record<Approval['kind'], string> = { transfer: 'transfer', session: 'session', top_up: 'top-up', purse: 'purse' };
/** The resource that is approved or denied. */
const RESOURCE: Record<Approval['kind'], string> = { transfer: 'transfers', session: 'sessions', top_up: 'sessions', purse: 'purses' };

type Verb = 'approve' | 'deny';

function send({ kind, id }: Waiting, verb: Verb, reason: string): Promise<unknown> {
  return call('POST', `/v1/${RESOURCE[kind]}/${id}/${verb}`, verb === 'deny' && reason.trim() !== '' ? { reason: reason.trim() } : {});
}

/** How many of the selected orders a dialog names. */
const MAX_NAMED = 8;

interface DecideManyProps {
  chosen: Waiting[];
  /** How many orders wait. */
  count: number;
  onAll: (isChosen: boolean) => void;
  onDone: () => void;
}

/** The buttons to approve or deny the selected orders together. Each is decided by itself: one that fails does not stop the others. */
export function DecideMany({ chosen, count, onAll, onDone }: DecideManyProps): JSX.Element {
  const [asking, setAsking] = useState<Verb>();
  const [reason, setReason] = useState('');
  const close = (): void => setAsking(undefined);
  const sum = chosen.reduce((total, { amount_usdc }) => total + toMicro(amount_usdc), 0n);
  const decide = async (verb: Verb): Promise<void> => {
    const failed = await signedForEach(chosen, (approval) => send(approval, verb, reason));
    changed();
    const [first] = failed;
    if (first) {
      const which = `${failed.length} of ${chosen.length}`;
      const why = failed.every(({ problem }) => isNotSigned(problem))
        ? `${which} are not signed yet. They are listed under Signatures.`
        : `${which} failed: ${messageOf(first.problem)}`;
      throw new Problem(why, 0, 'page');
    }
    close();
    onDone();
  };
  const verb = asking === 'approve' ? 'Approve' : 'Deny';
  return (
    <div class="selection" role="group" aria-label="Selected orders">
      <span role="status">{`${chosen.length} selected`}</span>
      <button type="button" class="quiet" onClick={() => onAll(chosen.length < count)}>
        {chosen.length < count ? `Select all ${count}` : 'Select none'}
      </button>
      <button type="button" data-key="a" disabled={chosen.length === 0} onClick={() => setAsking('approve')}>
        Approve selected
      </button>
      <button type="button" data-key="d" disabled={chosen.length === 0} onClick={() => setAsking('deny')}>
        Deny selected
      </button>
      {asking && (
        <Dialog title={`${verb} ${chosen.length === 1 ? 'one order' : `${chosen.length} orders`}?`} onClose={close}>
          <Form send={() => decide(asking)} submit={verb} danger={asking === 'deny'} onCancel={close}>
            <ul>
              {chosen.slice(0, MAX_NAMED).map((approval) => (
                <li key={`${approval.kind} ${approval.id}`}>
                  <Usdc amount={approval.amount_usdc} /> from <AccountLink id={approval.account_id} />{' '}
                  {approval.kind === 'transfer' ? 'to' : 'for'} <To approval={approval} />
                </li>
              ))}
              {chosen.length > MAX_NAMED && <li>and {chosen.length - MAX_NAMED} more</li>}
            </ul>
            <p>
              They are <Usdc amount={formatMicro(sum)} /> together. {asking === 'approve' && 'All rules are checked once more, for each.'}
            </p>
            {asking === 'deny' && <ReasonField value={reason} onChange={setReason} />}
          </Form>
        </Dialog>
      )}
    </div>
  );
}

/** The destination of the money of an order. */
function To({ approval: { to, provider } }: { approval: Waiting }): JSX.Element {
  return <>{provider ?? (to === null ? 'payments to any provider' : <AccountLink id={to} />)}</>;
}

function messageOf(problem: unknown): string {
  return problem instanceof Error ? problem.message : String(problem);
}

function ReasonField({ value, onChange }: { value: string; onChange: (reason: string) => void }): JSX.Element {
  return (
    <Field label="Reason" hint="Optional. Shown to the agent.">
      {/* biome-ignore lint/a11y/noAutofocus: the field stands in a dialog, which moves the focus to it. */}
      {(props) => <input {...props} autoFocus value={value} onInput={(event) => onChange(textOf(event))} maxLength={200} />}
    </Field>
  );
}

/** The buttons to approve or deny an order, with their dialogs. */
export function Decision({ approval }: { approval: Waiting }): JSX.Element {
  const [asking, setAsking] = useState<Verb>();
  const [reason, setReason] = useState('');
  const close = (): void => setAsking(undefined);
  const decide = async (verb: Verb): Promise<void> => {
    try {
      await signed(await send(approval, verb, reason));
      close();
    } finally {
      // Also after an error: the order may not wait any more.
      changed();
    }
  };
  const what = WHAT[approval.kind];
  return (
    <>
      <button
        type="button"
        class="primary"
        data-key="a"
        onClick={() => setAsking('approve')}
        aria-label={`Approve ${approval.amount_usdc} USDC`}
      >
        Approve
      </button>
      <button type="button" data-key="d" onClick={() => setAsking('deny')} aria-label={`Deny ${approval.amount_usdc} USDC`}>
        Deny
      </button>
      {asking === 'approve' && (
        <Dialog title={`Approve this ${what}?`} onClose={close}>
          <Form send={() => decide('approve')} submit="Approve" onCancel={close}>
            <p>
              <Usdc amount={approval.amount_usdc} /> {approval.kind === 'transfer' ? 'go' : 'are set aside'} from{' '}
              <AccountLink id={approval.account_id} /> {approval.kind === 'transfer' ? 'to' : 'for'} <To approval={approval} />. All rules
              are checked once more.
            </p>
          </Form>
        </Dialog>
      )}
      {asking === 'deny' && (
        <Dialog title={`Deny this ${what}?`} onClose={close}>
          <Form send={() => decide('deny')} submit="Deny" danger onCancel={close}>
            <p>
              <Usdc amount={approval.amount_usdc} /> from <AccountLink id={approval.account_id} />{' '}
              {approval.kind === 'transfer' ? 'to' : 'for'} <To approval={approval} /> will be denied for good.
            </p>
            <ReasonField value={reason} onChange={setReason} />
          </Form>
        </Dialog>
      )}
    </>
  );
}
