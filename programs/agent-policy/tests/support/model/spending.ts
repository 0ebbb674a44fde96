/** Random steps that spend or reserve, and that end what is reserved. */
import type { TransactionInstruction } from '@solana/web3.js';
import type { Accounts } from '../account-instructions';
import { TestSession } from '../session';
import { policyChecks, results, type Check, type ModelOrder } from './rules';
import { WINDOW, type ModelAccount, type ModelSession, type World } from './world';

/** A random instruction, the results that it may have, and what changes if it succeeds. */
export interface Step {
  name: string;
  instructions: TransactionInstruction[];
  expected: string[];
  apply: () => void;
}

/** Null if there is nothing to do it with. */
export type Maker = (world: World) => Step | null;

const CLAIM_SECONDS = 90 * 86_400;

/** Mostly the next nonce; else an old one, a gap, or one at an edge of the nonce window. */
export function aSeq({ random }: World, { highest }: ModelAccount): bigint {
  if (random.chance(0.95)) return highest + 1n;
  const gap = BigInt(random.below(1_100));
  const edges: [bigint, ...bigint[]] = [0n, highest, highest + WINDOW, highest + WINDOW + 1n, highest - WINDOW + 1n, highest - WINDOW];
  const seq = random.chance(0.4) ? random.oneOf(edges) : random.chance(0.7) ? highest - gap : highest + gap;
  return seq < 0n ? 0n : seq;
}

/** The fleet left out or another one named, once in a while. */
function aDisguise(world: World, { fleet }: ModelAccount): { accounts: Accounts; error: string } | undefined {
  if (!world.random.chance(0.01)) return undefined;
  const other = world.aFleet();
  if (fleet && world.random.chance(0.5)) return { accounts: { fleet: undefined, fleet_policy: undefined }, error: 'FleetMissing' };
  if (fleet === other) return undefined;
  return { accounts: { fleet: other.on.address, fleet_policy: other.on.policy }, error: 'WrongFleet' };
}

/** The checks before those of the policy. */
export function* spenderChecks({ on, highest, used, isFrozen }: ModelAccount, seq: bigint): Generator<Check> {
  yield ['KeysNotDistinct', areKeysEqual(on)];
  yield ['SeqTooFar', seq > highest + WINDOW];
  yield ['SeqTooOld', seq === 0n || seq + WINDOW <= highest];
  yield ['AlreadyExecuted', used.has(seq)];
  yield ['SourceFrozen', isFrozen];
}

export const areKeysEqual = ({ operator, authority }: ModelAccount['on']): boolean => operator.publicKey.equals(authority.publicKey);

export function useSeq(account: ModelAccount, seq: bigint): void {
  account.used.add(seq);
  if (seq > account.highest) account.highest = seq;
  account.on.seq = account.highest;
  if (account.used.size > 3_000) account.used = new Set([...account.used].filter((one) => one + WINDOW > account.highest));
}

export function book(world: World, account: ModelAccount, change: (book: ModelAccount['book'], now: number) => void): void {
  const { now } = world;
  change(account.book, now);
  if (account.fleet) change(account.fleet.book, now);
}

export const pay: Maker = (world) => {
  const { random, now } = world;
  const from = world.anAccount();
  const to = random.chance(0.2) ? world.anAccount() : null;
  const [seq, approved] = [aSeq(world, from), random.chance(0.2)];
  const amount = random.chance(0.03) ? random.amount(20_000) : random.amount(150);
  const disguise = aDisguise(world, from);
  const order: ModelOrder = { amount, single: amount, approved };
  const checks = function* (): Generator<Check> {
    if (disguise) yield [disguise.error, true];
    yield* spenderChecks(from, seq);
    yield ['DestinationIsSource', from === to];
    yield ['DestinationFrozen', to?.isFrozen ?? false];
    yield* policyChecks(world.judged(from), order, now);
  };
  const destination = to?.on.tokenAccount ?? from.on.payee;
  return {
    name: `transfer of ${amount} by nonce ${seq}${approved ? ', approved' : ''}`,
    instructions: [from.on.transfer({ seq, amount, approved, destination }, disguise?.accounts)],
    expected: results(checks()),
    apply: () => {
      useSeq(from, seq);
      from.balance -= amount;
      if (to) to.balance += amount;
      book(world, from, (one, at) => one.record(amount, at));
    },
  };
};

export const openSession: Maker = (world) => {
  const { random, now } = world;
  const account = world.anAccount();
  if (!world.hasRoomForSession(account)) return null;
  const [seq, cap, approved] = [aSeq(world, account), random.amount(400), random.chance(0.2)];
  const [seconds, grace] = [60 + random.below(4 * 3_600), random.chance(0.5) ? 0 : random.below(3_600)];
  const payee = random.oneOf(world.payees as [ModelSession['payee']]);
  const session = new TestSession(account.on, seq, payee.key);
  const order: ModelOrder = { amount: cap, cap, endsAt: now + seconds, approved };
  const checks = function* (): Generator<Check> {
    yield ['DestinationFrozen', payee.isFrozen];
    yield* spenderChecks(account, seq);
    yield* policyChecks(world.judged(account), order, now);
  };
  return {
    name: `session with a cap of ${cap}`,
    instructions: [session.open({ cap, seq, approved, expiresInSeconds: seconds, graceSeconds: grace })],
    expected: results(checks()),
    apply: () => {
      useSeq(account, seq);
      account.balance -= cap;
      book(world, account, (one, at) => one.reserve(cap, at));
      const times = { grace, expiresAt: now + seconds, since: 0 };
      account.sessions.push({ on: session, payee, cap, settled: 0n, proven: 0n, status: 'open', ...times });
    },
  };
};

