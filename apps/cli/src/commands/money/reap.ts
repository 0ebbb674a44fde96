import type { AgentPayments, Schemas } from '#client';
import { APIError } from '#client';
import type { Command } from 'commander';
import type { Context } from '../../context';
import { signed } from '../../custody/signing';
import { Exit, ExitCode } from '../../output/exit-codes';
import { duration, several } from '../../options';

type Account = Schemas['Account'];

interface ReapOptions {
  idle: number;
  label?: string[];
  dryRun?: boolean;
  yes?: boolean;
}

/** `accounts reap`: closes what is empty and idle, so that its rent comes back. */
export function reap(group: Command, context: Context): void {
  group
    .command('reap')
    .description('close accounts that hold nothing and have had no record for a time: their rent comes back, they never open again')
    .requiredOption('--idle <time>', 'such as 90d or 12h', duration)
    .option('--label <label>', 'only accounts with it; may be given more than once', several)
    .option('--dry-run', 'list them and close none')
    .option('--yes', 'do not ask')
    .action(async ({ idle, label, dryRun, yes }: ReapOptions) => {
      const client = context.client();
      const found = await idleSince(client, new Date(Date.now() - idle), label);
      const rows = found.map(({ account_id, name, created_at }) => ({ account_id, name, created_at }));
      const text = rows.map(({ account_id, name }) => `${account_id}  ${name}`).join('\n') || 'None.';
      if (dryRun === true || rows.length === 0) return context.print({ closed: [], idle: rows }, text);
      context.note(text);
      if (yes !== true) await context.agree(`Close ${rows.length} accounts for ever?`, { closed: [], idle: rows }, 'Nothing was closed.');
      const closed: string[] = [];
      for (const { account_id } of rows) if (await close(context, client, account_id)) closed.push(account_id);
      context.print({ closed, idle: rows }, `${closed.length} of ${rows.length} accounts are closed.`);
      if (closed.length < rows.length) throw new Exit(ExitCode.someRowsFailed);
    });
}

/** Accounts that hold nothing, were created before a time and have no record since. */
async function idleSince(client: AgentPayments, since: Date, label: string[] | undefined): Promise<Account[]> {
  const idle: Account[] = [];
  for await (const account of client.accounts.list(label === undefined ? {} : { label })) {
    const { account_id, status, balance_usdc, held_usdc, created_at } = account;
    if (status === 'closed' || Number(balance_usdc) > 0 || Number(held_usdc) > 0 || new Date(created_at) > since) continue;
    const { data } = await client.accounts.transactions(account_id, { limit: 1 });
    const at = data[0]?.created_at;
    if (at === undefined || new Date(at) <= since) idle.push(account);
  }
  return idle;
}

/** False if the service refuses it, as for an account whose money has just arrived. */
async function close(context: Context, client: AgentPayments, id: string): Promise<boolean> {
  try {
    await signed(context, client, () => client.accounts.close(id), { only: ['close_account'] });
    return true;
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    context.note(`${id}: ${error.message}`);
    return false;
  }
}
