import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ListedAccount } from '../../data/types';
import { Dialog, Field, Form, textOf } from '../../ui';
import { BulkDialog } from '../policies/bulk-dialog';

/** The labels of a text, which separates them by spaces or commas. */
export function labelsIn(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((label) => label !== ''))];
}

interface LabelsForManyProps {
  accounts: ListedAccount[];
  action: 'add_labels' | 'remove_labels';
  onClose: () => void;
}

/** Adds labels to many accounts or removes them, and says first what changes. */
export function LabelsForMany({ accounts, action, onClose }: LabelsForManyProps): JSX.Element {
  const [text, setText] = useState('');
  const [labels, setLabels] = useState<string[]>();
  const count = accounts.length === 1 ? 'one account' : `${accounts.length.toLocaleString('en-US')} accounts`;
  const title = action === 'add_labels' ? `Label ${count}` : `Remove labels of ${count}`;
  if (labels)
    return (
      <BulkDialog
        title={`${title}?`}
        submit={action === 'add_labels' ? 'Add' : 'Remove'}
        change={{ action, labels }}
        selection={{ account_ids: accounts.map(({ account_id }) => account_id) }}
        onClose={onClose}
      />
    );
  const look = (): Promise<void> => Promise.resolve(setLabels(labelsIn(text)));
  return (
    <Dialog title={title} onClose={onClose}>
      <Form send={look} submit="Show what changes" onCancel={onClose} disabled={labelsIn(text).length === 0}>
        <Field label="Labels" hint="Such as “team:research”, separated by spaces. An account has up to 16.">
          {(props) => <input {...props} value={text} onInput={(event) => setText(textOf(event))} required autoFocus />}
        </Field>
      </Form>
    </Dialog>
  );
}
