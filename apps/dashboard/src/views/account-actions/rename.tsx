import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../data/api';
import { changed } from '../../data/live';
import { Dialog, Field, Form, textOf } from '../../ui';
import { labelsIn } from '../accounts/labels';
import type { ActionProps } from './action-props';

/** Changes the name, the labels and the metadata of an account. */
export function Rename({ account, onClose }: ActionProps): JSX.Element {
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
