import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useGet, useRows } from '../../data/data';
import { changed } from '../../data/live';
import { formatLimit, formatUsdc } from '../../values/money';
import { useAsked } from '../../route';
import { signedCall } from '../../signing';
import type { Fleet, FleetSpending, PausedFleet, Usage } from '../../data/types';
import { AccountLink, Code, Dialog, Empty, Facts, Form, Heading, Loaded, More, Section, Status, Table } from '../../ui';
import { nearestLimit } from '../../values/nearest-limit';
import { CreateFleet } from './fleet-forms';
import { PolicyEditor } from './policy-editor';

/** The fleets: one policy, one set of limits and one pause for many accounts. */
export function FleetsView(): JSX.Element {
  const fleets = useRows<Fleet>('/v1/fleets');
  const [asked, setAsked] = useState<Fleet>();
  const [isCreating, setCreating] = useState(false);
  useAsked('create', () => setCreating(true));
  return (
    <>
      <Heading title="Fleets">
        <button type="button" class="primary" onClick={() => setCreating(true)}>
          Create fleet
        </button>
      </Heading>
      <Loaded {...fleets}>
        {(page) =>
          page.data.length === 0 ? (
            <Empty>No fleets. A fleet puts many accounts under one limit and one pause.</Empty>
          ) : (
            <>
              <Table
                label="Fleets"
                rows={page.data}
                keyOf={({ fleet_id }) => fleet_id}
                linkOf={({ fleet_id }) => `/fleets/${fleet_id}`}
                columns={[
                  { name: 'Fleet', cell: ({ name }) => name },
                  { name: 'Members', isNumber: true, cell: ({ members }) => members },
                  { name: 'Spent in 24 hours', amount: ({ spent_usdc }) => spent_usdc, onPhone: 'labelled' },
                  { name: 'Reserved', amount: ({ reserved_usdc }) => reserved_usdc, onPhone: 'labelled' },
                  { name: 'Left', cell: leftOf, onPhone: 'labelled' },
                  { name: 'State', cell: ({ status }) => <Status of={status} /> },
                  {
                    name: 'Action',
                    cell: (fleet) =>
                      fleet.status !== 'closed' && (
                        <button type="button" onClick={() => setAsked(fleet)} aria-label={`${verbOf(fleet)} ${fleet.name}`}>
                          {verbOf(fleet)}
                        </button>
                      ),
                  },
                ]}
              />
              <More page={page} more={fleets.more} />
            </>
          )
        }
      </Loaded>
      {asked && <Pause fleet={asked} onClose={() => setAsked(undefined)} />}
      {isCreating && <CreateFleet onClose={() => setCreating(false)} />}
    </>
  );
}

