import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { withQuery } from '../../data/api';
import { useGet } from '../../data/data';
import type { Usage } from '../../data/types';
import { AccountLink, Empty, Loaded, Provider, Section, Switch, Table } from '../../ui';
import { ruleInWords } from '../policies/rules';

const HOUR_MS = 60 * 60_000;
const SPANS: [hours: number, title: string][] = [
  [24, '24 h'],
  [7 * 24, '7 d'],
  [30 * 24, '30 d'],
];
type Group = 'account' | 'label' | 'provider' | 'category' | 'rejection_reason';
const GROUPS: [Group, string][] = [
  ['account', 'Agent'],
  ['label', 'Label'],
  ['provider', 'Provider'],
  ['category', 'Category'],
  ['rejection_reason', 'Reason'],
];
/** The groups with the greatest amounts. */
const MAX_ROWS = 10;

/** The sent and declined amounts of a span, by agent, provider, category or reason. */
export function UsageSection(): JSX.Element {
  const [hours, setHours] = useState(24);
  const [group, setGroup] = useState<Group>('account');
  // A whole minute, so that the same data has the same path for a while.
  const since = new Date(Math.floor(Date.now() / 60_000) * 60_000 - hours * HOUR_MS).toISOString();
  const usage = useGet<{ data: Usage[] }>(withQuery('/v1/usage', { group_by: group, since }));
  return (
    <Section
      title="Sent and declined"
      actions={
        <>
          <Switch label="Group by" options={GROUPS} value={group} onChange={setGroup} />
          <Switch label="Time" options={SPANS} value={hours} onChange={setHours} />
        </>
      }
    >
      <Loaded {...usage}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>Nothing was sent or declined in this time.</Empty>
          ) : (
            <Table
              label="Sent and declined"
              rows={data.slice(0, MAX_ROWS)}
              keyOf={({ group: name }) => name ?? ''}
              linkOf={({ group: name }) => (group === 'account' && name !== null ? `/accounts/${name}` : undefined)}
              columns={[
                { name: GROUPS.find(([each]) => each === group)?.[1] ?? '', cell: (row) => <GroupName of={row.group} by={group} /> },
                { name: 'Sent', amount: ({ settled_usdc }) => settled_usdc },
                { name: 'Payments', isNumber: true, cell: ({ settled_count }) => settled_count.toLocaleString(), onPhone: 'labelled' },
                { name: 'Declined', isNumber: true, cell: ({ rejected_count }) => rejected_count.toLocaleString(), onPhone: 'labelled' },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

function GroupName({ of, by }: { of: string | null; by: Group }): JSX.Element {
  if (of === null) return <span class="muted">{by === 'rejection_reason' ? 'not declined' : `no ${by}`}</span>;
  if (by === 'account') return <AccountLink id={of} />;
  if (by === 'provider') return <Provider of={of} />;
  return <>{by === 'rejection_reason' ? ruleInWords(of) : of}</>;
}
