import type { Schemas, TransferListParams } from '#client';
import { given, listLimit } from '../options';
import type { Register } from '../context';

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

const COLUMNS = {
  transfer: ({ transfer_id }: Transfer) => transfer_id,
  status: ({ status }: Transfer) => status,
  amount: ({ amount_usdc }: Transfer) => amount_usdc,
  from: ({ from }: Transfer) => from,
  to: ({ to }: Transfer) => to,
  memo: ({ memo }: Transfer) => memo,
  reason: ({ rejection_reason, failure_reason }: Transfer) => rejection_reason ?? failure_reason,
  created: ({ created_at }: Transfer) => created_at,
};

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
      await context.list(context.client().transfers.list(query), limit, COLUMNS);
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
