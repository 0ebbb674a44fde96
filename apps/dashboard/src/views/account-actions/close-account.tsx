import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { changed } from '../../data/live';
import { signedCall } from '../../signing';
import { Dialog, Field, Form, Usdc, textOf, useOperatorKey, usePage } from '../../ui';
import type { ActionProps } from './action-props';

/** Closes an account for ever. */
export function CloseAccount({ account: { account_id, name, balance_usdc }, onClose }: ActionProps): JSX.Element {
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
