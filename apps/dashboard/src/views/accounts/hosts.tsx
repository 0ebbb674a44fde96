import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../data/api';
import { useGet } from '../../data/data';
import { changed } from '../../data/live';
import type { Hosts } from '../../data/types';
import { Dialog, Form, Loaded, Section, Time } from '../../ui';
import { linesOf, ListField } from '../policies/list-field';

/** The hosts that an account may pay, and a form to change them. */
export function HostsSection({ accountId }: { accountId: string }): JSX.Element {
  const path = `/v1/accounts/${accountId}/hosts`;
  const hosts = useGet<Hosts>(path, { account: accountId });
  const [isChanging, setChanging] = useState(false);
  return (
    <Section
      title="Hosts that it may pay"
      actions={
        <button type="button" disabled={!hosts.data} onClick={() => setChanging(true)}>
          Change hosts
        </button>
      }
    >
      <Loaded {...hosts}>
        {({ hosts: list, updated_at }) => (
          <>
            <p>
              {wordsOf(list)}
              {updated_at && (
                <span class="muted">
                  {' '}
                  since <Time at={updated_at} />
                </span>
              )}
            </p>
            <p class="hint">This service enforces them, and not the chain: for payments, sessions and purses, before any request leaves.</p>
          </>
        )}
      </Loaded>
      {isChanging && hosts.data && (
        <ChangeHosts path={path} hosts={hosts.data.hosts} onSaved={() => void hosts.reload()} onClose={() => setChanging(false)} />
      )}
    </Section>
  );
}

interface ChangeProps {
  path: string;
  hosts: string[] | null;
  onSaved: () => void;
  onClose: () => void;
}

function ChangeHosts({ path, hosts, onSaved, onClose }: ChangeProps): JSX.Element {
  const [list, field] = useHosts(hosts);
  const save = async (): Promise<void> => {
    await call('PUT', path, { hosts: list });
    changed();
    onSaved();
    onClose();
  };
  return (
    <Dialog title="Hosts that it may pay" onClose={onClose}>
      <Form send={save} submit="Save" onCancel={onClose}>
        {field}
      </Form>
    </Dialog>
  );
}

/** The hosts as the user edits them, null for all, and the field for it. */
export function useHosts(initial: string[] | null): [hosts: string[] | null, field: JSX.Element] {
  const [isAny, setAny] = useState(initial === null);
  const [text, setText] = useState(initial?.join('\n') ?? '');
  const field = (
    <ListField
      legend="Hosts"
      any="Any host"
      only="Only these"
      isAny={isAny}
      onAny={setAny}
      label="Hosts, one a line, such as api.example.com or *.example.com"
      value={text}
      problem={undefined}
      onInput={setText}
    />
  );
  return [isAny ? null : linesOf(text), field];
}

function wordsOf(hosts: string[] | null): string {
  if (hosts === null) return 'Any host';
  return hosts.length === 0 ? 'No host' : hosts.join(', ');
}
