/** The payment channels of a channel purse. */
import type { JSX } from 'preact';
import { useRows } from '../../data/data';
import type { Channel } from '../../data/types';
import { Code, Empty, Loaded, More, Section, Status, Table, Url, type Column } from '../../ui';

const COLUMNS: Column<Channel>[] = [
  { name: 'State', cell: ({ status }) => <Status of={status} />, onPhone: 'first' },
  { name: 'Seller', cell: ({ seller }) => <Url of={seller} />, onPhone: 'rest' },
  { name: 'Channel', cell: ({ channel_address }) => <Code text={channel_address} />, onPhone: 'hidden' },
  { name: 'Settled', amount: ({ settled_usdc }) => settled_usdc },
  { name: 'Deposit', amount: ({ deposit_usdc }) => deposit_usdc },
];

export function ChannelsSection({ path }: { path: string }): JSX.Element {
  const rows = useRows<Channel>(path, {});
  return (
    <Section title="Channels">
      <Loaded {...rows}>
        {(page) =>
          page.data.length === 0 ? (
            <Empty>No channel was opened out of this purse yet.</Empty>
          ) : (
            <>
              <Table label="Channels" rows={page.data} keyOf={({ channel_address }) => channel_address} columns={COLUMNS} />
              <More page={page} more={rows.more} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}
