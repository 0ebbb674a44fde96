/** Random steps of charges and channel purses: a one-time key spends what an account set aside, without the program. */
import { createTransferCheckedInstruction } from '@solana/spl-token';
import { TestChannelPurse } from '../channel';
import { DECIMALS } from '../chain';
import { policyChecks, results, type Check, type ModelOrder } from './rules';
import { aSeq, book, spenderChecks, useSeq, type Maker } from './spending';
import type { ModelAccount, ModelChannelPurse, World } from './world';

/** The error of the token program for a frozen token account that is credited. */
export const FROZEN_DESTINATION = 'Custom(17)';

export const approveCharge: Maker = (world) => {
  const { random, now } = world;
  const account = world.anAccountWith(({ charge }) => charge === null);
  const [seq, amount, approved, purse] = [aSeq(world, account), random.amount(200), random.chance(0.2), random.chance(0.5)];
  const seconds = 1 + random.below(3_600);
  const delegate = random.oneOf(world.delegates).publicKey;
  const order: ModelOrder = { amount, single: amount, cap: purse ? amount : 0n, endsAt: now + seconds, approved };
  const checks = function* (): Generator<Check> {
    yield ['ChargeOpen', account.charge !== null];
    yield ['DelegateUsed', account.lastDelegate === delegate];
    yield* spenderChecks(account, seq);
    yield* policyChecks(world.judged(account), order, now);
  };
  return {
    name: `${purse ? 'purse' : 'charge'} of ${amount}`,
    instructions: [account.on.approveCharge({ seq, amount, approved, purse, expiresInSeconds: seconds, delegate })],
    expected: results(checks()),
    apply: () => {
      useSeq(account, seq);
      account.lastDelegate = delegate;
      account.charge = { seq, amount, used: 0n, deadline: now + seconds, delegate };
      book(world, account, (one, at) => one.reserve(amount, at));
    },
  };
};

/** The plain transfer that a provider takes. */
export const useCharge: Maker = (world) => {
  const account = world.anAccountWith(({ charge }) => charge !== null);
  if (!account.charge || account.isFrozen) return null;
  const { charge } = account;
  const amount = world.random.amount(Number(charge.amount));
  if (amount > charge.amount - charge.used || amount > account.balance) return null;
  const apply = () => {
    charge.used += amount;
    account.balance -= amount;
  };
  return { name: `use of ${amount}`, instructions: [account.on.useCharge(charge.delegate, amount)], expected: ['none'], apply };
};

export const finishCharge: Maker = (world) => {
  const account = world.anAccountWith(({ charge }) => charge !== null);
  const { charge } = account;
  const [seq, byAnyone] = [charge?.seq ?? account.highest, world.random.chance(0.4)];
  const closer = byAnyone ? world.chain.feePayer.publicKey : account.on.authority.publicKey;
  const expected = results([
    ['ChargeNotOpen', charge === null],
    ['ChargeInUse', byAnyone && world.now < (charge?.deadline ?? 0)],
    ['SourceFrozen', account.isFrozen],
  ]);
  const apply = () => endCharge(world, account);
  return { name: 'finishing a charge', instructions: [account.on.finishCharge(seq, { closer })], expected, apply };
};

/** Effect of pausing and of a new key on an open charge: while the token account is frozen, its deadline becomes now. */
export function endCharge(world: World, account: ModelAccount): void {
  const { charge } = account;
  if (!charge) return;
  if (account.isFrozen) {
    charge.deadline = Math.min(charge.deadline, world.now);
    return;
  }
  book(world, account, (one, at) => one.release(charge.amount, charge.used, at));
  account.charge = null;
}

