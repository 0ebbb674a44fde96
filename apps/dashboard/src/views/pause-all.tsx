import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Problem, call, everyRow, forEach } from '../api';
import { changed } from '../live';
import type { Account } from '../types';
import { Dialog, Form, Notice } from '../ui';

const MAX_ACCOUNTS = 100_000;

/** A button that pauses all accounts after a confirmation. */
export function PauseAll({ disabled }: { disabled: boolean }): JSX.Element {
  const [isConfirming, setConfirming] = useState(false);
  const [paused, setPaused] = useState<number>();
  const close = (): void => {
    setConfirming(false);
    setPaused(undefined);
  };
  const pause = async (): Promise<void> => {
    const accounts = (await everyRow<Account>('/v1/accounts', {}, MAX_ACCOUNTS)).data.filter(({ policy }) => !policy.paused);
    const failed = await forEach(accounts, ({ account_id }) => call('PUT', `/v1/accounts/${account_id}/policy`, { paused: true }));
    changed();
    if (failed.length > 0) {
      const names = failed.map(({ item }) => item.name).slice(0, 10);
      throw new Problem(
        `${failed.length} of ${accounts.length} accounts could not be paused: ${names.join(', ')}${failed.length > names.length ? ' …' : ''}. Try again.`,
        0,
        'page',
      );
    }
    setPaused(accounts.length);
  };
  return (
    <>
      <button type="button" class="danger" disabled={disabled} onClick={() => setConfirming(true)}>
        Pause all accounts
      </button>
      {isConfirming && (
        <Dialog title="Pause all accounts?" onClose={close}>
          {paused === undefined ? (
            <Form send={pause} submit="Pause all" danger onCancel={close}>
              <p>
                The chain will refuse every outgoing transfer, charge and opening of a session, of every account, until you resume each.
                Open sessions pay nothing more. No money moves.
              </p>
            </Form>
          ) : (
            <>
              <Notice tone="good">
                <p>
                  {paused === 0
                    ? 'All accounts were paused already.'
                    : paused === 1
                      ? 'One account was paused. All are paused now.'
                      : `${paused} accounts were paused. All are paused now.`}
                </p>
              </Notice>
              <div class="actions">
                <button type="button" class="primary" onClick={close}>
                  Close
                </button>
              </div>
            </>
          )}
        </Dialog>
      )}
    </>
  );
}
