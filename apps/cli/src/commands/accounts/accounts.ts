import type { Schemas } from '#client';
import { amount, given, listLimit } from '../../options';
import type { Register } from '../../context';
import { reap } from '../money/reap';

type Account = Schemas['Account'];
type ListOptions = { status?: 'active' | 'paused'; name?: string; limit?: number };

const COLUMNS = {
  name: ({ name }: Account) => name,
  handle: ({ handle }: Account) => handle,
  status: ({ status }: Account) => status,
  balance: ({ balance_usdc }: Account) => balance_usdc,
  account: ({ account_id }: Account) => account_id,
};

/** `accounts list | show | create | fund | reap` */
export const accounts: Register = (program, context) => {
  const group = program.command('accounts').description('accounts and their balances');
  group
    .command('list')
    .description('list accounts, newest first')
    .option('--status <status>', 'active or paused')
    .option('--name <prefix>', 'only names that begin so')
    .option('--limit <number>', 'how many', listLimit)
    .action(async ({ limit, ...query }: ListOptions) => context.list(context.client().accounts.list(given(query)), limit, COLUMNS));
  group
    .command('show')
    .description('an account, and what it may still spend')
    .argument('<account>', 'its id')
    .action(async (id: string) => {
      const client = context.client();
      const [account, spending] = [await client.accounts.retrieve(id), await client.accounts.spending(id)];
      context.show({ ...account, spending }, { ...fieldsOf(account), left_usdc: spending.remaining_usdc ?? 'no limit' });
    });
  group
    .command('create')
    .description('create an account')
    .argument('<name>')
    .option('--idempotency-key <key>', 'to repeat the command without a second account')
    .action(async (name: string, { idempotencyKey }: { idempotencyKey?: string }) => {
      const account = await context.client().accounts.create({ name }, given({ idempotencyKey }));
      context.show(account, fieldsOf(account));
    });
  group
    .command('fund')
    .description('mint test USDC (sandbox only)')
    .argument('<account>', 'its id')
    .argument('<amount>', 'in USDC', amount)
    .action(async (account_id: string, usdc: string) => {
      const funded = await context.client().sandbox.faucet({ account_id, amount: usdc });
      context.show(funded, { balance_usdc: funded.balance_usdc, tx_signature: funded.tx_signature });
    });
  reap(group, context);
};

function fieldsOf({ policy: _policy, metadata: _metadata, labels, ...fields }: Account) {
  return { ...fields, ...(labels.length > 0 && { labels: labels.join(' ') }) };
}
