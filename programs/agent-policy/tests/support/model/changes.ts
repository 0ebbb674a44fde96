/** Random steps that change who decides, and what is allowed. */
import type { PolicyChange } from '../../../../../libs/chain/src/policy/policy.types';
import type { Limits } from '../fleet';
import { TestFleet } from '../fleet';
import { results, NO_POLICY, type ModelLimits, type ModelPolicy } from './rules';
import { endCharge } from './allowances';
import { areKeysEqual, type Maker } from './spending';
import type { World } from './world';

/** Limits that bind now and then; each is lifted more often than it is set. */
function aChange({ random, now }: World, lifetime: bigint): PolicyChange {
  const amountOrNone = (most: number) => (random.chance(0.5) ? null : random.amount(most));
  const open = { paused: false, validUntil: null, maxLifetimeSpend: null };
  return random.oneOf<() => PolicyChange>([
    () => ({ paused: true }),
    () => ({ paused: false }),
    () => ({ ...open }),
    () => ({ ...open, maxSingleTransfer: amountOrNone(200), maxSessionCap: amountOrNone(400) }),
    () => ({ ...open, escalationThreshold: amountOrNone(200) }),
    () => ({ ...open, approvalAboveDailySum: amountOrNone(800) }),
    () => ({ ...open, maxDailySpend: amountOrNone(1_200) }),
    () => ({ ...open, maxDailySpend: random.amount(1_200), maxMonthlySpend: null }),
    () => ({ ...open, maxDailySpend: null, maxMonthlySpend: amountOrNone(8_000) }),
    () => ({ validUntil: new Date((now + random.below(40_000)) * 1000) }),
    () => ({ maxLifetimeSpend: lifetime + random.amount(2_000) }),
  ])();
}

const changed = (policy: ModelPolicy | null, change: PolicyChange): ModelPolicy => {
  const before = policy ?? NO_POLICY;
  return { ...before, ...change, version: before.version + 1n };
};

export const changePolicy: Maker = (world) => {
  const account = world.anAccount();
  const change = aChange(world, account.book.lifetime);
  const isPause = change.paused === true;
  const expectedVersion = isPause ? null : (account.policy?.version ?? 0n);
  const apply = () => {
    account.policy = changed(account.policy, change);
    world.sync(account);
    if (isPause) endCharge(world, account);
  };
  const name = `policy of an account: ${Object.keys(change).join()}`;
  return { name, instructions: [account.on.setPolicy(change, { expectedVersion })], expected: ['none'], apply };
};

export const endPolicy: Maker = (world) => {
  const account = world.anAccount();
  if (!account.policy) return null;
  const apply = () => {
    account.policy = null;
    world.sync(account);
  };
  const expected = results([['FleetMissing', account.fleet === null]]);
  return { name: 'end of a policy', instructions: [account.on.endPolicy(account.policy.version)], expected, apply };
};

/** By the operator, or by the guardian, which only pauses. */
export const changeFleetPolicy: Maker = (world) => {
  const fleet = world.aFleet();
  const change = aChange(world, world.membersOf(fleet)[0]?.book.lifetime ?? 0n);
  const byGuardian = world.random.chance(0.2);
  const operator = byGuardian ? fleet.on.guardian?.publicKey : fleet.on.operator.publicKey;
  const expected = results([['WrongOperator', byGuardian && change.paused !== true]]);
  const apply = () => {
    fleet.policy = changed(fleet.policy, change);
  };
  const name = `policy of a fleet: ${Object.keys(change).join()}`;
  return { name, instructions: [fleet.on.setPolicy(change, { operator })], expected, apply };
};

export const changeLimits: Maker = (world) => {
  const { random } = world;
  const fleet = world.aFleet();
  const limit = (most: number) => (random.chance(0.3) ? null : random.amount(most));
  const limits = random.oneOf<() => Limits>([
    () => ({ daily: limit(1_000) }),
    () => ({ monthly: limit(8_000) }),
    () => ({ lifetime: random.chance(0.6) ? null : fleet.book.lifetime + random.amount(1_500) }),
  ])();
  const apply = () => {
    fleet.limits = { ...fleet.limits, ...(limits as Partial<ModelLimits>) };
  };
  return { name: 'limits of a fleet', instructions: [fleet.on.setLimits(limits)], expected: ['none'], apply };
};

