/** Random steps through the program and through its model. No outcome, time, sum or balance may differ. */
import { aChain } from '../chain';
import type { Outcome } from '../outcome';
import { Random } from '../random';
import * as allowances from './allowances';
import { FROZEN_DESTINATION } from './allowances';
import * as changes from './changes';
import * as spending from './spending';
import type { Maker, Step } from './spending';
import { World } from './world';

/** Steps and how often each is taken. */
const STEPS: [Maker, number][] = [
  [spending.pay, 45],
  [spending.openSession, 6],
  [spending.topUp, 2],
  [spending.settleSession, 4],
  [spending.closeSession, 8],
  [spending.writeOff, 1],
  [allowances.approveCharge, 5],
  [allowances.useCharge, 4],
  [allowances.finishCharge, 6],
  [allowances.fundChannel, 5],
  [allowances.useChannelPurse, 5],
  [allowances.sweepChannel, 4],
  [allowances.finishChannel, 5],
  [allowances.closeChannel, 5],
  [changes.changePolicy, 5],
  [changes.endPolicy, 3],
  [changes.changeFleetPolicy, 5],
  [changes.changeLimits, 5],
  [changes.join, 5],
  [changes.leave, 2],
  [changes.handOver, 1],
  [changes.handOverFleet, 1],
  [changes.rotateAuthority, 1],
  [changes.createAccount, 1],
  [changes.closeAccount, 1],
  [changes.createFleet, 1],
  [changes.closeFleet, 1],
];
const DECK = STEPS.flatMap(([maker, weight]) => Array.from({ length: weight }, () => maker)) as [Maker];

const RULES = [
  'Paused',
  'ValidUntil',
  'MaxSingleTransfer',
  'MaxSessionCap',
  'MaxDailySpend',
  'MaxMonthlySpend',
  'MaxLifetimeSpend',
  'EscalationThreshold',
  'ApprovalAboveDailySum',
];
/** Results of thousands of steps. */
export const RESULTS = [
  'none',
  ...RULES,
  ...RULES.map((rule) => `Fleet${rule}`),
  'FleetLimitsMaxDailySpend',
  'FleetLimitsMaxMonthlySpend',
  'FleetLimitsMaxLifetimeSpend',
  'InsufficientBalance',
  'SeqTooFar',
  'SeqTooOld',
  'AlreadyExecuted',
  'KeysNotDistinct',
  'WrongOperator',
  'WrongFleet',
  'FleetMissing',
  'InFleet',
  'FleetInUse',
  'AmountsReserved',
  'AccountInUse',
  'SourceFrozen',
  'DestinationFrozen',
  'DestinationIsSource',
  'SessionInUse',
  'SessionNotOpen',
  'SessionExpired',
  'SessionNotOwed',
  'VoucherAboveCap',
  'PayeeBlocked',
  'ChargeOpen',
  'ChargeNotOpen',
  'ChargeInUse',
  'DelegateUsed',
  'ChannelInUse',
  'ChannelNotOpen',
];
/** Results of many more steps. */
export const RARE_RESULTS = ['ClaimNotExpired', 'PayeeCanReceive', FROZEN_DESTINATION];

/** Takes `steps` random steps. Returns how often each result was seen. Throws at the first difference. */
export function compare(seed: string, steps: number): Map<string, number> {
  const random = new Random(seed);
  const world = new World(aChain(false), random);
  const seen = new Map<string, number>();
  for (let number = 0; number < steps; number++) {
    const where = `SEED=${seed}, step ${number}`;
    world.passTime();
    disturb(world);
    const transaction = aTransaction(world);
    const names = transaction.map(({ name }) => name).join(', then ');
    const outcome = world.chain.send(...transaction.flatMap(({ instructions }) => instructions));
    for (const result of land(transaction, outcome, `${where}, ${names}`)) seen.set(result, (seen.get(result) ?? 0) + 1);
    const difference = outcome.error === undefined && world.difference();
    if (difference) throw new Error(`${where}, ${names}: ${difference}`);
    if (outcome.error?.match(/Max(Daily|Monthly)Spend$/) && random.chance(0.1)) checkAvailableAt(world, transaction, outcome, where);
  }
  return seen;
}

/** Deposits, what channels pay back, and token accounts that the mint's authority freezes and thaws. */
function disturb(world: World): void {
  const { random } = world;
  if (random.chance(0.02)) world.deposit(world.anAccount(), random.amount(5_000));
  const purses = world.accounts.flatMap((account) => account.purses);
  for (const purse of purses) if (random.chance(0.01)) world.payBack(purse, random.amount(Number(purse.amount)));
  for (const one of [...world.accounts, ...purses, ...world.payees]) {
    const isPayee = !('on' in one);
    if (!random.chance(one.isFrozen ? (isPayee ? 0.01 : 0.05) : 0.003)) continue;
    one.isFrozen = !one.isFrozen;
    world.freeze(isPayee ? one.tokenAccount : one.on.tokenAccount, one.isFrozen);
  }
}

/** One step, or two transfers, of which the second may fail and then undoes the first. */
function aTransaction(world: World): Step[] {
  const { random } = world;
  let step: Step | null = null;
  while (!step) step = random.oneOf(DECK)(world);
  if (!random.chance(0.03)) return [step];
  const first = spending.pay(world);
  if (!first?.expected.includes('none')) return [step];
  const restore = world.save();
  first.apply();
  const second = spending.pay(world);
  restore();
  return second ? [first, second] : [first];
}

/** Compares the results, and applies the steps if all of them landed. */
function land(transaction: Step[], outcome: Outcome, where: string): string[] {
  const failedAt = outcome.error === undefined ? transaction.length : transaction.length === 1 ? 0 : (outcome.failedAt ?? 0);
  const taken = transaction.slice(0, failedAt + 1).map(({ expected }, index) => {
    const result = index === failedAt ? String(outcome.error) : 'none';
    if (!expected.includes(result)) throw new Error(`${where}: ${result} where ${expected.join(' or ')} was expected`);
    return result;
  });
  if (outcome.error === undefined) for (const { apply } of transaction) apply();
  return taken;
}

/** The time in a violation is the first second at which the same transaction passes that rule; `valid_until` comes before it. */
function checkAvailableAt({ chain }: World, transaction: Step[], { events, error = '' }: Outcome, where: string): void {
  const at = Number(events.find(({ name }) => name === 'PolicyViolated')?.data.available_at ?? 0);
  if (at === 0 || transaction.length > 1 || !transaction[0]?.name.startsWith('transfer')) return; // others end at a time of their own
  const { now } = chain;
  const instructions = transaction.flatMap((step) => step.instructions);
  const [before, then] = [at - 1, at].map((time) => (chain.setTime(time), chain.simulate(...instructions).error));
  if (![error, 'ValidUntil', 'FleetValidUntil'].includes(before ?? '') || then === error)
    throw new Error(`${where}: ${error} has ${at}, which is not the first second: ${before} before, ${then} then`);
  chain.setTime(now);
}
