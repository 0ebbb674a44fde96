/** A processor of orders with a fake chain and store, for specs. Not part of the build. */
import { ExternalSigner, type LandedOrder, LocalSigner, type Outcome, type SimulationOutcome } from '#chain';
import { idBytes } from '#database';
import type { Account } from '../../accounts';
import { anAccount } from '../../accounts/account.builder';
import type { Attempt } from '../store/attempt.entity';
import { anOrder, CREATED_AT } from '../order.builder';
import type { Order } from '../order.entity';
import type { Landed } from '../order-handlers.service';
import { OrderApprovals } from '../approvals/order-approvals';
import { OrderLanding } from './order-landing';
import { OrderSimulator, type Simulated } from './order-simulator';
import { OrderTransitions } from './order-transitions';
import { OrderProcessor } from './order.processor';

export const RESIGN_FOR_SECONDS = 900;
const EXPIRES_AT = new Date(CREATED_AT.getTime() + 86_400_000);
export const ALLOWED: SimulationOutcome = { kind: 'allowed', policyVersion: 1n };
export const failed = (reason: string) => ({ kind: 'failed' as const, failure: { reason, detail: 'It failed' }, slot: 9 });
export const violation = (rule: 'paused' | 'escalation_threshold', more = {}) => ({
  kind: 'violation' as const,
  violation: { rule, policyVersion: 1n, ...more },
  slot: 9,
});
export const landed = (changes: Partial<LandedOrder> = {}): LandedOrder => ({
  kind: 'transfer',
  signature: 'Found',
  slot: 7,
  account: 'ChainAddress',
  seq: 7n,
  id: idBytes(anOrder().id),
  microUsdc: 1_000_000n,
  session: null,
  destination: 'TokenAccount',
  delegate: null,
  category: null,
  memoHash: null,
  deadline: null,
  opening: null,
  landedAt: null,
  ...changes,
});
export const attempt = (signature: string, feeLamports: bigint | null = 10_000n): Attempt => ({
  signature,
  orderId: anOrder().id,
  seq: 7n,
  bytes: Buffer.from(signature),
  lastValidBlockHeight: 100n,
  feeLamports,
  createdAt: CREATED_AT,
});
export const external = new ExternalSigner('Holder');

/** The answers in order, and the last one again and again. */
function answers<T>(list: T[]): () => T {
  const left = [...list];
  return () => (left.length > 1 ? left.shift() : left[0]) as T;
}

const orThrow = <T>(answer: T | Error): T => {
  if (answer instanceof Error) throw answer;
  return answer;
};

export interface Given {
  account?: Account;
  simulations?: (SimulationOutcome | Error)[];
  sent?: (Outcome | Error)[];
  lookedUp?: Record<string, Outcome | Error>;
  confirmed?: Outcome;
  attempts?: Attempt[];
  nonces?: (bigint | undefined)[];
  /** Nonces that are used on chain. Undefined: the account is not there. */
  used?: bigint[];
  /** The slot before which a node does not show that they are used. */
  shownFrom?: number;
  /** The highest of them. */
  highest?: bigint;
  /** The order as the state of the chain shows it to have landed. */
  shown?: Landed;
  history?: LandedOrder | null;
  currentKeys?: Account;
  unresolvedNonce?: boolean;
  backfilled?: string[];
  lost?: boolean;
  approver?: ExternalSigner;
  isApproved?: boolean;
  isWaiting?: boolean;
  signing?: Error;
  /** Transitions that another process was faster with. */
  taken?: string[];
  now?: Date;
}

