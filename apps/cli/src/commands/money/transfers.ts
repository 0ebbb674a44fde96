import type { Schemas, TransferListParams } from '#client';
import { accountNames, type NameOf } from '../../output/account-names';
import { given, listLimit } from '../../options';
import { type Columns, timeOf } from '../../output/output';
import type { Register } from '../../context';

type Transfer = Schemas['Transfer'];
type ListOptions = {
  account?: string;
  status?: Transfer['status'];
  to?: string;
  reference?: string;
  since?: string;
  until?: string;
  limit?: number;
};

const columnsOf = (nameOf: NameOf): Columns<Transfer> => ({
  from: ({ from }) => nameOf(from),
  to: ({ to }) => nameOf(to),
  amount: ({ amount_usdc }) => amount_usdc,
  status: ({ status }) => status,
  reason: ({ rejection_reason, failure_reason }) => rejection_reason ?? failure_reason,
  memo: ({ memo }) => memo,
  created: ({ created_at }) => timeOf(created_at),
  transfer: ({ transfer_id }) => transfer_id,
});

/** `transfers list | show` */
export const transfers: Register = (program, context) => {
  const group = program.command('transfers').description('transfers and their outcomes');
  group
    .command('list')
    .description('list transfers, newest first')
    .option('--account <id>', 'only from this account')
    .option('--status <status>', 'pending_approval, submitted, settled, rejected or failed')
    .option('--to <recipient>', 'only to this recipient')
    .option('--reference <text>')
    .option('--since <time>', 'ISO 8601')
    .option('--until <time>', 'ISO 8601')
    .option('--limit <number>', 'how many', listLimit)
    .action(async ({ account, limit, ...filters }: ListOptions) => {
      const query: TransferListParams = given({ account_id: account, ...filters });
      const client = context.client();
      const names = (rows: Transfer[]) =>
        accountNames(
          client,
          rows.flatMap(({ from, to }) => [from, to]),
        );
      await context.list(client.transfers.list(query), limit, async (rows) => columnsOf(await names(rows)));
    });
  group
    .command('show')
    .description('a transfer')
    .argument('<transfer>', 'its id, tr_…')
    .action(async (id: string) => {
      const transfer = await context.client().transfers.retrieve(id);
      context.show(transfer, transferFields(transfer));
    });
};

/** A transfer as lines. */
export function transferFields({ metadata: _metadata, policy: _policy, approval, ...fields }: Transfer) {
  return { ...fields, ...(approval && { approval_expires_at: approval.expires_at }) };
}
