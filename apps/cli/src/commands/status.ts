import type { AgentPayments, Schemas } from '#client';
import { card, plain, table } from '../output/output';
import { readSettings } from '../settings';
import type { Register } from '../context';

type SpendingOfAccount = Schemas['Spending'] & { name: string };

/** `status`, `me` */
export const status: Register = (program, context) => {
  program
    .command('status')
    .alias('me')
    .description('the key in use, and what its accounts may still spend')
    .action(async () => {
      const settings = readSettings();
      const client = context.client(settings);
      const me = await client.me();
      const spending = await spendingOf(client, me);
      const { accounts: _accounts, fleets, ...key } = me;
      const head = card({
        base_url: settings.baseUrl,
        ...key,
        ...(fleets && { fleets: fleets.map(({ name }) => name).join(', ') || 'none' }),
      });
      const columns = {
        name: ({ name }: SpendingOfAccount) => name,
        balance: ({ balance_usdc }: SpendingOfAccount) => balance_usdc,
        'left today': ({ remaining_usdc }: SpendingOfAccount) => remaining_usdc ?? 'no limit',
        paused: ({ policy }: SpendingOfAccount) => (policy.paused ? 'yes' : 'no'),
        account: ({ account_id }: SpendingOfAccount) => account_id,
      };
      context.print(
        { base_url: settings.baseUrl, ...me, spending },
        spending.length === 0 ? head : `${head}\n\n${table(columns, spending)}`,
      );
    });
};

/** A key in words. */
export function formatKey({ type, name, key_id }: Schemas['Me']): string {
  return `the ${type} key ${plain(name ?? key_id)}`;
}

/** The amounts that the accounts of an agent key may spend. An operator key has none of its own: `aps accounts list`. */
async function spendingOf(client: AgentPayments, { accounts }: Schemas['Me']): Promise<SpendingOfAccount[]> {
  const found: SpendingOfAccount[] = [];
  for (const { account_id, name } of accounts ?? []) found.push({ name, ...(await client.accounts.spending(account_id)) });
  return found;
}
