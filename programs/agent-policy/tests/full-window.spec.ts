/** The spend window of an account without a limit, filled to 64 bits by a thief who turns the account's own money over. */
import { TestSession, aSession } from './support/session';
import { aChain, type TestChain } from './support/chain';
import type { TestAccount } from './support/account';

const MOST = 2n ** 64n - 1n;
const TURN = 2n ** 61n;
const CAP = 1_000n;

describe('a spend window without max_daily_spend that is full', () => {
  let chain: TestChain;
  let account: TestAccount;
  let session: TestSession;

  beforeEach(() => {
    chain = aChain();
    session = aSession(chain, { cap: CAP });
    ({ account } = session);
  });

  /** Spends as much as the program lets through. The money comes back after each transfer. */
  function turnOver(): void {
    for (let amount = TURN; amount > 0n; ) {
      chain.setTokens(account.tokenAccount, { amount: TURN });
      chain.setTokens(account.payee, { amount: 0n });
      if (account.errorOf({ amount }) !== 'none') amount /= 2n;
    }
  }

  it('transfer takes all that fits beside what is reserved, and declines one more as max_daily_spend', () => {
    turnOver();
    expect(session.books()).toMatchObject({ spent: MOST - CAP, reserved: CAP });
    expect(account.errorOf({ amount: 1n })).toBe('MaxDailySpend');
  });

  it('settle_session pays the whole cap', () => {
    turnOver();
    expect(chain.errorOf(...session.settle(CAP))).toBe('none');
    expect(chain.balance(session.payeeTokenAccount)).toBe(CAP);
  });

  it('close_session pays the whole cap', () => {
    turnOver();
    expect(chain.errorOf(...session.close(CAP))).toBe('none');
  });

  it('a pause and a rotation finish an open charge that was spent', () => {
    const [first, second] = [chain.aKey(), chain.aKey()];
    chain.setTokens(account.tokenAccount, { amount: CAP });
    chain.run(account.approveCharge({ amount: CAP, seq: 2n, delegate: first.publicKey }));
    account.seq = 2n;
    turnOver();
    chain.run(account.useCharge(first.publicKey, CAP));
    expect(chain.errorOf(account.rotateAuthority(second.publicKey))).toBe('none');
    expect(chain.errorOf(account.setPolicy({ paused: true }))).toBe('none');
    expect(account.read()).toMatchObject({ reserved: CAP, window: { spent: MOST - CAP } });
  });

  it('open_session, top_up_session and approve_charge decline what does not fit beside it', () => {
    turnOver();
    expect(new TestSession(account, account.seq + 1n).errorOf({ cap: 1n })).toBe('MaxDailySpend');
    expect(chain.errorOf(session.topUp({ amount: 1n }))).toBe('MaxDailySpend');
    expect(chain.errorOf(account.approveCharge({ amount: 1n }))).toBe('MaxDailySpend');
  });

  it('check_payment allows a payment inside the session', () => {
    turnOver();
    expect(chain.errorOf(account.checkPayment(session.address, { amount: 1n }))).toBe('none');
  });
});