/** By the operator, the guardian or a stranger. */
export const join: Maker = (world) => {
  const { random, chain } = world;
  const [account, fleet] = [world.anAccountWith((one) => one.fleet === null), world.aFleet()];
  const isStranger = random.chance(0.1);
  const signer = isStranger ? chain.feePayer : ((random.chance(0.5) ? fleet.on.guardian : null) ?? fleet.on.operator);
  const isForeign = !account.on.operator.publicKey.equals(fleet.on.operator.publicKey);
  const expected = results([
    ['InFleet', account.fleet !== null],
    ['AmountsReserved', account.book.reserved > 0n],
    ['WrongOperator', isStranger || isForeign],
  ]);
  const apply = () => {
    account.fleet = fleet;
    world.sync(account);
  };
  return { name: 'joining', instructions: [fleet.on.join(account.on, { operator: signer.publicKey })], expected, apply };
};

export const leave: Maker = (world) => {
  const account = world.anAccountWith(({ fleet }) => fleet !== null);
  const expected = results([
    ['FleetMissing', account.fleet === null],
    ['AmountsReserved', account.book.reserved > 0n],
    ['KeysNotDistinct', areKeysEqual(account.on)],
  ]);
  const apply = () => {
    account.fleet = null;
    account.policy ??= { ...NO_POLICY, version: 1n, paused: true };
    world.sync(account);
  };
  return { name: 'leaving', instructions: [account.on.leaveFleet()], expected, apply };
};

/** Of an account alone, or of a fleet with all its members; sometimes to a key that has another role. */
export const handOver: Maker = (world) => {
  const { random } = world;
  const account = world.anAccount();
  const to = random.chance(0.1) ? account.on.authority : random.oneOf(world.operators);
  const expected = results([
    ['InFleet', account.fleet !== null],
    ['KeysNotDistinct', to === account.on.authority],
  ]);
  const apply = () => {
    account.on.operator = to;
    endCharge(world, account);
  };
  return { name: 'hand-over of an account', instructions: [account.on.setOperator(to.publicKey)], expected, apply };
};

export const handOverFleet: Maker = (world) => {
  const { random } = world;
  const fleet = world.aFleet();
  const { guardian } = fleet.on;
  const [member] = world.membersOf(fleet);
  const isMembers = random.chance(0.1) && member !== undefined;
  const to = isMembers ? member.on.authority : guardian && random.chance(0.1) ? guardian : random.oneOf(world.operators);
  const apply = () => {
    fleet.on.operator = to;
    for (const one of world.membersOf(fleet)) world.sync(one);
  };
  const expected = results([['KeysNotDistinct', to === guardian]]);
  return { name: 'hand-over of a fleet', instructions: [fleet.on.setOperator(to.publicKey)], expected, apply };
};

export const rotateAuthority: Maker = (world) => {
  const account = world.anAccount();
  const authority = world.chain.aKey();
  const apply = () => {
    account.on.authority = authority;
    endCharge(world, account);
  };
  return { name: 'rotation', instructions: [account.on.rotateAuthority(authority.publicKey)], expected: ['none'], apply };
};

export const createAccount: Maker = (world) => {
  if (!world.hasRoom.account) return null;
  const fleet = world.random.chance(0.5) ? world.aFleet() : null;
  const account = world.aPlan(fleet?.on.operator ?? world.anOperator());
  const apply = () => world.deposit(world.addAccount(account, fleet), 5_000n);
  return { name: 'a new account', instructions: [fleet ? fleet.on.createIn(account) : account.create()], expected: ['none'], apply };
};

export const closeAccount: Maker = (world) => {
  if (world.accounts.length < 3) return null;
  const account = world.anAccount();
  const destination = world.random.chance(0.9) ? account.on.payee : undefined;
  const isEmpty =
    account.book.reserved === 0n &&
    account.sessions.length + account.purses.length === 0 &&
    (account.balance === 0n || destination !== undefined);
  const expected = results([
    ['SourceFrozen', account.isFrozen],
    ['AccountInUse', !isEmpty],
  ]);
  const apply = () => {
    world.accounts = world.accounts.filter((one) => one !== account);
  };
  return { name: 'closing an account', instructions: [account.on.close({ destination })], expected, apply };
};

export const createFleet: Maker = (world) => {
  if (!world.hasRoom.fleet) return null;
  const limits = { daily: world.random.amount(10_000) };
  const fleet = new TestFleet(world.chain, { operator: world.anOperator(), limits });
  return { name: 'a new fleet', instructions: [fleet.create()], expected: ['none'], apply: () => world.addFleet(fleet, limits) };
};

export const closeFleet: Maker = (world) => {
  const fleet = world.aFleet();
  if (world.fleets.length === 1) return null;
  const isInUse = world.membersOf(fleet).length > 0;
  const apply = () => {
    world.fleets = world.fleets.filter((one) => one !== fleet);
  };
  return { name: 'closing a fleet', instructions: [fleet.on.close()], expected: results([['FleetInUse', isInUse]]), apply };
};