/** A fleet: its limits, its policy, and the amounts of its members. */
export function FleetView({ id }: { id: string }): JSX.Element {
  const fleet = useGet<Fleet>(`/v1/fleets/${id}`);
  const usage = useGet<{ data: Usage[] }>(`/v1/usage?group_by=account&fleet_id=${encodeURIComponent(id)}`);
  const [isAsking, setIsAsking] = useState(false);
  const limit = (value: number | null): string => (value === null ? 'no limit' : `${formatLimit(value.toFixed(6))} USDC`);
  return (
    <Loaded {...fleet}>
      {(data) => (
        <>
          <Heading title={data.name}>
            {data.status !== 'closed' && (
              <button type="button" onClick={() => setIsAsking(true)}>
                {verbOf(data)}
              </button>
            )}
          </Heading>
          <Section title="All members together">
            <Facts
              facts={[
                ['Status', data.status],
                ['Members', String(data.members)],
                ['24-hour limit', limit(data.limits.max_daily_spend)],
                ['30-day limit', limit(data.limits.max_monthly_spend)],
                ['Lifetime limit', limit(data.limits.max_lifetime_spend)],
                ['Spent in 24 hours', `${formatUsdc(data.spent_usdc)} USDC`],
                ['Reserved', `${formatUsdc(data.reserved_usdc)} USDC`],
                ['Left', leftOf(data)],
                ['Binds next', data.status === 'closed' ? 'nothing' : <BindsNext key="next" fleet={data} />],
                ['Address', <Code key="address" text={data.chain_address} />],
              ]}
            />
          </Section>
          {data.status !== 'closed' && <PolicyEditor path={`/v1/fleets/${id}/policy`} used={null} lastKnown={data.policy} />}
          <Section title="Spent by member">
            <Loaded {...usage}>
              {({ data: rows }) =>
                rows.length === 0 ? (
                  <Empty>No member has spent anything.</Empty>
                ) : (
                  <Table
                    label="Spent by member"
                    rows={rows}
                    keyOf={({ group }) => group ?? ''}
                    linkOf={({ group }) => (group === null ? undefined : `/accounts/${group}`)}
                    columns={[
                      { name: 'Account', cell: ({ group }) => group !== null && <AccountLink id={group} /> },
                      { name: 'Spent', amount: ({ settled_usdc }) => settled_usdc },
                      { name: 'Payments', isNumber: true, cell: ({ settled_count }) => settled_count },
                      { name: 'Declined', isNumber: true, cell: ({ rejected_count }) => rejected_count },
                    ]}
                  />
                )
              }
            </Loaded>
          </Section>
          {isAsking && <Pause fleet={data} onClose={() => setIsAsking(false)} />}
        </>
      )}
    </Loaded>
  );
}

/** The limit of all members together that is reached first. */
function BindsNext({ fleet }: { fleet: Fleet }): JSX.Element {
  const { data } = useGet<FleetSpending>(`/v1/fleets/${fleet.fleet_id}/spending`);
  const nearest = data && nearestLimit(data);
  if (!data) return <span class="muted">not known</span>;
  if (!nearest) return <span>no limit of all members together; the policy binds each by itself</span>;
  const { name, remaining_usdc, limit_usdc } = nearest;
  return (
    <span>
      the {name}: {formatUsdc(remaining_usdc)} of {formatUsdc(limit_usdc)} USDC are left
    </span>
  );
}

function Pause({ fleet, onClose }: { fleet: Fleet; onClose: () => void }): JSX.Element {
  const [paused, setPaused] = useState<PausedFleet>();
  const isPaused = fleet.status === 'paused';
  const send = async (): Promise<void> => {
    const answer = await signedCall<PausedFleet>('POST', `/v1/fleets/${fleet.fleet_id}/${isPaused ? 'resume' : 'pause'}`);
    changed();
    if (isPaused || answer.open_purses === 0) onClose();
    else setPaused(answer);
  };
  return (
    <Dialog title={`${verbOf(fleet)} ${fleet.name}?`} onClose={onClose}>
      {paused ? (
        <>
          <p>
            No member pays any more. {formatUsdc(paused.reserved_usdc)} USDC are still reserved; the job {paused.job_id} ends{' '}
            {paused.open_purses === 1 ? 'one open purse' : `${paused.open_purses} open purses`}.
          </p>
          <button type="button" onClick={onClose}>
            Close
          </button>
        </>
      ) : (
        <Form send={send} submit={verbOf(fleet)} onCancel={onClose}>
          <p>
            {isPaused
              ? 'The members can pay again, within the other rules.'
              : `No member transfers, opens sessions or purses, or pays inside a session any more. ${formatUsdc(fleet.reserved_usdc)} USDC are ` +
                'reserved: open purses are ended one by one.'}
          </p>
        </Form>
      )}
    </Dialog>
  );
}

const verbOf = ({ status }: Fleet): string => (status === 'paused' ? 'Resume' : 'Pause');
const leftOf = ({ available_usdc }: Fleet): string => (available_usdc === null ? 'no limit' : `${formatUsdc(available_usdc)} USDC`);
