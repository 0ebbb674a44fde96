/** `transfer`: the rolling 24-hour limit, to the second. */
import { anAccount, type TestAccount } from './support/account';
import { START, aChain, type TestChain } from './support/chain';

const BUCKET = 900;
const DAY = 86_400;

describe('transfer and the rolling 24-hour limit', () => {
  let chain: TestChain;
  let account: TestAccount;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain, { policy: { maxDailySpend: 100n } });
  });

  const refusalAt = (time: number, amount: bigint): string => {
    chain.setTime(time);
    return account.errorOf({ amount });
  };

  const availableAt = (amount: bigint): number => Number(account.pay({ amount }).events[0]?.data.available_at);

  it('a spend in the last second of a bucket still counts 23 hours 45 minutes later', () => {
    const lastSecond = START + BUCKET - 1;
    expect(refusalAt(lastSecond, 100n)).toBe('none');
    expect(refusalAt(lastSecond + 23 * 3_600 + 45 * 60, 1n)).toBe('MaxDailySpend');
  });

  it('a spend in the last second of a bucket is released a day and a second later, and not before', () => {
    const lastSecond = START + BUCKET - 1;
    refusalAt(lastSecond, 100n);
    expect(refusalAt(lastSecond + DAY, 1n)).toBe('MaxDailySpend');
    expect(refusalAt(lastSecond + DAY + 1, 100n)).toBe('none');
  });

  it('a spend in the first second of a bucket is released a day and 15 minutes later, and not before', () => {
    refusalAt(START, 100n);
    expect(refusalAt(START + DAY + BUCKET - 1, 1n)).toBe('MaxDailySpend');
    expect(refusalAt(START + DAY + BUCKET, 100n)).toBe('none');
  });

  it('the time in a violation is the first second at which the amount fits', () => {
    for (const [time, amount] of [
      [START + 10, 30n],
      [START + 5_000, 30n],
      [START + 9_000, 40n],
    ] as const)
      refusalAt(time, amount);
    const at = availableAt(50n); // Needs the first two to be released.
    expect(at).toBe(START + 5 * BUCKET + 97 * BUCKET);
    expect(refusalAt(at - 1, 50n)).toBe('MaxDailySpend');
    expect(refusalAt(at, 50n)).toBe('none');
  });

  it('no more than the limit is spent in any 24 hours around a bucket boundary', () => {
    refusalAt(START + DAY - 1, 100n);
    for (const time of [START + DAY, START + DAY + 1, START + DAY + BUCKET, START + 2 * DAY - 1])
      expect(refusalAt(time, 1n)).toBe('MaxDailySpend');
  });

  it('everything is released after days without a transfer', () => {
    refusalAt(START, 100n);
    expect(refusalAt(START + 400 * DAY, 100n)).toBe('none');
  });

  it('a clock that steps back releases nothing', () => {
    refusalAt(START + DAY, 60n);
    for (const time of [START + DAY - 1, START, START - 40 * DAY, 0]) expect(refusalAt(time, 41n)).toBe('MaxDailySpend');
  });

  it('a spend while the clock is behind counts from the latest time seen', () => {
    refusalAt(START + DAY, 60n);
    expect(refusalAt(START, 40n)).toBe('none');
    expect(refusalAt(START + DAY + BUCKET, 1n)).toBe('MaxDailySpend');
    expect(refusalAt(START + 2 * DAY + BUCKET, 100n)).toBe('none');
  });

  it('transfer rejects a clock before 1970', () => {
    expect(refusalAt(-1, 1n)).toBe('ClockInvalid');
  });

  it('a limit lowered below what was spent leaves nothing', () => {
    account.pay({ amount: 80n });
    account.change({ maxDailySpend: 50n });
    const [event] = account.pay({ amount: 1n }).events;
    expect(event).toMatchObject({ name: 'PolicyViolated', data: { limit: 50n, remaining: 0n } });
  });

  it('a raised limit leaves the difference', () => {
    account.pay({ amount: 100n });
    account.change({ maxDailySpend: 150n });
    expect(account.errorOf({ amount: 51n })).toBe('MaxDailySpend');
    expect(account.errorOf({ amount: 50n })).toBe('none');
  });

  it('a spend without a limit counts once there is a limit', () => {
    account.change({ maxDailySpend: null });
    account.pay({ amount: 500n });
    account.change({ maxDailySpend: 501n });
    expect(account.errorOf({ amount: 2n })).toBe('MaxDailySpend');
    expect(account.errorOf({ amount: 1n })).toBe('none');
  });

  it('a limit of zero allows nothing and logs no time', () => {
    account.change({ maxDailySpend: 0n });
    expect(availableAt(1n)).toBe(0);
  });
});
