/** `write_off_session`: after 90 days, returns what a payee cannot receive to the account, by the operator's signature. */
import { AccountState } from '@solana/spl-token';
import type { PublicKey } from '@solana/web3.js';
import type { TestAccount } from './support/account';
import { START, aChain, unsigned, type TestChain } from './support/chain';
import { SESSION_SPACE, aSession, type TestSession } from './support/session';
import { SPACE } from './support/account';

const CLAIM = 90 * 86_400;

describe('write_off_session', () => {
  let chain: TestChain;
  let session: TestSession;
  let account: TestAccount;

  beforeEach(() => {
    chain = aChain();
    session = aSession(chain);
    ({ account } = session);
  });

  /** The payee gave its token account away; the session ended and owes 60. */
  function owe(): void {
    chain.setTokens(session.payeeTokenAccount, { owner: chain.aKey().publicKey });
    chain.run(...session.close(60n));
  }

  const writeOff = (accounts = {}): string => chain.errorOf(session.writeOff(accounts));

  it('write_off_session fails one second before 90 days after the end, and then returns what is owed', () => {
    owe();
    chain.setTime(START + CLAIM - 1);
    expect(writeOff()).toBe('ClaimNotExpired');
    chain.setTime(START + CLAIM);
    const { events } = chain.run(session.writeOff());
    expect(events).toMatchObject([
      { name: 'SessionWrittenOff', data: { account: account.address.toBase58(), session: session.address.toBase58(), amount: 60n } },
    ]);
    expect(session.balances()).toEqual([1_000n, 0n, 0n]);
    expect([session.isOver, account.read().owed_sessions]).toEqual([true, 0]);
  });

  it('close_account works after write_off_session for a payee that blocked it', () => {
    owe();
    chain.setTime(START + CLAIM);
    expect(chain.errorOf(account.close({ destination: account.payee }))).toBe('AccountInUse');
    expect(chain.errorOf(session.writeOff(), account.close({ destination: account.payee }))).toBe('none');
  });

  it('write_off_session refunds the rent of session and escrow to the rent payer', () => {
    owe();
    chain.setTime(START + CLAIM);
    const before = chain.lamports(chain.feePayer.publicKey);
    chain.run(session.writeOff());
    expect(chain.lamports(chain.feePayer.publicKey) - before).toBe(chain.rent(SESSION_SPACE) + chain.rent(SPACE.tokenAccount) - 10_000n);
  });

  it('write_off_session counts 90 days from the end of the grace period for a session that ended without a date', () => {
    owe();
    chain.patch(session.address, (data) => data.writeBigInt64LE(0n, data.length - 48 - 8));
    chain.setTime(START + 3_600 + CLAIM - 1);
    expect(writeOff()).toBe('ClaimNotExpired');
    chain.setTime(START + 3_600 + CLAIM);
    expect(writeOff()).toBe('none');
  });

  it.each<[string, () => PublicKey]>([
    ['the authority', () => account.authority.publicKey],
    ['the payee', () => session.payee.publicKey],
    ['the fee payer', () => chain.feePayer.publicKey],
    ['another account’s operator', () => aSession(chain).account.operator.publicKey],
  ])('write_off_session rejects %s as the signer', (_who, operator) => {
    owe();
    chain.setTime(START + CLAIM);
    expect(writeOff({ operator: operator() })).toBe('WrongOperator');
  });

  it('write_off_session rejects the operator when it is named and does not sign', () => {
    owe();
    expect(chain.errorOf(unsigned(session.writeOff(), account.operator.publicKey))).toBe('AccountNotSigner');
  });

  it('write_off_session fails while the payee can receive, and after it was paid', () => {
    chain.setTokens(session.payeeTokenAccount, { state: AccountState.Frozen });
    chain.run(...session.close(60n));
    chain.setTokens(session.payeeTokenAccount, { state: AccountState.Initialized });
    chain.setTime(START + CLAIM);
    expect(writeOff()).toBe('PayeeCanReceive');
    chain.run(...session.closeExpired(null));
    expect(writeOff()).toBe('AccountOwnedByWrongProgram');
  });

  it('write_off_session fails for a session that has not ended', () => {
    chain.setTime(START + 2 * CLAIM);
    expect(writeOff()).toBe('SessionNotOwed');
  });

  it('write_off_session rejects a stranger’s token account for the refund', () => {
    owe();
    chain.setTime(START + CLAIM);
    expect(writeOff({ token_account: chain.aTokenAccount() })).toBe('WrongTokenAccount');
  });
});
