import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type Action, questionOf } from '../../words/pause-question';
import { Choice } from '../../ui';
import { BulkDialog, PauseEffect } from './bulk-dialog';

/** The accounts that a list shows, if a filter is set, and how many there are in all. */
export interface Shown {
  ids: string[];
  total: number;
}

/** Buttons that pause and resume all accounts after a confirmation. */
export function PauseAll({ disabled, shown }: { disabled: boolean; shown?: Shown | undefined }): JSX.Element {
  const [asked, setAsked] = useState<Action>();
  return (
    <>
      <button type="button" disabled={disabled} onClick={() => setAsked('resume')}>
        Resume all accounts
      </button>
      <button type="button" class="danger" disabled={disabled} onClick={() => setAsked('pause')}>
        Pause all accounts
      </button>
      {asked && <PauseAllDialog action={asked} shown={shown} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function PauseAllDialog({ action, shown, onClose }: { action: Action; shown: Shown | undefined; onClose: () => void }): JSX.Element {
  const [isAll, setAll] = useState(true);
  return (
    <BulkDialog
      title={questionOf(action, isAll, shown)}
      submit={action === 'pause' ? 'Pause' : 'Resume'}
      change={{ action }}
      selection={isAll || !shown ? { all: true } : { account_ids: shown.ids }}
      onClose={onClose}
    >
      {shown && shown.ids.length > 0 && (
        <Choice
          label="Accounts"
          value={isAll ? 'all' : 'shown'}
          options={[
            ['all', `All ${shown.total.toLocaleString()}`],
            ['shown', `Only the ${shown.ids.length.toLocaleString()} shown`],
          ]}
          onChange={(which) => setAll(which === 'all')}
        />
      )}
      <PauseEffect action={action} />
    </BulkDialog>
  );
}
