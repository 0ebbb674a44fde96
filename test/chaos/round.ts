/** One round: transfers, calls and charges under load, faults during it, and then the audit of every micro-USDC. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { api, type Answer, type Api, type Body } from '../support/api';
import { anAccount, chainBalance, landedSignatures, micro, query, rpc, setPolicy, type TestAccount } from '../support/world';
import { RogueProvider } from '../support/rogue-provider';
import { FAULTS, type Fault } from './faults';
import type { Site } from './site';
import { ChargeSeller } from './charge-seller';
import { X402Customers } from './x402-customers';

const ORDERS = 30;
/** Calls of a paid API through one session. */
const CALLS = 10;
const PRICE = 10_000n;
/** Orders are spread over this time, and the faults fall into it. */
const LOAD_MS = 1_200;
const FUNDS = '1000';
const ANSWER_TIMEOUT_MS = 15_000;
/** An account's charges run one after the other: the faults end before the last of them. */
const CHARGE_TIMEOUT_MS = 2_500;
const CALM_TIMEOUT_MS = 60_000;
/** After this time, transactions whose blockhash was valid during the round can no longer land. */
const EXPIRY_AFTER_MS = 1_500;
const EXPIRY_SLOTS = 200;

export interface Round {
  seed: number;
  faults: string[];
  transfers: number;
  settled: number;
  /** Accepted and neither settled nor rejected, or settled without a movement of money. */
  lost: number;
  /** More than one transaction or event for a transfer. */
  doubled: number;
  payments: number;
  /** Accounts whose ledger differs from the chain. */
  drift: number;
  /** From the last kill until nothing is in flight, if a process was killed. */
  settledAfterMs: number | undefined;
  /** The problems; empty if there are none. */
  complaints: string[];
}

interface Parties {
  /** Without limits, with a daily limit that is reached, and with an approval threshold. */
  payers: TestAccount[];
  payees: TestAccount[];
  /** Calls the shop's paid API through its session. */
  subscriber: TestAccount;
  sessionId: string;
  shop: TestAccount;
  provider: RogueProvider;
  chargeSeller: ChargeSeller;
  x402Customers: X402Customers;
}

export async function runRound(site: Site, seed: number, chosen?: Fault[]): Promise<Round> {
  const random = numbers(seed);
  const faults = chosen ?? pick(random);
  const operator = (which = 0): Api => api(site.baseUrl(which), site.operatorKey);
  const parties = await prepare(operator(), site);
  const orders = Array.from({ length: ORDERS }, () => anOrder(parties, random));
  const calls = Array.from({ length: CALLS }, () => aCall(parties));
  const charges = parties.chargeSeller.orders;
  const x402 = parties.x402Customers.orders;
  const answers: Answer[] = [];
  const answered: Answered = (asked, timeoutMs = ANSWER_TIMEOUT_MS) => {
    const kept = asked.then((answer) => (answers.push(answer), answer)).catch(() => undefined);
    return Promise.race([kept, pause(timeoutMs, undefined, { ref: false })]);
  };

  let killedAt: number | undefined;
  const inflicting = faults.map(async (fault) => {
    await pause(100 + random() * (LOAD_MS - 200));
    await fault.inflict(site, random);
    if (fault.kills) killedAt = performance.now();
  });
  // Every third order is requested twice at once, from both processes.
  await Promise.all([
    ...calls.map(async (call, index) => {
      await pause((index / CALLS) * LOAD_MS);
      await answered(operator(index).post('/v1/payments', call));
    }),
    ...charges.map(async (charge, index) => {
      await pause((index / charges.length) * LOAD_MS);
      await answered(operator(index).post('/v1/payments', charge), CHARGE_TIMEOUT_MS);
    }),
    ...x402.map(async (payment, index) => {
      // Two at a time.
      await pause((Math.floor(index / 2) / (x402.length / 2)) * LOAD_MS);
      await answered(operator(index).post('/v1/payments', payment), CHARGE_TIMEOUT_MS);
    }),
    ...orders.map(async (order, index) => {
      await pause((index / ORDERS) * LOAD_MS);
      const processes = index % 3 === 0 ? [0, 1] : [index];
      await Promise.all(processes.map((which) => give(answered, operator(which), order)));
    }),
  ]);
  await Promise.all(inflicting);
  await site.heal();
  await calm(site);
  const settledAfterMs = killedAt === undefined ? undefined : Math.round(performance.now() - killedAt);
  // Requests without an answer are repeated with the same key.
  const finals = await Promise.all(orders.map((order, index) => insist(() => give(answered, operator(index), order))));
  const charged = await Promise.all(charges.map((charge, index) => insist(() => answered(operator(index).post('/v1/payments', charge)))));
  const x402Paid = await Promise.all(
    x402.map((payment, index) => insist(() => answered(operator(index).post('/v1/payments', payment)), X402Customers.isFinal)),
  );
  const audited = await audit(site, parties, orders, finals);
  await auditCalls(answered, site, operator(), parties, calls, audited);
  audited.complaints.push(...faultsOf(answers, site), ...site.deadProcesses());
  audited.complaints.push(...(await parties.chargeSeller.audit(charged)), ...(await parties.x402Customers.audit(operator(), x402Paid)));
  for (const kind of ['lost', 'doubled', 'drift'] as const)
    audited[kind] = audited.complaints.filter((complaint) => complaint.startsWith(kind)).length;
  return {
    seed,
    faults: faults.map(({ name }) => name),
    transfers: orders.length,
    payments: calls.length + charges.length + x402.length,
    settledAfterMs,
    ...audited,
  };
}

