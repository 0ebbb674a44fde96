/** Names of accounts for tables. */
import type { AgentPayments } from '#client';

/** The accounts that are looked through. Of an operator with more, the others are shown by their ids. */
const MAX_ACCOUNTS = 1_000;

/** The text for an account: its name, or what was given where it has none that is known. */
export type NameOf = (account: string | null) => string | null;

/** The names of the accounts among `ids`, which may hold other addresses too. */
export async function accountNames(client: AgentPayments, ids: readonly (string | null)[]): Promise<NameOf> {
  const wanted = new Set(ids.filter((id): id is string => id?.startsWith('acct_') === true));
  const names = new Map<string, string>();
  if (wanted.size > 0) for await (const { account_id, name } of accountsOf(client)) if (wanted.has(account_id)) names.set(account_id, name);
  return (account) => (account === null ? null : (names.get(account) ?? account));

  async function* accountsOf(of: AgentPayments): AsyncGenerator<{ account_id: string; name: string }> {
    const { accounts } = await of.me();
    if (accounts !== null) return yield* accounts;
    let count = 0;
    for await (const account of of.accounts.list({ limit: 100 })) {
      yield account;
      if (++count >= MAX_ACCOUNTS || names.size === wanted.size) return;
    }
  }
}
