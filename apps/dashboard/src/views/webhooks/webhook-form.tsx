import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../data/api';
import { changed } from '../../data/live';
import { EVENT_TYPES, type Webhook } from '../../data/types';
import { Dialog, Field, Form, isChecked, textOf } from '../../ui';
import { AccountPicker } from '../accounts/account-picker';

interface WebhookFormProps {
  /** The webhook to change; omitted for a new one. */
  webhook?: Webhook;
  onClose: () => void;
  onSaved: (webhook: Webhook) => void;
}

/** Creates or changes a webhook. */
export function WebhookForm({ webhook, onClose, onSaved }: WebhookFormProps): JSX.Element {
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [events, setEvents] = useState<string[]>(webhook?.events ?? []);
  const [accounts, setAccounts] = useState<string[]>(webhook?.account_ids ?? []);
  const [threshold, setThreshold] = useState(String(webhook?.low_balance_threshold_usdc ?? ''));
  const isValid = threshold === '' || /^\d{1,10}(\.\d{1,6})?$/.test(threshold);
  const save = async (): Promise<void> => {
    const [method, path] = webhook ? ['PATCH', `/v1/webhooks/${webhook.webhook_id}`] : ['POST', '/v1/webhooks'];
    const saved = await call<Webhook>(method, path, {
      url: url.trim(),
      events,
      account_ids: accounts,
      low_balance_threshold_usdc: threshold === '' ? null : Number(threshold),
    });
    changed();
    onSaved(saved);
  };
  return (
    <Dialog title={webhook ? 'Edit webhook' : 'Create webhook'} onClose={onClose}>
      <Form send={save} submit={webhook ? 'Save' : 'Create'} onCancel={onClose} disabled={!isValid}>
        <Field label="Address" hint="https, and reachable from the open internet.">
          {(props) => (
            <input
              {...props}
              type="url"
              value={url}
              onInput={(event) => setUrl(textOf(event))}
              required
              maxLength={2048}
              placeholder="https://example.com/hook"
              autoFocus
            />
          )}
        </Field>
        <fieldset>
          <legend>Events</legend>
          <p class="hint">None chosen: all.</p>
          <div class="checks">
            {EVENT_TYPES.map((type) => (
              <label key={type} class="inline">
                <input
                  type="checkbox"
                  checked={events.includes(type)}
                  onChange={(event) => setEvents(isChecked(event) ? [...events, type] : events.filter((one) => one !== type))}
                />{' '}
                {type}
              </label>
            ))}
          </div>
        </fieldset>
        <AccountPicker legend="Accounts" hint="None chosen: all, also later ones." chosen={accounts} onChange={setAccounts} />
        <Field
          label="Low balance, USDC"
          hint="Each time an account falls below it, balance.low_threshold is sent. Empty: never."
          problem={isValid ? undefined : 'A number with at most six decimals.'}
        >
          {(props) => <input {...props} value={threshold} onInput={(event) => setThreshold(textOf(event).trim())} inputMode="decimal" />}
        </Field>
      </Form>
    </Dialog>
  );
}
