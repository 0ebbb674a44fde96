/** The audit of a round: answers to clients, ledger, events, the shop and the chain, of every micro-USDC. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Api, Body } from '../support/api';
import { chainBalance, landedSignatures, micro, query, type TestAccount } from '../support/world';
import { FUNDS, type Parties, PRICE } from './parties';
import type { Site } from './site';

/** The longest wait until nothing is in flight. */
export const CALM_TIMEOUT_MS = 60_000;

/** The response, or undefined after a time-out. */
export type Answered = (asked: Promise<Answer>, timeoutMs?: number) => Promise<Answer | undefined>;

export interface Audited {
  settled: number;
  /** Accepted and neither settled nor rejected, or settled without a movement of money. */
  lost: number;
  /** More than one transaction or event for a transfer. */
  doubled: number;
  /** Accounts whose ledger differs from the chain. */
  drift: number;
  /** The problems; empty if there are none. */
  complaints: string[];
}

/** A fault of database or chain is a 503 with Retry-After, or a 202, and never another error. */
export function faultsOf(answers: Answer[], site: Site): string[] {
  const bad = answers.filter(({ status, headers }) => status === 500 || (status === 503 && headers.get('Retry-After') === null));
  const [first] = bad;
  if (!first) return [];
  const log = site.logFrom(first.headers.get('X-Request-Id') ?? 'none').join('\n');
  return [`bug: ${bad.length} of ${answers.length} answers, such as ${first.status} ${JSON.stringify(first.body)}: ${log}`];
}

/** Every call is paid once, and the end of the session pays the shop exactly that. */
export async function auditCalls(
  answered: Answered,
  site: Site,
  by: Api,
  { subscriber, sessionId, shop, provider }: Parties,
  calls: Body[],
  audited: Audited,
): Promise<void> {
  const until = async (path: string, body: Body | undefined, isDone: (body: Body) => boolean): Promise<Body> => {
    let answer: Answer | undefined;
    for (const end = performance.now() + CALM_TIMEOUT_MS; performance.now() < end; await pause(200)) {
      answer = await answered(by.post(path, body));
      if (answer && isDone(answer.body)) return answer.body;
    }
    return answer?.body;
  };
  const paid = await Promise.all(calls.map((call) => until('/v1/payments', call, ({ status }) => String(status).startsWith('paid'))));
  const session = await until(`/v1/sessions/${sessionId}/close`, undefined, ({ status }) => status === 'settled');
  const total = PRICE * BigInt(calls.length);
  const [left, earned] = [await chainBalance(subscriber.tokenAccount, site.chainUrl), await chainBalance(shop.tokenAccount, site.chainUrl)];
  const unpaid = paid.filter((body) => !String(body?.status).startsWith('paid'));
  if (unpaid.length > 0) audited.complaints.push(`lost: ${unpaid.length} calls are not paid: ${JSON.stringify(unpaid[0])}`);
  if (provider.differentCredentials > calls.length)
    audited.complaints.push(`doubled: ${provider.differentCredentials} credentials for ${calls.length} calls`);
  if (session?.settled_usdc !== undefined && micro(session.settled_usdc) !== total)
    audited.complaints.push(`${micro(session.settled_usdc) > total ? 'doubled' : 'lost'}: the session settled ${session.settled_usdc}`);
  if (earned !== total || left !== micro(`${FUNDS}.000000`) - total)
    audited.complaints.push(`drift: the shop has ${earned}, the subscriber ${left}`);
  provider.stop();
}

/** Compares the answers to clients, the ledger, the events and the chain. */
export async function audit(site: Site, { payers, payees }: Parties, orders: Body[], finals: (Answer | undefined)[]): Promise<Audited> {
  const complaints: string[] = [];
  const rows = (statement: string, values: unknown[]) => query(statement, values, site.databaseUrl);
  const count = { lost: 0, doubled: 0, drift: 0 };
  const complain = (kind: keyof typeof count, what: string): void => {
    count[kind]++;
    complaints.push(`${kind}: ${what}`);
  };

  const signatures = new Set<string>();
  for (const [index, final] of finals.entries()) {
    const { status, body } = final ?? { status: 0, body: {} };
    if (status !== 200 && !(status === 402 && body.rejection_reason))
      complain('lost', `${orders[index]?.idempotency_key} ended in ${status} ${JSON.stringify(body)}`);
    if (status !== 200) continue;
    if (signatures.has(body.tx_signature)) complain('doubled', `two transfers by ${body.tx_signature}`);
    signatures.add(body.tx_signature);
  }
  const onChain = (await Promise.all(payees.map(({ tokenAccount }) => landedSignatures(tokenAccount, site.chainUrl)))).flat();
  // The account's creation is also in its history.
  const paid = onChain.filter((signature) => signatures.has(signature));
  if (paid.length !== signatures.size) complain('lost', `${signatures.size} are settled and ${paid.length} are on chain`);
  if (onChain.length !== signatures.size + payees.length)
    complain('doubled', `${onChain.length - payees.length} transactions paid for ${signatures.size} transfers`);

  for (const account of [...payers, ...payees]) {
    const moved = await rows(
      `SELECT coalesce(sum(CASE WHEN account_id = $1 THEN -micro_usdc ELSE micro_usdc END), 0)::text AS sum FROM orders
        WHERE status = 'settled' AND (account_id = $1 OR destination_account_id = $1)`,
      [account.id],
    );
    const expected = BigInt(moved[0]?.sum) + (payers.includes(account) ? micro(`${FUNDS}.000000`) : 0n);
    const held = await chainBalance(account.tokenAccount, site.chainUrl);
    if (held !== expected) complain('drift', `${account.id} holds ${held} and should hold ${expected}`);
    for (const what of await eventFaults(rows, account)) complain(what.startsWith('no ') ? 'lost' : 'doubled', what);
  }
  return { settled: signatures.size, ...count, complaints };
}

/** Events and ledger entries that are missing or duplicated. */
async function eventFaults(rows: (statement: string, values: unknown[]) => Promise<Body[]>, { id }: TestAccount): Promise<string[]> {
  const events = await rows('SELECT sequence::int, type, data FROM events WHERE account_id = $1 ORDER BY sequence', [id]);
  const transfers = await rows(
    'SELECT id, status, (SELECT count(*)::int FROM ledger_entries WHERE order_id = orders.id AND account_id = $1) AS lines FROM orders WHERE account_id = $1',
    [id],
  );
  const eventCount = (transferId: string, type: string): number =>
    events.filter((event) => event.type === type && event.data.transfer_id === transferId).length;
  return [
    ...(events.every(({ sequence }, index) => sequence === index + 1) ? [] : [`no unbroken sequence of events of ${id}`]),
    ...transfers.flatMap((transfer) => {
      const settled = Number(transfer.status === 'settled');
      return [
        ...(eventCount(transfer.id, 'transfer.settled') < settled || eventCount(transfer.id, 'transfer.initiated') < settled
          ? [`no event of ${transfer.id}`]
          : []),
        ...(eventCount(transfer.id, 'transfer.settled') > settled || eventCount(transfer.id, 'transfer.initiated') > 1
          ? [`${transfer.id} has an event twice`]
          : []),
        ...(transfer.lines < 1 ? [`no line of history of ${transfer.id}`] : []),
      ];
    }),
  ];
}
