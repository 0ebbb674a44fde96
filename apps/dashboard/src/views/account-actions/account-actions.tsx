/** The actions of an operator on an account: deposit, pay, issue a key, rename, rotate its key, close it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Account } from '../../data/types';
import type { ActionProps } from './action-props';
import { CloseAccount } from './close-account';
import { Deposit } from './deposit';
import { IssueKey } from './issue-key';
import { Pay } from './pay';
import { Rename } from './rename';
import { RotateKey } from './rotate-key';

type Asking = 'deposit' | 'pay' | 'key' | 'rename' | 'rotate' | 'close';

const ACTIONS: [Asking, string][] = [
  ['deposit', 'Deposit'],
  ['pay', 'Pay or withdraw'],
  ['key', 'Issue a key'],
  ['rename', 'Rename'],
  ['rotate', 'Rotate its key'],
  ['close', 'Close account'],
];

const DIALOGS: Record<Asking, (props: ActionProps) => JSX.Element> = {
  deposit: Deposit,
  pay: Pay,
  key: IssueKey,
  rename: Rename,
  rotate: RotateKey,
  close: CloseAccount,
};

/** The buttons of an account, and the dialog of the one that was pressed. */
export function AccountActions({ account }: { account: Account }): JSX.Element {
  const [asking, setAsking] = useState<Asking>();
  const Asked = asking && DIALOGS[asking];
  return (
    <div class="actions account-actions" role="group" aria-label="Actions">
      {ACTIONS.map(([action, title]) => (
        <button key={action} type="button" onClick={() => setAsking(action)}>
          {title}
        </button>
      ))}
      {Asked && <Asked account={account} onClose={() => setAsking(undefined)} />}
    </div>
  );
}
