import type { JSX } from 'preact';
import { changed } from '../../data/live';
import { signedCall } from '../../signing';
import { Dialog, Form, useOperatorKey, usePage } from '../../ui';
import type { ActionProps } from './action-props';

/** Gives an account a new authority key. */
export function RotateKey({ account: { account_id, name }, onClose }: ActionProps): JSX.Element {
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
