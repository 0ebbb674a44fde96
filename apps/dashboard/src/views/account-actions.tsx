/** The actions of an operator on an account: deposit, pay, issue a key, rename, rotate its key, close it. */
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { encode } from 'uqr';
import { call, newKey, post } from '../api';
import { changed } from '../live';
import { isAmount } from '../money';
import { signedCall } from '../signing';
import type { Account, ApiKey, PolicyFields } from '../types';
import { Choice, Code, Copy, Dialog, Field, Form, Notice, ShownOnce, Usdc, textOf, useOperatorKey, usePage } from '../ui';
import { useLife } from './key-forms';
import { labelsIn } from './labels';
import { ruleInWords } from './rules';

interface ActionProps {
  account: Account;
  onClose: () => void;
}

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

/** The address that USDC is sent to, as text and as a QR code. */
function Deposit({ account: { name, chain_address }, onClose }: ActionProps): JSX.Element {
  return (
    <Dialog title={`Deposit to ${name}`} onClose={onClose}>
      <p>Send USDC on Solana to this address. The deposit is listed within seconds after it is confirmed.</p>
      <QrCode text={chain_address} />
      <p class="secret">
        <Code text={chain_address} whole />
        <Copy text={chain_address} what="the address" />
      </p>
      <Notice tone="bad">
        <p>
          Only USDC, and only on this Solana network. Other tokens, and USDC of another chain, do not appear here and cannot be sent back by
          this service.
        </p>
      </Notice>
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

/** A QR code, drawn by the page itself. */
function QrCode({ text }: { text: string }): JSX.Element {
  const { size, data } = encode(text);
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="qr" role="img" aria-label={`QR code of ${text}`} viewBox={`0 0 ${size} ${size}`} width="220" height="220">
      <path d={squares.join('')} fill="#000000" />
    </svg>
  );
}

/** The answer of a transfer's dry run. */
interface Prediction {
  allowed: boolean;
  requires_approval: boolean;
  decline?: { rejection_reason?: string; message: string };
}

const ANOTHER = 'another';

/** Pays an account or an address: first a dry run, then the transfer. */
function Pay({ account, onClose }: ActionProps): JSX.Element {
  const { accounts } = usePage();
  const [chosen, setChosen] = useState('');
  const [address, setAddress] = useState('');
  const [amount, setAmount] = useState('');
  const [memo, setMemo] = useState('');
  const [category, setCategory] = useState('');
  const [prediction, setPrediction] = useState<Prediction>();
  // A payment whose response was lost is repeated with the same key.
  const key = useRef(newKey());
  const edit = (set: (value: string) => void) => (value: string) => {
    set(value);
    setPrediction(undefined);
    key.current = newKey();
  };
  const to = chosen === ANOTHER ? address.trim() : chosen;
  const options = recipients(account, accounts);
  const request = {
    from: account.account_id,
    to,
    amount,
    idempotency_key: key.current,
    ...(memo.trim() !== '' && { memo }),
    ...(category !== '' && { category }),
  };
  const predict = async (): Promise<void> => setPrediction(await call<Prediction>('POST', '/v1/transfers', request, { 'Dry-Run': 'true' }));
  const pay = async (): Promise<void> => {
    await post('/v1/transfers', request).finally(changed);
    onClose();
  };
  return (
    <Dialog title={`Pay from ${account.name}`} onClose={onClose}>
      <Form
        send={prediction?.allowed ? pay : predict}
        submit={prediction?.allowed ? (prediction.requires_approval ? 'Ask for approval' : 'Pay now') : 'Check'}
        onCancel={onClose}
        disabled={to === '' || !isAmount(amount)}
      >
        <Choice label="To" value={chosen} options={options} onChange={edit(setChosen)} />
        {chosen === ANOTHER && (
          <Field label="Address" hint="A USDC token account. Check it twice: a payment cannot be taken back.">
            {(props) => <input {...props} value={address} onInput={(event) => edit(setAddress)(textOf(event))} maxLength={64} required />}
          </Field>
        )}
        <Field label="Amount in USDC" hint="At most six decimals.">
          {(props) => <input {...props} value={amount} onInput={(event) => edit(setAmount)(textOf(event))} inputMode="decimal" required />}
        </Field>
        <Field label="Memo" hint={account.policy.require_memo ? 'The policy requires one.' : 'May be empty.'}>
          {(props) => <input {...props} value={memo} onInput={(event) => edit(setMemo)(textOf(event))} maxLength={256} />}
        </Field>
        {account.policy.categories !== null && (
          <Choice
            label="Category"
            value={category}
            options={['', ...account.policy.categories].map((each): [string, string] => [each, each || 'none'])}
            onChange={edit(setCategory)}
          />
        )}
        {prediction && <Predicted of={prediction} amount={amount} />}
      </Form>
    </Dialog>
  );
}

/** Whom an account may pay: the listed counterparties, or each account of the operator and any address. */
function recipients({ account_id, policy }: Account, accounts: { account_id: string; name: string }[]): [string, string][] {
  const named = (id: string): [string, string] => [id, accounts.find((each) => each.account_id === id)?.name ?? id];
  const { allowed_counterparties: listed }: PolicyFields = policy;
  if (listed !== null) return [['', 'Choose a listed counterparty'], ...listed.map(named)];
  const others = accounts.filter((each) => each.account_id !== account_id);
  return [['', 'Choose'], [ANOTHER, 'Another address'], ...others.map(({ account_id: id }) => named(id))];
}

function Predicted({ of: { allowed, requires_approval, decline }, amount }: { of: Prediction; amount: string }): JSX.Element {
  if (!allowed)
    return (
      <Notice tone="bad">
        <p>
          {decline?.rejection_reason && <strong>{ruleInWords(decline.rejection_reason)}. </strong>}
          {decline?.message ?? 'It would be declined.'}
        </p>
      </Notice>
    );
  return (
    <Notice tone="good">
      <p>
        <Usdc amount={amount} /> {requires_approval ? 'will wait for an approval.' : 'can be paid now, within all rules.'}
      </p>
    </Notice>
  );
}

/** Creates an API key for the agent of this account alone. */
function IssueKey({ account: { account_id, name: accountName }, onClose }: ActionProps): JSX.Element {
  const [name, setName] = useState(accountName);
  const [expiry, lifeField] = useLife();
  const [created, setCreated] = useState<string>();
  const create = async (): Promise<void> => {
    const { key } = await post<ApiKey>('/v1/api_keys', { type: 'agent', name, account_ids: [account_id], ...expiry() });
    changed();
    setCreated(key);
  };
  if (created !== undefined)
    return (
      <ShownOnce
        title={`The key of ${accountName}`}
        secret={created}
        what="the key"
        hint="It is shown once. The service stores its hash alone."
        onClose={onClose}
      />
    );
  return (
    <Dialog title={`Issue a key for ${accountName}`} onClose={onClose}>
      <Form send={create} submit="Issue" onCancel={onClose}>
        <p>The key spends from this account within its policy, and changes nothing.</p>
        <Field label="Name" hint="For people, such as the machine that has it.">
          {(props) => <input {...props} value={name} onInput={(event) => setName(textOf(event))} required maxLength={100} />}
        </Field>
        {lifeField}
      </Form>
    </Dialog>
  );
}

/** Changes the name, the labels and the metadata of an account. */
function Rename({ account, onClose }: ActionProps): JSX.Element {
  const [name, setName] = useState(account.name);
  const [labels, setLabels] = useState(account.labels.join(' '));
  const [lines, setLines] = useState(
    Object.entries(account.metadata)
      .map(([field, value]) => `${field}: ${String(value)}`)
      .join('\n'),
  );
  const save = async (): Promise<void> => {
    await call('PATCH', `/v1/accounts/${account.account_id}`, {
      name,
      labels: labelsIn(labels),
      metadata: metadataChange(account.metadata, lines),
    });
    changed();
    onClose();
  };
  return (
    <Dialog title={`Rename ${account.name}`} onClose={onClose}>
      <Form send={save} submit="Save" onCancel={onClose}>
        <Field label="Name" hint="The handle and the addresses stay as they are.">
          {(props) => <input {...props} value={name} onInput={(event) => setName(textOf(event))} required maxLength={100} />}
        </Field>
        <Field label="Labels" hint="For filters and for changes of many accounts, separated by spaces, such as “team:research”.">
          {(props) => <input {...props} value={labels} onInput={(event) => setLabels(textOf(event))} />}
        </Field>
        <Field label="Metadata" hint="One field a line, such as “team: research”.">
          {(props) => <textarea {...props} value={lines} onInput={(event) => setLines(textOf(event))} rows={4} />}
        </Field>
      </Form>
    </Dialog>
  );
}

/** The metadata of some lines, with null for each field that is not there any more. */
function metadataChange(old: object, lines: string): Record<string, string | null> {
  const entries = lines.split('\n').flatMap((line): [string, string][] => {
    const [name = '', ...rest] = line.split(':');
    return name.trim() === '' ? [] : [[name.trim(), rest.join(':').trim()]];
  });
  return { ...Object.fromEntries(Object.keys(old).map((name) => [name, null])), ...Object.fromEntries(entries) };
}

/** Gives an account a new authority key. */
function RotateKey({ account: { account_id, name }, onClose }: ActionProps): JSX.Element {
  const [key, keyField] = useOperatorKey(usePage().signedIn.operator.chain_key_custody === 'service');
  const rotate = async (): Promise<void> => {
    await signedCall('POST', `/v1/accounts/${account_id}/rotate_authority`, {}, key());
    changed();
    onClose();
  };
  return (
    <Dialog title={`Rotate the key of ${name}?`} onClose={onClose}>
      <Form send={rotate} submit="Rotate" onCancel={onClose}>
        <p>
          The key that signs the account’s transfers is replaced on chain. Agents keep their API keys, and nothing halts: orders under way
          are signed again.
        </p>
        {keyField}
      </Form>
    </Dialog>
  );
}

/** Closes an account for ever. */
function CloseAccount({ account: { account_id, name, balance_usdc }, onClose }: ActionProps): JSX.Element {
  const { accounts } = usePage();
  const [destination, setDestination] = useState('');
  const [key, keyField] = useOperatorKey(usePage().signedIn.operator.chain_key_custody === 'service');
  const hasMoney = /[1-9]/.test(balance_usdc);
  const close = async (): Promise<void> => {
    await signedCall(
      'POST',
      `/v1/accounts/${account_id}/close`,
      destination.trim() === '' ? {} : { destination: destination.trim() },
      key(),
    );
    changed();
    onClose();
  };
  const own = accounts.filter((each) => each.account_id !== account_id && each.status !== 'closed');
  return (
    <Dialog title={`Close ${name}?`} onClose={onClose}>
      <Form send={close} submit="Close for ever" danger onCancel={onClose} disabled={hasMoney && destination.trim() === ''}>
        <p>The account cannot be opened again, and its address is never used again. Its history stays.</p>
        {keyField}
        {hasMoney && (
          <Field label="Where its money goes" hint="An account’s handle or id, or a USDC token account.">
            {(props) => (
              <>
                <input
                  {...props}
                  list="own-accounts"
                  value={destination}
                  onInput={(event) => setDestination(textOf(event))}
                  maxLength={64}
                  required
                />
                <datalist id="own-accounts">
                  {own.map(({ handle, name: title }) => (
                    <option key={handle} value={handle}>
                      {title}
                    </option>
                  ))}
                </datalist>
              </>
            )}
          </Field>
        )}
        {hasMoney && (
          <p>
            <Usdc amount={balance_usdc} /> will be moved there.
          </p>
        )}
      </Form>
    </Dialog>
  );
}
