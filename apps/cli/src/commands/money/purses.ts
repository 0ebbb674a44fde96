import { Option } from 'commander';
import type { Schemas } from '#client';
import { given, amount, listLimit, wholeNumber } from '../../options';
import { printOrder, printPrediction } from '../../orders';
import type { Register } from '../../context';
import { timeOf } from '../../output/output';

type Purse = Schemas['Purse'];
type Channel = Schemas['Channel'];
interface OpenOptions {
  account?: string;
  amount: string;
  kind?: Purse['kind'];
  host?: string;
  category?: string;
  reference?: string;
  expiresIn?: number;
  idempotencyKey?: string;
  dryRun?: boolean;
}

const COLUMNS = {
  host: ({ host }: Purse) => host ?? 'any',
  kind: ({ kind }: Purse) => kind,
  status: ({ status }: Purse) => status,
  amount: ({ amount_usdc }: Purse) => amount_usdc,
  spent: ({ spent_usdc }: Purse) => spent_usdc,
  expires: ({ expires_at }: Purse) => timeOf(expires_at),
  purse: ({ purse_id }: Purse) => purse_id,
};
const CHANNEL_COLUMNS = {
  seller: ({ seller }: Channel) => seller,
  status: ({ status }: Channel) => status,
  deposit: ({ deposit_usdc }: Channel) => deposit_usdc,
  settled: ({ settled_usdc }: Channel) => settled_usdc,
  channel: ({ channel_address }: Channel) => channel_address,
};
/** The bounds of both kinds: an allowance purse lives up to an hour, a channel purse an hour to eight days. */
const [MIN_SECONDS, MAX_SECONDS] = [60, 691_200];

/** `purses list | open | channels | close` */
export const purses: Register = (program, context) => {
  const group = program.command('purses').description('purses: an amount for many x402 payments');
  group
    .command('list')
    .description('list purses, newest first')
    .option('--account <id>', 'only of this account')
    .option('--status <status>', 'pending_approval, open, closing, closed or rejected')
    .option('--limit <number>', 'how many', listLimit)
    .action(async ({ account, status, limit }: { account?: string; status?: Purse['status']; limit?: number }) =>
      context.list(context.client().purses.list(given({ account_id: account, status })), limit, COLUMNS),
    );
  group
    .command('open')
    .description('open a purse')
    .option('--account <id>', 'which pays (default: APS_ACCOUNT, or the only one of an agent key)')
    .requiredOption('--amount <usdc>', 'most that it may spend', amount)
    .addOption(new Option('--kind <kind>', 'channel: for metered sellers').choices(['allowance', 'channel']))
    .option('--host <host>', 'pay only this host')
    .option('--category <name>')
    .option('--reference <text>')
    .option(
      '--expires-in <seconds>',
      'from 60 s to an hour; of a channel purse from an hour to 8 days',
      wholeNumber(MIN_SECONDS, MAX_SECONDS),
    )
    .option('--idempotency-key <key>', 'to repeat the command safely')
    .option('--dry-run', 'only say what would happen')
    .action(async ({ account, amount: usdc, expiresIn, idempotencyKey, dryRun, ...texts }: OpenOptions) => {
      const client = context.client();
      const more = given({ ...texts, expires_in_seconds: expiresIn, idempotency_key: idempotencyKey });
      const params = { account_id: await context.account(client, account), amount: usdc, ...more };
      if (dryRun === true) return printPrediction(context, await client.purses.dryRun(params));
      const purse = await client.purses.create(params);
      printOrder(context, purse.status === 'opening' ? await client.purses.waitUntilOpen(purse) : purse, fieldsOf);
    });
  group
    .command('channels')
    .description('list the payment channels of a channel purse, newest first')
    .argument('<purse>', 'its id, purse_…')
    .option('--limit <number>', 'how many', listLimit)
    .action(async (id: string, { limit }: { limit?: number }) =>
      context.list(context.client().purses.channels(id), limit, CHANNEL_COLUMNS),
    );
  group
    .command('close')
    .description('close a purse and return the rest')
    .argument('<purse>', 'its id, purse_…')
    .action(async (id: string) => {
      const purse = await context.client().purses.close(id);
      context.show(purse, fieldsOf(purse));
    });
};

function fieldsOf({ metadata: _metadata, approval: _approval, ...fields }: Purse) {
  return fields;
}
