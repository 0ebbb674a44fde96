/** `spending`: the view that the service shows. */
import { coder } from '../../../libs/chain/src/program/idl';
import { anAccount, type TestAccount } from './support/account';
import { NO_LIMIT, START, aChain, plain, type TestChain } from './support/chain';

const BUCKET = 900;
const BUCKETS = 97;

interface Report {
  now: bigint;
  balance: bigint;
  limit: bigint;
  spent: bigint;
  reserved: bigint;
  remaining: bigint;
  policy_version: bigint;
  first_bucket: bigint;
  buckets: bigint[];
}

describe('spending', () => {
  let chain: TestChain;
  let account: TestAccount;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain);
  });

  /** The whole report; a node cuts trailing zeros off. */
  function report(): Report {
    const { returned } = chain.run(account.spending());
    return plain(coder.types.decode('SpendingReport', Buffer.concat([returned], 8 * (8 + BUCKETS)))) as Report;
  }

  it.each([
    ["the other account's policy", 'policy', 'WrongPolicy'],
    ["the other account's token account", 'token_account', 'WrongTokenAccount'],
    ["the other account's policy in the place of the account", 'account', 'AccountDiscriminatorMismatch'],
  ])('refuses %s', (_what, name, refusal) => {
    const other = anAccount(chain);
    expect(chain.refusal(account.spending({ [name]: name === 'token_account' ? other.tokenAccount : other.policy }))).toBe(refusal);
  });

  it('refuses a token account that is no more', () => {
    chain.put(account.tokenAccount, { owner: account.tokenAccount, data: Buffer.alloc(165) });
    expect(chain.refusal(account.spending())).toBe('WrongTokenAccount');
  });

  it('shows an unused account without limits', () => {
    expect(report()).toEqual({
      now: BigInt(START),
      balance: 1_000n,
      limit: NO_LIMIT,
      spent: 0n,
      reserved: 0n,
      remaining: NO_LIMIT,
      policy_version: 1n,
      first_bucket: BigInt(START / BUCKET - 96),
      buckets: Array.from({ length: BUCKETS }, () => 0n),
    });
  });

  it('agrees with a list of payments over three days', () => {
    account.change({ maxDailySpend: 700n });
    account.setReserved(50n);
    const paid: { bucket: number; amount: bigint }[] = [];
    for (let step = 0, now = START; step < 60; step++, now += 4_321) {
      chain.setTime(now);
      const amount = BigInt(5 + (step % 7));
      account.pay({ amount });
      paid.push({ bucket: Math.floor(now / BUCKET), amount });

      const { first_bucket: first, buckets, spent, remaining, balance } = report();
      expect(Number(first)).toBe(Math.floor(now / BUCKET) - 96);
      const expected = buckets.map((_, index) => sum(paid.filter(({ bucket }) => bucket === Number(first) + index)));
      expect(buckets).toEqual(expected);
      expect([spent, remaining, balance]).toEqual([sumOf(expected), 650n - sumOf(expected), 1_000n - sum(paid)]);
    }
  });

  it('counts what is reserved, and never below nothing', () => {
    account.change({ maxDailySpend: 100n });
    account.setReserved(150n);
    expect(report()).toMatchObject({ reserved: 150n, remaining: 0n, limit: 100n, policy_version: 2n });
  });

  it('lets go of what is older than a day without writing anything', () => {
    account.pay({ amount: 10n });
    const before = chain.account(account.address).data;
    chain.setTime(START + 97 * BUCKET);
    expect(report().spent).toBe(0n);
    expect(chain.account(account.address).data).toEqual(before);
  });

  it('says when money comes free: a transfer refused one second before is allowed at that second', () => {
    account.change({ maxDailySpend: 10n });
    chain.setTime(START + 500);
    account.pay({ amount: 10n });
    const { first_bucket: first, buckets } = report();
    const free = (Number(first) + buckets.findIndex((amount) => amount > 0n) + BUCKETS) * BUCKET;
    chain.setTime(free - 1);
    expect(account.refusal({ amount: 10n })).toBe('MaxDailySpend');
    chain.setTime(free);
    expect(account.refusal({ amount: 10n })).toBe('none');
  });

  it('shows the clock as it is and the window as of the latest time seen, when the clock steps back', () => {
    account.pay({ amount: 10n });
    chain.setTime(START - 86_400);
    expect(report()).toMatchObject({ now: BigInt(START - 86_400), spent: 10n, first_bucket: BigInt(START / BUCKET - 96) });
  });
});

const sumOf = (amounts: bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
const sum = (payments: { amount: bigint }[]): bigint => sumOf(payments.map(({ amount }) => amount));
