import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../api';
import { changed } from '../live';
import type { Approval } from '../types';
import { Dialog, Field, Form, AccountLink, Usdc, textOf } from '../ui';

/** An order that waits for approval. */
export type Waiting = Pick<Approval, 'kind' | 'id' | 'account_id' | 'to' | 'amount_usdc' | 'provider'>;

const WHAT: Record<Approval['kind'], string> = { transfer: 'transfer', session: 'session', top_up: 'top-up', purse: 'purse' };
/** The resource that is approved or denied. */
const RESOURCE: Record<Approval['kind'], string> = { transfer: 'transfers', session: 'sessions', top_up: 'sessions', purse: 'purses' };

/** The buttons to approve or deny an order, with their dialogs. */
export function Decision({ approval }: { approval: Waiting }): JSX.Element {
  const [asking, setAsking] = useState<'approve' | 'deny'>();
  const [reason, setReason] = useState('');
  const close = (): void => setAsking(undefined);
  const path = `/v1/${RESOURCE[approval.kind]}/${approval.id}`;
  const decide = async (verb: 'approve' | 'deny'): Promise<void> => {
    try {
      await call('POST', `${path}/${verb}`, verb === 'deny' && reason.trim() !== '' ? { reason: reason.trim() } : {});
      close();
    } finally {
      // Also after an error: the order may not wait any more.
      changed();
    }
  };
  const what = WHAT[approval.kind];
  return (
    <>
      <button type="button" class="primary" onClick={() => setAsking('approve')} aria-label={`Approve ${approval.amount_usdc} USDC`}>
        Approve
      </button>
      <button type="button" onClick={() => setAsking('deny')} aria-label={`Deny ${approval.amount_usdc} USDC`}>
        Deny
      </button>
      {asking === 'approve' && (
        <Dialog title={`Approve this ${what}?`} onClose={close}>
          <Form send={() => decide('approve')} submit="Approve" onCancel={close}>
            <p>
              <Usdc amount={approval.amount_usdc} /> {approval.kind === 'transfer' ? 'go' : 'are set aside'} from{' '}
              <AccountLink id={approval.account_id} /> {approval.kind === 'transfer' ? 'to' : 'for'}{' '}
              {approval.provider ?? (approval.to === null ? 'payments to any provider' : <AccountLink id={approval.to} />)}. All rules are
              checked once more.
            </p>
          </Form>
        </Dialog>
      )}
      {asking === 'deny' && (
        <Dialog title={`Deny this ${what}?`} onClose={close}>
          <Form send={() => decide('deny')} submit="Deny" danger onCancel={close}>
            <p>
              <Usdc amount={approval.amount_usdc} /> from <AccountLink id={approval.account_id} /> will be denied for good.
            </p>
            <Field label="Reason" hint="Shown to the agent; may be empty.">
              {(props) => <input {...props} value={reason} onInput={(event) => setReason(textOf(event))} maxLength={200} autoFocus />}
            </Field>
          </Form>
        </Dialog>
      )}
    </>
  );
}