export const topUp: Maker = (world) => {
  const { random, now } = world;
  const found = aSession(world);
  if (!found) return null;
  const { account, session } = found;
  const [seq, amount, approved] = [aSeq(world, account), random.amount(100), random.chance(0.2)];
  const cap = session.cap + amount;
  const checks = function* (): Generator<Check> {
    yield ['SessionNotOpen', session.status !== 'open'];
    yield ['SessionExpired', now >= session.expiresAt];
    yield* spenderChecks(account, seq);
    yield* policyChecks(world.judged(account), { amount, cap, escalation: cap, approved }, now);
  };
  return {
    name: `top-up of ${amount}`,
    instructions: [session.on.topUp({ seq, amount, approved })],
    expected: results(checks()),
    apply: () => {
      useSeq(account, seq);
      account.balance -= amount;
      session.cap = cap;
      book(world, account, (one, at) => one.reserve(amount, at));
    },
  };
};

function aSession(world: World): { account: ModelAccount; session: ModelSession } | undefined {
  const all = world.accounts.flatMap((account) => account.sessions.map((session) => ({ account, session })));
  return all[world.random.below(all.length)];
}

/** Proves a voucher, and pays what is due if the payee can receive. Returns what was paid. */
function settle(world: World, account: ModelAccount, session: ModelSession, voucher: bigint | null): bigint {
  if (voucher !== null && session.status !== 'owed' && voucher > session.proven) session.proven = voucher;
  if (session.payee.isFrozen) return 0n;
  const due = session.proven - session.settled;
  session.settled = session.proven;
  session.payee.paid += due;
  if (due > 0n && session.status !== 'owed') book(world, account, (one, at) => one.release(due, due, at));
  return due;
}

const aVoucher = ({ random }: World, { cap }: ModelSession): bigint | null =>
  random.chance(0.3) ? null : random.chance(0.05) ? cap + 1n : random.amount(Number(cap));

/** The amount that is due after a voucher, and whether it was proven by it. */
function due({ status, proven, settled }: ModelSession, voucher: bigint | null): { amount: bigint; isNew: boolean } {
  const isNew = voucher !== null && status !== 'owed' && voucher > proven;
  return { amount: (isNew ? voucher : proven) - settled, isNew };
}

const isAboveCap = ({ cap, status }: ModelSession, voucher: bigint | null): boolean =>
  status !== 'owed' && voucher !== null && voucher > cap;

export const settleSession: Maker = (world) => {
  const found = aSession(world);
  if (!found) return null;
  const { account, session } = found;
  const voucher = aVoucher(world, session);
  const { amount, isNew } = due(session, voucher);
  const expected = results([
    ['VoucherAboveCap', isAboveCap(session, voucher)],
    ['PayeeBlocked', amount > 0n && session.payee.isFrozen && !isNew],
  ]);
  const apply = () => void settle(world, account, session, voucher);
  return { name: `settling ${voucher}`, instructions: session.on.settle(voucher), expected, apply };
};

/** Closing by the authority, or by anyone after the grace period. */
export const closeSession: Maker = (world) => {
  const { random, now } = world;
  const found = aSession(world);
  if (!found) return null;
  const { account, session } = found;
  const voucher = aVoucher(world, session);
  const [byAnyone, consent] = [random.chance(0.4), random.chance(0.2)];
  const from = session.status === 'closing' ? Math.min(session.since, session.expiresAt) : session.expiresAt;
  const isOver = session.status === 'owed' || now >= from + session.grace;
  const closesNow = byAnyone || isOver || consent || session.grace === 0;
  const { amount } = due(session, voucher);
  const isBlocked = amount > 0n && session.payee.isFrozen;
  const refund = session.status === 'owed' ? 0n : session.cap - session.settled - amount;
  const expected = results([
    ['SessionInUse', byAnyone && !isOver],
    ['VoucherAboveCap', isAboveCap(session, voucher)],
    ['PayeeBlocked', isBlocked && session.status === 'owed'],
    ['SourceFrozen', closesNow && account.isFrozen && refund > 0n],
  ]);
  const apply = () => {
    settle(world, account, session, voucher);
    if (!closesNow) {
      if (session.status === 'open') [session.status, session.since] = ['closing', now];
      return;
    }
    const owed = session.proven - session.settled;
    if (session.status !== 'owed') {
      book(world, account, (one, at) => one.release(session.cap - session.settled, owed, at));
      account.balance += refund;
    }
    if (owed > 0n) [session.status, session.since] = ['owed', now];
    else account.sessions = account.sessions.filter((one) => one !== session);
  };
  const instructions = byAnyone ? session.on.closeExpired(voucher) : session.on.close(voucher, { consent });
  return { name: `closing with ${voucher}`, instructions, expected, apply };
};

export const writeOff: Maker = (world) => {
  const found = aSession(world);
  if (!found) return null;
  const { account, session } = found;
  const owed = session.proven - session.settled;
  const expected = results([
    ['SessionNotOwed', session.status !== 'owed'],
    ['ClaimNotExpired', world.now < session.since + CLAIM_SECONDS],
    ['PayeeCanReceive', owed === 0n || !session.payee.isFrozen],
    ['SourceFrozen', account.isFrozen],
  ]);
  const apply = () => {
    account.balance += owed;
    account.sessions = account.sessions.filter((one) => one !== session);
  };
  return { name: `writing off ${owed}`, instructions: [session.on.writeOff()], expected, apply };
};
