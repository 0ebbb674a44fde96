/** `spending`: the view behind `/spending`. */
import { decodeSpending } from '../../../libs/chain/src/accounts/account-data';
import { coder } from '../../../libs/chain/src/program/idl';
import { anAccount, type TestAccount } from './support/account';
import { NO_LIMIT, START, aChain, type TestChain } from './support/chain';
import { plain } from './support/outcome';

const BUCKET = 900;
const BUCKETS = 97;

interface Report {
  now: bigint;
  balance: bigint;
  limit: bigint;
  monthly_limit: bigint;
  lifetime_limit: bigint;
  spent: bigint;
  monthly_spent: bigint;
  lifetime_spent: bigint;
  reserved: bigint;
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

  /** The whole report. Nodes cut trailing zeros off. */
  function report(): Report {
    const { returned } = chain.run(account.spending());
    return plain(coder.types.decode('SpendingReport', Buffer.concat([returned], 8 * (11 + BUCKETS)))) as Report;
  }

  it.each([
    ['another account’s policy', 'policy', 'WrongPolicy'],
    ['another account’s token account', 'token_account', 'WrongTokenAccount'],
    ['another account’s policy as the account', 'account', 'AccountDiscriminatorMismatch'],
  ])('spending rejects %s', (_what, name, error) => {
    const other = anAccount(chain);
    expect(chain.errorOf(account.spending({ [name]: name === 'token_account' ? other.tokenAccount : other.policy }))).toBe(error);
  });

  it('spending rejects a token account that does not exist', () => {
    chain.put(account.tokenAccount, { owner: account.tokenAccount, data: Buffer.alloc(165) });
    expect(chain.errorOf(account.spending())).toBe('WrongTokenAccount');
  });

  it('spending reports an unused account without limits', () => {
    expect(report()).toEqual({
      now: BigInt(START),
      balance: 1_000n,
      limit: NO_LIMIT,
      monthly_limit: NO_LIMIT,
      lifetime_limit: NO_LIMIT,
      spent: 0n,
      monthly_spent: 0n,
      lifetime_spent: 0n,
      reserved: 0n,
      policy_version: 1n,
      first_bucket: BigInt(START / BUCKET - 96),
      buckets: Array.from({ length: BUCKETS }, () => 0n),
    });
  });

  it('spending agrees with a list of payments over three days', () => {
    account.change({ maxDailySpend: 700n });
    account.setReserved(50n);
    const paid: { bucket: number; amount: bigint }[] = [];
    for (let step = 0, now = START; step < 60; step++, now += 4_321) {
      chain.setTime(now);
      const amount = BigInt(5 + (step % 7));
      account.pay({ amount });
      paid.push({ bucket: Math.floor(now / BUCKET), amount });

      const { first_bucket: first, buckets, spent, balance } = report();
      expect(Number(first)).toBe(Math.floor(now / BUCKET) - 96);
      const expected = buckets.map((_, index) => sum(paid.filter(({ bucket }) => bucket === Number(first) + index)));
      expect(buckets).toEqual(expected);
      expect([spent, balance]).toEqual([sumOf(expected), 1_000n - sum(paid)]);
    }
  });

  it('spending reports what is reserved, also above a limit, of which then nothing remains', () => {
    account.change({ maxDailySpend: 100n });
    account.setReserved(150n);
    expect(report()).toMatchObject({ reserved: 150n, limit: 100n, policy_version: 2n });
    expect(decodeSpending(chain.run(account.spending()).returned)).toMatchObject({ reserved: 150n, limit: 100n, remaining: 0n });
  });

  it('spending leaves out amounts older than a day without writing anything', () => {
    account.pay({ amount: 10n });
    const before = chain.account(account.address).data;
    chain.setTime(START + 97 * BUCKET);
    expect(report().spent).toBe(0n);
    expect(chain.account(account.address).data).toEqual(before);
  });

  it('spending reports the second from which a rejected transfer is allowed', () => {
    account.change({ maxDailySpend: 10n });
    chain.setTime(START + 500);
    account.pay({ amount: 10n });
    const { first_bucket: first, buckets } = report();
    const free = (Number(first) + buckets.findIndex((amount) => amount > 0n) + BUCKETS) * BUCKET;
    chain.setTime(free - 1);
    expect(account.errorOf({ amount: 10n })).toBe('MaxDailySpend');
    chain.setTime(free);
    expect(account.errorOf({ amount: 10n })).toBe('none');
  });

  it('spending reports the clock as it is and the window as of the latest time seen after the clock stepped back', () => {
    account.pay({ amount: 10n });
    chain.setTime(START - 86_400);
    expect(report()).toMatchObject({ now: BigInt(START - 86_400), spent: 10n, first_bucket: BigInt(START / BUCKET - 96) });
  });
});

const sumOf = (amounts: bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
const sum = (payments: { amount: bigint }[]): bigint => sumOf(payments.map(({ amount }) => amount));
