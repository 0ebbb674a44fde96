/** `transfer`: each number once, for ever. */
import { anAccount, type TestAccount } from './support/account';
import { NO_LIMIT, aChain, type TestChain } from './support/chain';

describe('transfer, by its number', () => {
  let chain: TestChain;
  let account: TestAccount;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain);
  });

  it('the very same transaction pays once', () => {
    const transfer = account.transfer({ seq: 1n });
    expect([chain.refusal(transfer), chain.refusal(transfer)]).toEqual(['none', 'AlreadyExecuted']);
    expect(account.balance()).toBe(999n);
  });

  it('the same number with another amount and destination is refused', () => {
    account.pay({ seq: 1n });
    expect(account.refusal({ seq: 1n, amount: 2n, destination: chain.aTokenAccount() })).toBe('AlreadyExecuted');
  });

  it('the same number twice in one transaction is refused', () => {
    expect(chain.send(account.transfer({ seq: 1n }), account.transfer({ seq: 1n }))).toMatchObject({
      refusal: 'AlreadyExecuted',
      failedAt: 1,
    });
    expect(account.balance()).toBe(1_000n);
  });

  it('zero is no number', () => {
    expect(account.refusal({ seq: 0n })).toBe('SeqTooOld');
  });

  it('numbers may come in any order', () => {
    expect([3n, 1n, 2n, 5n, 4n].map((seq) => account.refusal({ seq }))).toEqual(['none', 'none', 'none', 'none', 'none']);
    expect([1n, 2n, 3n, 4n, 5n].map((seq) => account.refusal({ seq }))).toEqual(Array.from({ length: 5 }, () => 'AlreadyExecuted'));
  });

  it('a jump ahead of 1,025 is refused, one of 1,024 is not', () => {
    expect(account.refusal({ seq: 1_025n })).toBe('SeqTooFar');
    expect(account.refusal({ seq: 1_024n })).toBe('none');
    expect(account.refusal({ seq: 2_049n })).toBe('SeqTooFar');
    expect(account.refusal({ seq: 2_048n })).toBe('none');
  });

  it('the largest number is too far', () => {
    expect(account.refusal({ seq: NO_LIMIT })).toBe('SeqTooFar');
  });

  it('the number that leaves the window is too old, the next one is not', () => {
    account.pay({ seq: 1_000n });
    account.pay({ seq: 1_025n });
    expect(account.refusal({ seq: 1n })).toBe('SeqTooOld');
    expect(account.refusal({ seq: 2n })).toBe('none');
    expect(account.refusal({ seq: 2n })).toBe('AlreadyExecuted');
  });

  it('a spent number stays spent when it leaves the window', () => {
    account.pay({ seq: 1n });
    account.pay({ seq: 1_024n });
    expect(account.refusal({ seq: 1n })).toBe('AlreadyExecuted');
    account.pay({ seq: 1_025n });
    expect(account.refusal({ seq: 1n })).toBe('SeqTooOld');
  });

  it('a jump over the whole window leaves no old bit behind', () => {
    for (const seq of [1n, 512n, 1_024n]) account.pay({ seq });
    account.pay({ seq: 2_048n });
    expect([1_025n, 1_536n, 2_047n].map((seq) => account.refusal({ seq }))).toEqual(['none', 'none', 'none']);
    expect(account.refusal({ seq: 1_024n })).toBe('SeqTooOld');
  });

  it('a refused transfer spends no number', () => {
    expect(account.refusal({ seq: 1n, amount: 1_001n })).toBe('InsufficientBalance');
    expect(account.refusal({ seq: 1n })).toBe('none');
  });

  it('numbers of one account are not spent on another', () => {
    const other = anAccount(chain);
    account.pay({ seq: 1n });
    expect(other.refusal({ seq: 1n })).toBe('none');
  });
});
