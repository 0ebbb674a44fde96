/** One round: transfers, calls and charges under load, faults during it, and then the audit of every micro-USDC. */
import { setTimeout as pause } from 'node:timers/promises';
import { api, type Answer, type Api, type Body } from '../support/api';
import { query, rpc } from '../support/world';
import { type Answered, type Audited, audit, auditCalls, CALM_TIMEOUT_MS, faultsOf } from './audit';
import { FAULTS, type Fault } from './faults';
import { aCall, anOrder, prepare } from './parties';
import type { Site } from './site';
import { X402Customers } from './x402-customers';

const ORDERS = 30;
/** Calls of a paid API through one session. */
const CALLS = 10;
/** Orders are spread over this time, and the faults fall into it. */
const LOAD_MS = 1_200;
const ANSWER_TIMEOUT_MS = 15_000;
/** An account's charges run one after the other: the faults end before the last of them. */
const CHARGE_TIMEOUT_MS = 2_500;
/** After this time, transactions whose blockhash was valid during the round can no longer land. */
const EXPIRY_AFTER_MS = 1_500;
const EXPIRY_SLOTS = 200;

export interface Round extends Audited {
  seed: number;
  faults: string[];
  transfers: number;
  payments: number;
  /** From the last kill until nothing is in flight, if a process was killed. */
  settledAfterMs: number | undefined;
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

/** Sends an order as a client does, and approves it if it waits; undefined without an answer. */
async function give(answered: Answered, by: Api, order: Body): Promise<Answer | undefined> {
  const answer = await answered(by.post('/v1/transfers', order));
  if (answer?.body.status !== 'pending_approval') return answer;
  return answered(by.post(`/v1/transfers/${answer.body.transfer_id}/approve`));
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
