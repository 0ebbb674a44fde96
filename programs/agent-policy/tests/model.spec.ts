/** Model test: random steps through the program and through a model with exact lists. No outcome, time or balance may differ. */
import type { PolicyChange } from '../../../libs/chain/src/policy/policy.types';
import { anAccount, type TestAccount } from './support/account';
import { START, aChain, type Outcome, type TestChain } from './support/chain';
import { Model, type Payment } from './support/model';
import { Random } from './support/random';

const STEPS = 5_000;
/** Takes 10 seconds on an idle machine. */
const TIMEOUT_MS = 120_000;
const DAY = 86_400;
const MONEY = 5_000;
const SEED = process.env.SEED ?? '20261121';
/** Each outcome must occur at least this often, or the steps are not random enough. */
const LEAST_SEEN = 20;
const RESULTS = [
  'none',
  'SeqTooFar',
  'SeqTooOld',
  'AlreadyExecuted',
  'Paused',
  'MaxSingleTransfer',
  'MaxDailySpend',
  'InsufficientBalance',
  'EscalationThreshold',
];

describe(`the program and its model (SEED=${SEED})`, () => {
  const random = new Random(SEED);
  const seen = new Map<string, number>();
  let chain: TestChain;
  let account: TestAccount;
  let model: Model;
  let clock = START;

  beforeAll(() => {
    chain = aChain();
    account = anAccount(chain, { balance: BigInt(MONEY) });
    model = new Model(START, BigInt(MONEY));
    change({ maxDailySpend: 2_000n });
  });

  function change(policy: PolicyChange): void {
    account.change(policy);
    model.change(policy);
  }

  /** The clock advances, sometimes by a night, and sometimes steps back a little. */
  function passTime(): void {
    clock += random.chance(0.005) ? random.below(2 * DAY) : random.chance(0.05) ? random.below(3_600) : random.below(200);
    chain.setTime(random.chance(0.05) ? clock - random.below(120) : clock);
  }

  function deposit(): void {
    model.left += random.amount(2 * MONEY);
    chain.setTokens(account.tokenAccount, { amount: model.left });
  }

  /** One payment, or two in one transaction. The model records what landed and ignores what failed. */
  function pay(where: string): void {
    const payments = Array.from({ length: random.chance(0.1) ? 2 : 1 }, () => aPayment(random, model.highest));
    const outcome = chain.send(...payments.map((payment) => account.transfer(payment)));
    const next = model.at(chain.now);
    for (const [index, payment] of payments.entries()) {
      const result = index === outcome.failedAt ? String(outcome.error) : 'none';
      const expected = next.expectedResults(payment);
      if (!expected.includes(result))
        throw new Error(`${where}: ${result} where ${expected.join(' or ')} was expected of ${describePayment(payment)}`);
      seen.set(result, (seen.get(result) ?? 0) + 1);
      if (result !== 'none') break;
      next.record(payment);
    }
    if (outcome.error === undefined) model = next;
    if (outcome.error === 'MaxDailySpend' && payments.length === 1 && random.chance(0.2)) checkAvailableAt(outcome, where);
  }

  /** The time in a violation is the first second at which the same amount passes the daily limit. */
  function checkAvailableAt({ events }: Outcome, where: string): void {
    const { available_at: availableAt, attempted } = events[0]?.data ?? {};
    const at = Number(availableAt);
    if (at === 0) return;
    const { now } = chain;
    const transfer = account.transfer({ seq: model.highest + 1n, amount: BigInt(String(attempted)) });
    for (const time of [at - 1, at]) {
      chain.setTime(time);
      if ((chain.simulate(transfer).error === 'MaxDailySpend') !== time < at)
        throw new Error(`${where}: the violation has ${at}, which is not the first second`);
    }
    chain.setTime(now);
  }

  it(
    `the program agrees with its model in ${STEPS} random steps`,
    () => {
      for (let step = 0; step < STEPS; step++) {
        const where = `SEED=${SEED}, step ${step}`;
        passTime();
        if (random.chance(0.06)) change(aChange(random));
        else if (random.chance(0.003)) deposit();
        else pay(where);
        const balances = [account.balance(), chain.balance(account.payee)];
        if (balances[0] !== model.left || balances[1] !== model.paid)
          throw new Error(`${where}: ${balances.join(' and ')} are not ${model.left} and ${model.paid}`);
      }
      expect(RESULTS.filter((result) => (seen.get(result) ?? 0) < LEAST_SEEN)).toEqual([]);
      expect([...seen.keys()].sort()).toEqual([...RESULTS].sort());
    },
    TIMEOUT_MS,
  );
});

function aPayment(random: Random, highest: bigint): Payment {
  return {
    seq: aSeq(random, highest),
    amount: random.chance(0.03) ? random.amount(50_000) : random.amount(120),
    approved: random.chance(0.2),
  };
}

/** Mostly the next nonce; else an old one, a gap, or one at an edge of the nonce window. */
function aSeq(random: Random, highest: bigint): bigint {
  if (random.chance(0.8)) return highest + 1n;
  const gap = BigInt(random.below(1_100));
  const seq = random.oneOf([
    0n,
    highest,
    highest + 1_024n,
    highest + 1_025n,
    highest - 1_023n,
    highest - 1_024n,
    highest - gap,
    highest - gap,
    highest + gap,
  ]);
  return seq < 0n ? 0n : seq;
}

function aChange(random: Random): PolicyChange {
  const amountOrNone = (most: number) => (random.chance(0.5) ? null : random.amount(most));
  return random.oneOf<() => PolicyChange>([
    () => ({ paused: true }),
    () => ({ paused: false }),
    () => ({ paused: false }),
    () => ({ paused: false, maxSingleTransfer: amountOrNone(200) }),
    () => ({ paused: false, escalationThreshold: amountOrNone(200) }),
    () => ({ paused: false, maxDailySpend: amountOrNone(6_000) }),
    () => ({ maxDailySpend: random.amount(6_000) }),
  ])();
}

const describePayment = ({ seq, amount, approved }: Payment): string => `${amount} by nonce ${seq}${approved ? ', approved' : ''}`;
