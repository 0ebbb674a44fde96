import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { newKey } from '../../data/api';
import { useRows } from '../../data/data';
import { changed } from '../../data/live';
import { go } from '../../route';
import { signedCall } from '../../signing';
import type { Fleet, ListedAccount } from '../../data/types';
import { Choice, Dialog, Empty, Field, Form, Loaded, textOf } from '../../ui';
import { BulkDialog } from './bulk-dialog';

/** Six decimals at most, as the service takes a limit. */
const LIMIT = '\\d{1,10}(\\.\\d{1,6})?';
/** The choice that takes accounts out of their fleets. */
const NO_FLEET = '';

/** Creates a fleet, with the limit of 24 hours that all its members share. */
export function CreateFleet({ onClose }: { onClose: () => void }): JSX.Element {
  const [name, setName] = useState('');
  const [daily, setDaily] = useState('');
  const body = { name, limits: { max_daily_spend: daily === '' ? null : Number(daily) } };
  // A retry of the same creation uses the same key, and another one another.
  const key = useRef({ text: '', key: '' });
  const create = async (): Promise<void> => {
    const text = JSON.stringify(body);
    if (key.current.text !== text) key.current = { text, key: newKey() };
    const fleet = await signedCall<Fleet>('POST', '/v1/fleets', body, { 'Idempotency-Key': key.current.key });
    changed();
    onClose();
    go(`/fleets/${fleet.fleet_id}`);
  };
  return (
    <Dialog title="Create fleet" onClose={onClose}>
      <Form send={create} submit="Create" onCancel={onClose}>
        <Field label="Name" hint="For people; it need not be unique.">
          {(props) => <input {...props} value={name} onInput={(event) => setName(textOf(event))} required maxLength={100} autoFocus />}
        </Field>
        <Field label="Limit of all members in 24 hours, USDC" hint="Empty for none. The chain holds all members together to it.">
          {(props) => <input {...props} value={daily} onInput={(event) => setDaily(textOf(event))} inputMode="decimal" pattern={LIMIT} />}
        </Field>
      </Form>
    </Dialog>
  );
}

/** Moves accounts into a fleet or out of theirs, and says first what changes. */
export function MoveToFleet({ accounts, onClose }: { accounts: ListedAccount[]; onClose: () => void }): JSX.Element {
  const fleets = useRows<Fleet>('/v1/fleets');
  const [to, setTo] = useState<string>();
  const count = accounts.length === 1 ? 'one account' : `${accounts.length.toLocaleString('en-US')} accounts`;
  const selection = { account_ids: accounts.map(({ account_id }) => account_id) };
  const changeTo = (to: string) => ({ action: 'set_fleet' as const, new_fleet_id: to === NO_FLEET ? null : to });
  if (to !== undefined)
    return <BulkDialog title={`Move ${count}?`} submit={`Move ${count}`} change={changeTo(to)} selection={selection} onClose={onClose} />;
  return (
    <Dialog title={`Move ${count} to a fleet`} onClose={onClose}>
      <Loaded {...fleets}>
        {({ data }) => <Target fleets={data.filter(({ status }) => status !== 'closed')} onChosen={setTo} onClose={onClose} />}
      </Loaded>
    </Dialog>
  );
}

/** Chooses the fleet. */
function Target({ fleets, onChosen, onClose }: { fleets: Fleet[]; onChosen: (to: string) => void; onClose: () => void }): JSX.Element {
  const [to, setTo] = useState(fleets[0]?.fleet_id ?? NO_FLEET);
  return (
    <>
      {fleets.length === 0 && <Empty>There is no fleet yet: create one under Fleets.</Empty>}
      <Choice
        label="Fleet"
        value={to}
        options={[...fleets.map(({ fleet_id, name }): [string, string] => [fleet_id, name]), [NO_FLEET, 'No fleet: they leave theirs']]}
        onChange={setTo}
      />
      <Form send={() => Promise.resolve(onChosen(to))} submit="Show what changes" onCancel={onClose}>
        <p class="hint">Nothing is changed yet. An account with reserved amounts cannot move until they are settled or returned.</p>
      </Form>
    </>
  );
}
