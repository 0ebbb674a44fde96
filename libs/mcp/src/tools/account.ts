/** The account that a call uses. */
import type { AgentPayments, RequestOptions } from '#client';
import { ArgumentError } from '../results/results';
import type { AccountArgs } from './tool';

/**
 * The account of the arguments, or the only one of the key. The service checks that the key covers it.
 * @throws ArgumentError for a key with several accounts, with their ids and names, and for an operator key.
 */
export async function accountOf(client: AgentPayments, { account_id }: AccountArgs, options: RequestOptions): Promise<string> {
  const { accounts } = await client.me(options);
  if (accounts === null) throw new ArgumentError('This is an operator key. The MCP server works with an agent key.');
  if (account_id !== undefined) return account_id;
  const [first, ...more] = accounts;
  if (!first) throw new ArgumentError('The key has no open account.');
  if (more.length === 0) return first.account_id;
  const choices = accounts.map((account) => `${account.account_id} (${account.name})`).join(', ');
  throw new ArgumentError(`The key covers several accounts. Give account_id, one of: ${choices}.`);
}

/**
 * The recipient of a transfer: the id of the account of the key that alone has this name, or what was given.
 * @throws ArgumentError for a name that several accounts of the key have, with their ids.
 */
export async function recipientOf(client: AgentPayments, to: string, options: RequestOptions): Promise<string> {
  const { accounts } = await client.me(options);
  const [first, ...more] = (accounts ?? []).filter(({ name }) => name === to);
  if (!first) return to;
  if (more.length === 0) return first.account_id;
  const ids = [first, ...more].map(({ account_id }) => account_id).join(', ');
  throw new ArgumentError(`Several accounts are named ${to}. Give to as one of: ${ids}.`);
}