export const fundChannel: Maker = (world) => {
  const { random, now } = world;
  const account = world.anAccount();
  if (!world.hasRoomForPurse(account)) return null;
  const [seq, amount, approved, seconds] = [aSeq(world, account), random.amount(200), random.chance(0.2), 1 + random.below(4 * 3_600)];
  const on = new TestChannelPurse(account.on, seq);
  const order: ModelOrder = { amount, single: amount, cap: amount, endsAt: now + seconds, approved };
  const checks = function* (): Generator<Check> {
    yield* spenderChecks(account, seq);
    yield* policyChecks(world.judged(account), order, now);
  };
  return {
    name: `channel purse of ${amount}`,
    instructions: on.fund({ microUsdc: amount, approved, expiresInSeconds: seconds }),
    expected: results(checks()),
    apply: () => {
      useSeq(account, seq);
      account.balance -= amount;
      book(world, account, (one, at) => one.reserve(amount, at));
      account.purses.push({ on, amount, held: amount, swept: 0n, deadline: now + seconds, isFinished: false, isFrozen: false });
    },
  };
};

function aPurse(world: World): { account: ModelAccount; purse: ModelChannelPurse } | undefined {
  const all = world.accounts.flatMap((account) => account.purses.map((purse) => ({ account, purse })));
  return all[world.random.below(all.length)];
}

/** The key pays a channel. What a channel pays back later comes without an instruction of ours: `disturb`. */
export const useChannelPurse: Maker = (world) => {
  const found = aPurse(world);
  if (!found || found.purse.isFrozen || found.purse.held === 0n) return null;
  const { purse, account } = found;
  const amount = world.random.amount(Number(purse.held));
  const { mint, payee } = account.on;
  const use = createTransferCheckedInstruction(purse.on.tokenAccount, mint, payee, purse.on.key.publicKey, amount, DECIMALS);
  const apply = () => void (purse.held -= amount);
  return { name: `use of ${amount} of a channel purse`, instructions: [use], expected: ['none'], apply };
};

/** By the authority, or by anyone after the deadline. */
function endingOf(world: World, { account, purse }: { account: ModelAccount; purse: ModelChannelPurse }, ...checks: Check[]) {
  const byAnyone = world.random.chance(0.4);
  const closer = byAnyone ? world.chain.feePayer.publicKey : account.on.authority.publicKey;
  const expected = results([
    ['ChannelInUse', byAnyone && world.now < purse.deadline],
    ...checks,
    ['SourceFrozen', purse.isFrozen],
    [FROZEN_DESTINATION, purse.held > 0n && account.isFrozen],
  ]);
  return { accounts: { closer }, expected };
}

function sweep(account: ModelAccount, purse: ModelChannelPurse): void {
  account.balance += purse.held;
  purse.swept += purse.held;
  purse.held = 0n;
}

export const sweepChannel: Maker = (world) => {
  const found = aPurse(world);
  if (!found) return null;
  const { account, purse } = found;
  const { accounts, expected } = endingOf(world, found);
  return { name: 'sweeping a channel purse', instructions: [purse.on.sweep(accounts)], expected, apply: () => sweep(account, purse) };
};

export const finishChannel: Maker = (world) => {
  const found = aPurse(world);
  if (!found) return null;
  const { account, purse } = found;
  const { accounts, expected } = endingOf(world, found, ['ChannelNotOpen', purse.isFinished]);
  return {
    name: 'finishing a channel purse',
    instructions: [purse.on.finish(accounts)],
    expected,
    apply: () => finish(world, account, purse),
  };
};

function finish(world: World, account: ModelAccount, purse: ModelChannelPurse): void {
  sweep(account, purse);
  const spent = purse.swept < purse.amount ? purse.amount - purse.swept : 0n;
  book(world, account, (one, at) => one.release(purse.amount, spent, at));
  purse.isFinished = true;
}

/** By the authority only. */
export const closeChannel: Maker = (world) => {
  const found = aPurse(world);
  if (!found) return null;
  const { account, purse } = found;
  const byAnyone = world.random.chance(0.2);
  const closer = byAnyone ? world.chain.feePayer.publicKey : account.on.authority.publicKey;
  const expected = results([
    ['ChannelInUse', byAnyone],
    ['SourceFrozen', purse.isFrozen],
    [FROZEN_DESTINATION, purse.held > 0n && account.isFrozen],
  ]);
  const apply = () => {
    if (purse.isFinished) sweep(account, purse);
    else finish(world, account, purse);
    account.purses = account.purses.filter((one) => one !== purse);
  };
  return { name: 'closing a channel purse', instructions: [purse.on.close({ closer })], expected, apply };
};
