/** Shared by the end-to-end tests: accounts with money, agents, orders, and access to database and chain. */
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { api, type Answer, type Api, type Body } from './api';
import { sharedService } from './service';

export interface TestAccount {
  id: string;
  address: string;
  tokenAccount: string;
  handle: string;
}

/** The shared service, as its first operator. */
export function operator(): Api {
  const { baseUrl, operatorKey } = sharedService();
  return api(baseUrl, operatorKey);
}

/** The shared service, as another operator. */
export function stranger(): Api {
  const { baseUrl, otherOperatorKey } = sharedService();
  return api(baseUrl, otherOperatorKey);
}

/** The shared service, without a key. */
export function anonymous(): Api {
  return api(sharedService().baseUrl);
}

/** A new account, with this much USDC and under this policy. */
export async function anAccount({ usdc, policy, by = operator() }: { usdc?: string; policy?: Body; by?: Api } = {}): Promise<TestAccount> {
  const {
    account_id: id,
    chain_address: address,
    usdc_token_account: tokenAccount,
    handle,
  } = bodyOf(await by.post('/v1/accounts', { name: 'test' }), 201);
  if (usdc !== undefined) await fund({ id }, usdc, by);
  if (policy !== undefined) await setPolicy({ id }, policy, by);
  return { id, address, tokenAccount, handle };
}

export async function fund({ id }: { id: string }, amount: string, by = operator()): Promise<void> {
  bodyOf(await by.post('/v1/sandbox/faucet', { account_id: id, amount }), 200);
}

export async function setPolicy({ id }: { id: string }, policy: Body, by = operator()): Promise<Body> {
  return bodyOf(await by.put(`/v1/accounts/${id}/policy`, policy), 200);
}

/** The key of an agent that may spend from these accounts. */
export async function anAgentKey(...accounts: { id: string }[]): Promise<string> {
  return bodyOf(await operator().post('/v1/api_keys', { type: 'agent', account_ids: accounts.map(({ id }) => id) }), 201).key;
}

/** An agent that may spend from these accounts. */
export async function anAgent(...accounts: { id: string }[]): Promise<Api> {
  return api(sharedService().baseUrl, await anAgentKey(...accounts));
}

/** The body of a transfer, with a new idempotency key. */
export function order(from: { id: string } | string, to: { id: string } | string, amount: string, more: Body = {}): Body {
  const idOf = (party: { id: string } | string): string => (typeof party === 'string' ? party : party.id);
  return { from: idOf(from), to: idOf(to), amount, idempotency_key: randomUUID(), ...more };
}

export function pay(
  from: { id: string } | string,
  to: { id: string } | string,
  amount: string,
  more: Body = {},
  by = operator(),
): Promise<Answer> {
  return by.post('/v1/transfers', order(from, to, amount, more));
}

export async function balanceOf({ id }: { id: string }, by = operator()): Promise<string> {
  return bodyOf(await by.get(`/v1/accounts/${id}/balance`), 200).balance_usdc;
}

/** All pages of a list, newest first. */
export async function everyRow(path: string, by = operator()): Promise<Body[]> {
  const rows: Body[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Body = bodyOf(
      await by.get(`${path}${path.includes('?') ? '&' : '?'}limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`),
      200,
    );
    rows.push(...page.data);
    cursor = page.cursor;
  }
  return rows;
}

/** The history of an account but its deposits, which have their own tests; newest first. */
export async function entriesOf({ id }: { id: string }, by = operator()): Promise<Body[]> {
  return (await everyRow(`/v1/accounts/${id}/transactions`, by)).filter(({ type }) => type !== 'deposit');
}

/** Type, amount and reason of each entry but the deposits. */
export async function linesOf(account: { id: string }, by = operator()): Promise<unknown[]> {
  return (await entriesOf(account, by)).map(({ type, amount_usdc, rejection_reason }) => [type, amount_usdc, rejection_reason]);
}

/** The body of a response with this status; throws with the whole response otherwise. */
export function bodyOf({ status, body }: Answer, wanted: number): Body {
  if (status !== wanted) throw new Error(`${wanted} was expected and ${status} came: ${JSON.stringify(body)}`);
  return body;
}

/** The fields that a rejected request named. */
export function invalidFields({ status, body }: Answer): string[] {
  if (status !== 400 || body.error !== 'invalid_request') throw new Error(`400 was expected and ${status} came: ${JSON.stringify(body)}`);
  return body.details.map(({ field }: { field: string }) => field);
}

/** Sends text unchanged, such as invalid JSON. */
export async function sendText(method: string, path: string, text: string, type = 'application/json'): Promise<Answer> {
  const { baseUrl, operatorKey } = sharedService();
  const response = await fetch(new URL(path, baseUrl), {
    method,
    headers: { Authorization: `Bearer ${operatorKey}`, 'Content-Type': type },
    body: text,
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

/** Queries the database of the shared service. */
export async function query<Row extends object = Body>(
  statement: string,
  values: unknown[] = [],
  url = sharedService().sandbox.database_url,
): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** An account's events, oldest first: `[type, data]`. Their numbers must be 1, 2, 3 … */
export async function eventsOf({ id }: { id: string }, url?: string): Promise<[string, Body][]> {
  const rows = await query('SELECT sequence, type, data FROM events WHERE account_id = $1 ORDER BY sequence', [id], url);
  expect(rows.map(({ sequence }) => Number(sequence))).toEqual(rows.map((_, index) => index + 1));
  return rows.map(({ type, data }) => [type, data]);
}

/** One JSON-RPC call to the chain behind the shared service. */
export async function rpc(method: string, params: unknown[], url = sharedService().sandbox.rpc_url): Promise<Body> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as Body;
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** Micro-USDC in a token account, by the chain. */
export async function chainBalance(tokenAccount: string, url?: string): Promise<bigint> {
  return BigInt((await rpc('getTokenAccountBalance', [tokenAccount, { commitment: 'confirmed' }], url)).value.amount);
}

/** The successful transactions that touched an address. */
export async function landedSignatures(address: string, url?: string): Promise<string[]> {
  const signatures: { signature: string; err: unknown }[] = await rpc(
    'getSignaturesForAddress',
    [address, { limit: 1000, commitment: 'confirmed' }],
    url,
  );
  return signatures.filter(({ err }) => err === null).map(({ signature }) => signature);
}

export const micro = (usdc: string): bigint => BigInt(usdc.replace('.', ''));

/** How many responses had each status. */
export function countByStatus(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Whether a response repeats the one of an earlier request with the same idempotency key. */
export function isReplay({ headers }: Answer): boolean {
  return headers.get('Idempotent-Replayed') === 'true';
}

/** The body without the id of its request, which no other response has. */
export function withoutRequestId({ body: { request_id: _id, ...body } }: Answer): Body {
  return body;
}

/** Deterministic numbers from 0 to 1, so that a failure can be repeated. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
