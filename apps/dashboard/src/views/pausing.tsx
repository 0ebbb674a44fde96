import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Problem, call, everyRow } from '../api';
import { changed } from '../live';
import { isNotSigned, signedForEach } from '../signing';
import type { Account } from '../types';
import { Dialog, Form, Notice } from '../ui';

const MAX_ACCOUNTS = 100_000;
/** How many of the accounts that failed are named. */
const MAX_NAMED = 10;

/** What a change of many accounts needs of each. */
export interface NamedAccount {
  account_id: string;
  name: string;
}

/** Changes the policies of many accounts alike. @throws Problem that names those for which it failed, or which are not signed yet */
export async function changePolicies<A extends NamedAccount>(accounts: A[], change: (account: A) => object): Promise<void> {
  const failed = await signedForEach(accounts, (account) => call('PUT', `/v1/accounts/${account.account_id}/policy`, change(account)));
  changed();
  if (failed.length === 0) return;
  const names = failed.map(({ item }) => item.name).slice(0, MAX_NAMED);
  const more = failed.length > names.length ? ' …' : '';
  const which = `${failed.length} of ${accounts.length} accounts`;
  const why = failed.every(({ problem }) => isNotSigned(problem))
    ? `${which} wait for your signature, which is listed under Signatures: ${names.join(', ')}${more}.`
    : `${which} could not be changed: ${names.join(', ')}${more}. Try again.`;
  throw new Problem(why, 0, 'page');
}

/** A button that pauses all accounts after a confirmation. */
export function PauseAll({ disabled }: { disabled: boolean }): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const unpaused = async (): Promise<NamedAccount[]> =>
    (await everyRow<Account>('/v1/accounts', {}, MAX_ACCOUNTS)).data.filter(({ policy }) => !policy.paused);
  return (
    <>
      <button type="button" class="danger" disabled={disabled} onClick={() => setAsking(true)}>
        Pause all accounts
      </button>
      {isAsking && <PausingDialog what="all accounts" find={unpaused} paused onClose={() => setAsking(false)} />}
    </>
  );
}

interface PausingDialogProps {
  /** Such as `all accounts`, in the title. */
  what: string;
  /** The accounts to change. Read when the change is confirmed. */
  find: () => Promise<NamedAccount[]>;
  /** Whether they are paused or resumed. */
  paused: boolean;
  onClose: () => void;
}

/** Pauses or resumes accounts after a confirmation, and says how many. */
export function PausingDialog({ what, find, paused, onClose }: PausingDialogProps): JSX.Element {
  const [done, setDone] = useState<number>();
  const [verb, past] = paused ? ['Pause', 'paused'] : ['Resume', 'resumed'];
  const send = async (): Promise<void> => {
    const accounts = await find();
    await changePolicies(accounts, () => ({ paused }));
    setDone(accounts.length);
  };
  return (
    <Dialog title={`${verb} ${what}?`} onClose={onClose}>
      {done === undefined ? (
        <Form send={send} submit={verb} danger={paused} onCancel={onClose}>
          <p>
            {paused
              ? 'The chain will decline every outgoing transfer, charge and opening of a session until you resume the account. Open sessions pay nothing more. No money moves.'
              : 'Outgoing transfers will be possible again, within the other rules of each account.'}
          </p>
        </Form>
      ) : (
        <>
          <Notice tone="good">
            <p>
              {done === 0 ? `All of them were ${past} already.` : `${done === 1 ? 'One account was' : `${done} accounts were`} ${past}.`}
            </p>
          </Notice>
          <div class="actions">
            <button type="button" class="primary" onClick={onClose}>
              Close
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
