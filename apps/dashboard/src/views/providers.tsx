import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../data/api';
import { useRows } from '../data/data';
import { changed } from '../data/live';
import type { ProviderPin } from '../data/types';
import { Code, Dialog, Empty, Field, Form, Heading, Loaded, More, Table, Time, textOf } from '../ui';

/** The pinned providers: payments at their hosts go to the pinned payee, or are declined. */
export function ProvidersView(): JSX.Element {
  const providers = useRows<ProviderPin>('/v1/providers');
  const [editing, setEditing] = useState<Partial<ProviderPin>>();
  const [unpinning, setUnpinning] = useState<string>();
  return (
    <>
      <Heading title="Providers">
        <button type="button" class="primary" onClick={() => setEditing({})}>
          Pin a provider
        </button>
      </Heading>
      <Loaded {...providers}>
        {(page) =>
          page.data.length === 0 ? (
            <Empty>
              No pinned providers. A payment goes to whom the provider names, within the limits. A pin fixes the payee of a host.
            </Empty>
          ) : (
            <>
              <Table
                label="Providers"
                rows={page.data}
                keyOf={({ host }) => host}
                columns={[
                  { name: 'Host', cell: ({ host }) => host },
                  { name: 'Payee', cell: ({ payee }) => (payee === null ? 'any' : <Code text={payee} />) },
                  { name: 'Categories', cell: ({ categories }) => (categories === null ? 'any' : categories.join(', ') || 'none') },
                  { name: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} />, onPhone: 'labelled' },
                  {
                    name: 'Action',
                    cell: (provider) => (
                      <span class="actions">
                        <button type="button" onClick={() => setEditing(provider)} aria-label={`Edit ${provider.host}`}>
                          Edit
                        </button>
                        <button type="button" onClick={() => setUnpinning(provider.host)} aria-label={`Unpin ${provider.host}`}>
                          Unpin
                        </button>
                      </span>
                    ),
                  },
                ]}
              />
              <More page={page} more={providers.more} />
            </>
          )
        }
      </Loaded>
      {editing && <Pin provider={editing} onClose={() => setEditing(undefined)} />}
      {unpinning !== undefined && <Unpin host={unpinning} onClose={() => setUnpinning(undefined)} />}
    </>
  );
}

function Pin({ provider, onClose }: { provider: Partial<ProviderPin>; onClose: () => void }): JSX.Element {
  const [host, setHost] = useState(provider.host ?? '');
  const [payee, setPayee] = useState(provider.payee ?? '');
  const [categories, setCategories] = useState((provider.categories ?? []).join(', '));
  const [operatorKey, setOperatorKey] = useState(provider.operator_key ?? '');
  const [walletPrograms, setWalletPrograms] = useState(String(provider.wallet_programs ?? null));
  const [seconds, setSeconds] = useState(String(provider.max_seconds ?? 30));
  const [bytes, setBytes] = useState(String(provider.max_bytes ?? 1_048_576));
  const save = async (): Promise<void> => {
    const listed = categories.split(/[\s,]+/).filter((each) => each !== '');
    await call('PUT', `/v1/providers/${encodeURIComponent(host.trim())}`, {
      payee: payee.trim() || null,
      categories: listed.length === 0 ? null : listed,
      operator_key: operatorKey.trim() || null,
      wallet_programs: walletPrograms === 'null' ? null : walletPrograms === 'true',
      max_seconds: Number(seconds),
      max_bytes: Number(bytes),
    });
    changed();
    onClose();
  };
  return (
    <Dialog title={provider.host === undefined ? 'Pin a provider' : `Edit ${provider.host}`} onClose={onClose}>
      <Form send={save} submit="Save" onCancel={onClose}>
        <Field label="Host" hint="Such as api.example.com, with its port where it is not 443.">
          {(props) => (
            <input
              {...props}
              value={host}
              onInput={(event) => setHost(textOf(event))}
              required
              maxLength={261}
              readOnly={provider.host !== undefined}
            />
          )}
        </Field>
        <Field label="Payee" hint="The address of the owner of the token account that is paid. Empty: whom the provider names.">
          {(props) => <input {...props} value={payee} onInput={(event) => setPayee(textOf(event))} maxLength={44} />}
        </Field>
        <Field label="Categories" hint="Separated by commas. Empty: any.">
          {(props) => <input {...props} value={categories} onInput={(event) => setCategories(textOf(event))} maxLength={1_100} />}
        </Field>
        <Field label="Operator key" hint="The key that signs for the provider. Empty: not known.">
          {(props) => <input {...props} value={operatorKey} onInput={(event) => setOperatorKey(textOf(event))} maxLength={44} />}
        </Field>
        <Field label="Wallet programs" hint="Whether its facilitator takes x402 transfers of this service’s program.">
          {(props) => (
            <select {...props} value={walletPrograms} onChange={(event) => setWalletPrograms(event.currentTarget.value)}>
              <option value="null">not known</option>
              <option value="true">taken</option>
              <option value="false">refused</option>
            </select>
          )}
        </Field>
        <Field label="Longest answer, in seconds">
          {(props) => (
            <input {...props} type="number" min={1} max={600} value={seconds} onInput={(event) => setSeconds(textOf(event))} required />
          )}
        </Field>
        <Field label="Largest answer, in bytes">
          {(props) => (
            <input {...props} type="number" min={1} max={104_857_600} value={bytes} onInput={(event) => setBytes(textOf(event))} required />
          )}
        </Field>
      </Form>
    </Dialog>
  );
}

function Unpin({ host, onClose }: { host: string; onClose: () => void }): JSX.Element {
  const unpin = async (): Promise<void> => {
    await call('DELETE', `/v1/providers/${encodeURIComponent(host)}`);
    changed();
    onClose();
  };
  return (
    <Dialog title={`Unpin ${host}?`} onClose={onClose}>
      <Form send={unpin} submit="Unpin" danger onCancel={onClose}>
        <p>Payments at this host will go to whom the provider names, within the limits.</p>
      </Form>
    </Dialog>
  );
}