/** A processor whose chain and store answer what is given, and note their calls. */
export function stage(given: Given = {}) {
  const calls: unknown[][] = [];
  const simulated: unknown[][] = [];
  const account = given.account ?? anAccount({ nextSeq: 5n, observedSlot: 3n });
  const approver = given.approver ?? LocalSigner.generate().signer;
  const [simulation, sent, nonce] = [given.simulations ?? [ALLOWED], given.sent ?? [{ kind: 'landed', slot: 9 }], given.nonces ?? [7n]].map(
    (list) => answers(list as unknown[]),
  ) as [() => SimulationOutcome | Error, () => Outcome | Error, () => bigint | undefined];
  const moved = (verb: string, order: Order, changes: Partial<Order>, ...more: unknown[]): Order | undefined => {
    calls.push([verb, ...more]);
    return given.taken?.includes(verb) ? undefined : { ...order, ...changes };
  };
  let current = anOrder();
  const instruction = {
    facts: () => ({}),
    simulate: async (...of: unknown[]) => {
      simulated.push(of);
      return orThrow(simulation());
    },
    sign: async (of: Account, by: unknown, seq: bigint) => {
      if (given.signing) throw given.signing;
      const signature = `Signed ${seq} ${of.authorityKey}${by === null ? '' : ' and approved'}`;
      return { signature, bytes: new Uint8Array(), lastValidBlockHeight: 1, feeLamports: 0n };
    },
  };
  const handler = {
    instruction: async () => instruction,
    initiated: (_order: Order, signature: string) => `initiated ${signature}`,
    settled: async (_order: Order, { signature }: { signature: string }) => `settled ${signature}`,
    declined: async (_order: Order, reason: string) => `declined ${reason}`,
    escalated: (_order: Order, threshold: bigint) => `escalated ${threshold}`,
  };
  const store = {
    find: async () => anOrder({ status: 'settled', signature: 'of another process' }),
    submit: async (order: Order, seq: bigint, { signature }: { signature: string }, effects: unknown) =>
      moved('submit', order, { status: 'submitted', seq, signature }, signature, effects),
    settle: async (order: Order, { signature }: { signature: string }, _at: Date, effects: unknown) =>
      moved('settle', order, { status: 'settled', signature }, effects),
    reject: async (order: Order, { rule }: { rule: string }, effects: unknown) =>
      moved('reject', order, { status: 'rejected' }, rule, effects),
    fail: async (order: Order, failure: { code: string }) => moved('fail', order, { status: 'failed' }, failure.code),
    escalate: async (order: Order, { mac }: { mac: string }, effects: unknown) =>
      moved('escalate', order, { status: 'pending_approval' }, mac, effects),
    unapprove: async () => moved('unapprove', current, { status: 'pending_approval', approved: false }),
    restart: async (order: Order) => moved('restart', order, { status: 'created' }),
    restartUnapproved: async (order: Order) => moved('restartUnapproved', order, { status: 'created', submittedAt: null, approved: false }),
    dropNonce: async (order: Order) => moved('dropNonce', order, { status: 'created', seq: null }),
    attempts: async () => given.attempts ?? [],
    approvalExpiry: () => EXPIRES_AT,
  };
  const nonces = {
    take: async () => nonce(),
    allocate: async () => nonce(),
    hasUnresolved: async () => given.unresolvedNonce ?? false,
  };
  const isUsed = (seq: bigint): boolean => given.used?.includes(seq) ?? false;
  const isBehind = (minContextSlot: number): boolean => minContextSlot < (given.shownFrom ?? 0);
  const chain = {
    accounts: {
      find: async (_address: string, minContextSlot = 0) =>
        given.used ? { highestSeq: given.highest ?? 20n, isNonceUsed: (seq: bigint) => !isBehind(minContextSlot) && isUsed(seq) } : null,
    },
    history: { findOrder: async () => given.history ?? null },
    orders: {
      settle: async ({ signature }: { signature: string }, _within: number, wasSent: () => void) => {
        calls.push(['send', signature]);
        wasSent();
        return orThrow(sent());
      },
      confirmNonceUsed: async () => given.confirmed ?? { kind: 'landed', slot: 9 },
      lookUp: async ({ signature }: { signature: string }) => orThrow(given.lookedUp?.[signature] ?? { kind: 'expired', asOfSlot: 7 }),
    },
  };
  const accounts = {
    findEver: async () => account,
    withCurrentKeys: async () => given.currentKeys,
    rewindNonces: async (_account: Account, highest: bigint) => void calls.push(['rewindNonces', highest]),
    raiseNonces: async (_id: string, highest: bigint) => void calls.push(['raiseNonces', highest]),
    noteMissing: async (id: string) => void calls.push(['noteMissing', id]),
    noteChange: async (_id: string, slot: number) => void calls.push(['noteChange', slot]),
    isExternal: () => approver === external,
    operatorOf: async () => approver,
  };
  const macs = {
    ofWaiting: () => 'mac',
    isApproved: () => given.isApproved ?? true,
    isWaiting: () => given.isWaiting ?? true,
    approval: (_order: Order, _instruction: unknown, _account: Account, by: object) => ({ ...by, mac: 'mac' }),
  };
  const passed: string[] = [];
  const clock = { now: () => given.now ?? CREATED_AT };
  const handlers = { of: () => handler };
  const backfill = { run: async () => given.backfilled ?? [], lostFor: async () => (given.lost ? {} : undefined) };
  const failpoints = { pass: (point: string) => passed.push(point) };
  const simulator = made(OrderSimulator, chain, accounts, nonces, macs);
  const transitions = made(OrderTransitions, clock, store, handlers, { factsOf: async () => ({}) }, macs, failpoints);
  const landing = made(OrderLanding, chain, accounts, store, backfill, { landed: async () => given.shown }, transitions, failpoints);
  const processor = made(
    OrderProcessor,
    ...[
      { RESIGN_FOR_SECONDS },
      clock,
      chain,
      accounts,
      store,
      store,
      nonces,
      handlers,
      backfill,
      simulator,
      transitions,
      landing,
      failpoints,
    ],
  );
  return {
    approvals: made(OrderApprovals, clock, chain, accounts, nonces, handlers, macs, simulator),
    transitions,
    instruction,
    calls,
    simulated,
    passed,
    run: async (
      changes: Partial<Order> = {},
      { known, withinMs = 10_000 }: { known?: Simulated; withinMs?: number } = {},
    ): Promise<Order> => {
      current = anOrder(changes);
      return processor.run(current, performance.now() + withinMs, known);
    },
  };
}

/** An instance with fakes of what it is made of. */
function made<Made>(type: new (...parts: never[]) => Made, ...parts: unknown[]): Made {
  return new type(...(parts as never[]));
}
