/** `transfer`: each nonce is used once, ever. */
import { anAccount, type TestAccount } from './support/account';
import { NO_LIMIT, aChain, type TestChain } from './support/chain';

describe('transfer and nonces', () => {
  let chain: TestChain;
  let account: TestAccount;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain);
  });

  it('the same transaction sent twice pays once', () => {
    const transfer = account.transfer({ seq: 1n });
    expect([chain.errorOf(transfer), chain.errorOf(transfer)]).toEqual(['none', 'AlreadyExecuted']);
    expect(account.balance()).toBe(999n);
  });

  it('a used nonce is rejected with another amount and destination', () => {
    account.pay({ seq: 1n });
    expect(account.errorOf({ seq: 1n, amount: 2n, destination: chain.aTokenAccount() })).toBe('AlreadyExecuted');
  });

  it('the same nonce twice in one transaction is rejected', () => {
    expect(chain.send(account.transfer({ seq: 1n }), account.transfer({ seq: 1n }))).toMatchObject({
      error: 'AlreadyExecuted',
      failedAt: 1,
    });
    expect(account.balance()).toBe(1_000n);
  });

  it('nonce zero is rejected', () => {
    expect(account.errorOf({ seq: 0n })).toBe('SeqTooOld');
  });

  it('nonces are accepted in any order', () => {
    expect([3n, 1n, 2n, 5n, 4n].map((seq) => account.errorOf({ seq }))).toEqual(['none', 'none', 'none', 'none', 'none']);
    expect([1n, 2n, 3n, 4n, 5n].map((seq) => account.errorOf({ seq }))).toEqual(Array.from({ length: 5 }, () => 'AlreadyExecuted'));
  });

  it('a nonce 1,025 above the highest is rejected, one 1,024 above is accepted', () => {
    expect(account.errorOf({ seq: 1_025n })).toBe('SeqTooFar');
    expect(account.errorOf({ seq: 1_024n })).toBe('none');
    expect(account.errorOf({ seq: 2_049n })).toBe('SeqTooFar');
    expect(account.errorOf({ seq: 2_048n })).toBe('none');
  });

  it('the largest nonce is rejected as too far ahead', () => {
    expect(account.errorOf({ seq: NO_LIMIT })).toBe('SeqTooFar');
  });

  it('a nonce that left the window is too old, the next one is accepted', () => {
    account.pay({ seq: 1_000n });
    account.pay({ seq: 1_025n });
    expect(account.errorOf({ seq: 1n })).toBe('SeqTooOld');
    expect(account.errorOf({ seq: 2n })).toBe('none');
    expect(account.errorOf({ seq: 2n })).toBe('AlreadyExecuted');
  });

  it('a used nonce stays used when it leaves the window', () => {
    account.pay({ seq: 1n });
    account.pay({ seq: 1_024n });
    expect(account.errorOf({ seq: 1n })).toBe('AlreadyExecuted');
    account.pay({ seq: 1_025n });
    expect(account.errorOf({ seq: 1n })).toBe('SeqTooOld');
  });

  it('a jump over the whole window clears every old bit', () => {
    for (const seq of [1n, 512n, 1_024n]) account.pay({ seq });
    account.pay({ seq: 2_048n });
    expect([1_025n, 1_536n, 2_047n].map((seq) => account.errorOf({ seq }))).toEqual(['none', 'none', 'none']);
    expect(account.errorOf({ seq: 1_024n })).toBe('SeqTooOld');
  });

  it('a rejected transfer uses no nonce', () => {
    expect(account.errorOf({ seq: 1n, amount: 1_001n })).toBe('InsufficientBalance');
    expect(account.errorOf({ seq: 1n })).toBe('none');
  });

  it('nonces are counted for each account separately', () => {
    const other = anAccount(chain);
    account.pay({ seq: 1n });
    expect(other.errorOf({ seq: 1n })).toBe('none');
  });
});