async function prepare(by: Api, site: Site): Promise<Parties> {
  const payers = await Promise.all([1, 2, 3].map(() => anAccount({ usdc: FUNDS, by })));
  const [, limited, watched] = payers;
  if (limited) await setPolicy(limited, { max_daily_spend: 20 }, by);
  if (watched) await setPolicy(watched, { escalation_threshold: 4 }, by);
  const [subscriber, shop, chargeSeller, x402Customers] = await Promise.all([
    anAccount({ usdc: FUNDS, by }),
    anAccount({ by }),
    ChargeSeller.open(by, site),
    X402Customers.open(by, site),
  ]);
  const provider = new RogueProvider(shop.address, () => site.money);
  provider.price = PRICE;
  await provider.start();
  const { body } = await by.post('/v1/sessions', {
    account_id: subscriber.id,
    provider: provider.url,
    payee: shop.address,
    cap: '1',
    idempotency_key: randomUUID(),
  });
  return {
    payers,
    payees: await Promise.all([1, 2].map(() => anAccount({ by }))),
    subscriber,
    sessionId: body.session_id,
    shop,
    provider,
    chargeSeller,
    x402Customers,
  };
}

/** Distinct amounts, so that a lost one and a doubled one never cancel out. */
function aCall({ subscriber, sessionId, provider }: Parties): Body {
  return {
    account_id: subscriber.id,
    session_id: sessionId,
    idempotency_key: randomUUID(),
    max_amount: '0.01',
    request: { method: 'GET', url: provider.url },
  };
}

function anOrder({ payers, payees }: Parties, random: () => number): Body {
  const one = <T>(of: T[]): T => of[Math.floor(random() * of.length)] as T;
  const amount = `${1 + Math.floor(random() * 5)}.${String(Math.floor(random() * 1e6)).padStart(6, '0')}`;
  return { from: one(payers).id, to: one(payees).id, amount, idempotency_key: randomUUID() };
}

/** Sends an order as a client does, and approves it if it waits; undefined without an answer. */
async function give(answered: Answered, by: Api, order: Body): Promise<Answer | undefined> {
  const answer = await answered(by.post('/v1/transfers', order));
  if (answer?.body.status !== 'pending_approval') return answer;
  return answered(by.post(`/v1/transfers/${answer.body.transfer_id}/approve`));
}

/** The response, or undefined after a time-out. */
type Answered = (asked: Promise<Answer>, timeoutMs?: number) => Promise<Answer | undefined>;

/** A fault of database or chain is a 503 with Retry-After, or a 202, and never another error. */
function faultsOf(answers: Answer[], site: Site): string[] {
  const bad = answers.filter(({ status, headers }) => status === 500 || (status === 503 && headers.get('Retry-After') === null));
  const [first] = bad;
  if (!first) return [];
  const log = site.logFrom(first.headers.get('X-Request-Id') ?? 'none').join('\n');
  return [`bug: ${bad.length} of ${answers.length} answers, such as ${first.status} ${JSON.stringify(first.body)}: ${log}`];
}

/** Repeats the request until the order is final. */
async function insist(ask: () => Promise<Answer | undefined>, isFinal = isSettledOrDeclined): Promise<Answer | undefined> {
  let answer: Answer | undefined;
  for (const until = performance.now() + CALM_TIMEOUT_MS; performance.now() < until; await pause(200)) {
    answer = await ask();
    if (isFinal(answer)) return answer;
  }
  return answer;
}

const isSettledOrDeclined = (answer: Answer | undefined): boolean => answer !== undefined && [200, 402].includes(answer.status);

/** Until nothing is in flight, including credentials that a provider never used. */
async function calm(site: Site): Promise<void> {
  let expiry = performance.now() + EXPIRY_AFTER_MS;
  for (const until = performance.now() + CALM_TIMEOUT_MS; performance.now() < until; await pause(100)) {
    if (performance.now() > expiry) {
      await rpc('sandbox_advanceSlots', [{ slots: EXPIRY_SLOTS }], site.chainUrl);
      expiry = Infinity;
    }
    const [row] = await query(
      `SELECT (SELECT count(*) FROM orders WHERE status IN ('created', 'submitted'))::int + (SELECT count(*) FROM payments WHERE status IN ('created', 'unknown'))::int + (SELECT count(*) FROM open_charges WHERE payment_id IS NOT NULL)::int AS count`,
      [],
      site.databaseUrl,
    );
    if (row?.count === 0) return;
  }
}

type Audited = Pick<Round, 'settled' | 'lost' | 'doubled' | 'drift' | 'complaints'>;

/** Every call is paid once, and the end of the session pays the shop exactly that. */
async function auditCalls(
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
async function audit(site: Site, { payers, payees }: Parties, orders: Body[], finals: (Answer | undefined)[]): Promise<Audited> {
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
      `SELECT coalesce(sum(CASE WHEN account_id = $1 THEN -micro_usdc ELSE micro_usdc END), 0)::text AS sum FROM orders WHERE status = 'settled' AND (account_id = $1 OR destination_account_id = $1)`,
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

/** One fault or two. */
function pick(random: () => number): Fault[] {
  const faults = [...FAULTS].sort(() => random() - 0.5);
  return faults.slice(0, random() < 0.6 ? 2 : 1);
}

/** Deterministic numbers from 0 to 1 for a seed. Neighbouring seeds differ. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
