import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { call, newKey, post } from '../../data/api';
import { changed } from '../../data/live';
import { isAmount } from '../../values/money';
import type { Account, PolicyFields } from '../../data/types';
import { Choice, Dialog, Field, Form, Notice, Usdc, textOf, usePage } from '../../ui';
import { ruleInWords } from '../policies/rules';
import type { ActionProps } from './action-props';

/** The answer of a transfer's dry run. */
interface Prediction {
  allowed: boolean;
  requires_approval: boolean;
  decline?: { rejection_reason?: string; message: string };
}

const ANOTHER = 'another';

/** Pays an account or an address: first a dry run, then the transfer. */
export function Pay({ account, onClose }: ActionProps): JSX.Element {
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
