/** Names of accounts for tables. */
import { type AgentPayments, NotFoundError } from '#client';

/** Up to this number accounts are read one by one, so many at once; beyond it from the list of all. */
const FEW = 20;
/** The accounts of the list that are looked through. Those behind them are read one by one. */
const MAX_LISTED = 1_000;

/** The text for an account: its name, or what was given if it has none that is known. */
export type NameOf = (account: string | null) => string | null;

/** The names of the accounts among `ids`, which may hold other addresses and other operators' accounts too. */
export async function accountNames(client: AgentPayments, ids: readonly (string | null)[]): Promise<NameOf> {
  const wanted = new Set(ids.filter((id): id is string => id?.startsWith('acct_') === true));
  const names = new Map<string, string>();
  if (wanted.size > 0) await readNames(client, wanted, names);
  return (account) => (account === null ? null : (names.get(account) ?? account));
}

async function readNames(client: AgentPayments, wanted: ReadonlySet<string>, names: Map<string, string>): Promise<void> {
  const { accounts } = await client.me();
  for (const { account_id, name } of accounts ?? []) if (wanted.has(account_id)) names.set(account_id, name);
  // An agent's key sees no other accounts than these.
  if (accounts !== null) return;
  if (wanted.size > FEW) await readListed(client, wanted, names);
  const rest = [...wanted].filter((id) => !names.has(id));
  for (let from = 0; from < rest.length; from += FEW)
    await Promise.all(
      rest.slice(from, from + FEW).map(async (id) => {
        const name = await nameOf(client, id);
        if (name !== undefined) names.set(id, name);
      }),
    );
}

async function readListed(client: AgentPayments, wanted: ReadonlySet<string>, names: Map<string, string>): Promise<void> {
  let count = 0;
  for await (const { account_id, name } of client.accounts.list({ limit: 100 })) {
    if (wanted.has(account_id)) names.set(account_id, name);
    if (++count >= MAX_LISTED || names.size === wanted.size) return;
  }
}

/** Undefined for an account of another operator. */
async function nameOf(client: AgentPayments, id: string): Promise<string | undefined> {
  try {
    return (await client.accounts.retrieve(id)).name;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
