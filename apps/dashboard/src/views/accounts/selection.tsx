import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ListedAccount } from '../../data/types';
import type { Column } from '../../ui';
import { BulkDialog, PauseEffect } from '../policies/bulk-dialog';
import { MoveToFleet } from '../policies/fleet-forms';
import { PolicyForMany } from '../policies/policy-for-many';
import { LabelsForMany } from './labels';

/** The column that chooses accounts. */
export function chooser(chosen: ReadonlySet<string>, choose: (ids: string[], isChosen: boolean) => void): Column<ListedAccount> {
  return {
    name: 'Selected',
    isControl: true,
    onPhone: 'first',
    cell: ({ account_id, name }) => (
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={chosen.has(account_id)}
        onChange={({ currentTarget }) => choose([account_id], currentTarget.checked)}
      />
    ),
  };
}

/** The actions on the chosen accounts. */
export function Selection({
  chosen,
  count,
  onAll,
}: {
  chosen: ListedAccount[];
  count: number;
  onAll: (isChosen: boolean) => void;
}): JSX.Element {
  const [doing, setDoing] = useState<'pause' | 'resume' | 'policy' | 'fleet' | 'add_labels' | 'remove_labels'>();
  const close = (): void => setDoing(undefined);
  const what = chosen.length === 1 ? (chosen[0]?.name ?? '') : `${chosen.length} accounts`;
  return (
    <div class="selection" role="group" aria-label="Selected accounts">
      <span role="status">{chosen.length === 0 ? '0 selected' : `${chosen.length.toLocaleString()} selected`}</span>
      <button type="button" class="quiet" onClick={() => onAll(chosen.length < count)}>
        {chosen.length < count ? `Select all ${count.toLocaleString()}` : 'Select none'}
      </button>
      {chosen.length > 0 && (
        <>
          <button type="button" onClick={() => setDoing('pause')}>
            Pause
          </button>
          <button type="button" onClick={() => setDoing('resume')}>
            Resume
          </button>
          <button type="button" onClick={() => setDoing('policy')}>
            Set policy
          </button>
          <button type="button" onClick={() => setDoing('fleet')}>
            Move to a fleet
          </button>
          <button type="button" onClick={() => setDoing('add_labels')}>
            Add labels
          </button>
          <button type="button" onClick={() => setDoing('remove_labels')}>
            Remove labels
          </button>
        </>
      )}
      {(doing === 'pause' || doing === 'resume') && (
        <BulkDialog
          title={`${doing === 'pause' ? 'Pause' : 'Resume'} ${what}?`}
          submit={doing === 'pause' ? 'Pause' : 'Resume'}
          change={{ action: doing }}
          selection={{ account_ids: chosen.map(({ account_id }) => account_id) }}
          onClose={close}
        >
          <PauseEffect action={doing} />
        </BulkDialog>
      )}
      {(doing === 'add_labels' || doing === 'remove_labels') && <LabelsForMany accounts={chosen} action={doing} onClose={close} />}
      {doing === 'policy' && <PolicyForMany accounts={chosen} onClose={close} />}
      {doing === 'fleet' && <MoveToFleet accounts={chosen} onClose={close} />}
    </div>
  );
}
