/** `close_session` and `close_expired_session`: pay the highest voucher, refund the rest, and release the reservation. */
import { AccountState } from '@solana/spl-token';
import type { PublicKey, TransactionInstruction } from '@solana/web3.js';
import { SPACE, anAccount, type TestAccount } from './support/account';
import { START, aChain, unsigned, type TestChain } from './support/chain';
import { HOUR, SESSION_SPACE, anotherSession, aSession, type TestSession } from './support/session';

const DAY = 86_400;
const GRACE = 600;

describe('close_session and close_expired_session', () => {
  let chain: TestChain;
  let account: TestAccount;
  /** Without and with a grace period. */
  let session: TestSession;
  let gracious: TestSession;

  beforeEach(() => {
    chain = aChain();
    session = aSession(chain);
    ({ account } = session);
    gracious = aSession(chain, { graceSeconds: GRACE });
  });

  const errorOf = (instructions: TransactionInstruction[]): string => chain.errorOf(...instructions);

  describe('close_session without a grace period', () => {
    it('close_session pays the voucher, refunds the rest and releases the reservation in one transaction', () => {
      const { events } = chain.run(...session.close(60n));
      expect(session.balances()).toEqual([940n, 0n, 60n]);
      expect(session.books()).toEqual({ reserved: 0n, spent: 60n, open: 0 });
      expect(session.isOver).toBe(true);
      expect(events).toEqual([
        {
          name: 'SessionClosed',
          data: {
            account: account.address.toBase58(),
            session: session.address.toBase58(),
            session_id: expect.any(String),
            amount: 60n,
            settled: 60n,
            returned: 40n,
            owed: 0n,
            refunded: 40n,
            dust: 0n,
          },
        },
      ]);
    });

    it('close_session counts what was settled before', () => {
      chain.run(...session.settle(30n));
      expect(chain.run(...session.close(60n)).events).toMatchObject([{ data: { amount: 30n, settled: 60n, returned: 40n } }]);
      expect(session.balances()).toEqual([940n, 0n, 60n]);
      expect(session.books()).toEqual({ reserved: 0n, spent: 60n, open: 0 });
    });

    it('close_session without a voucher, or with a lower one, pays the highest voucher settled before', () => {
      chain.run(...session.settle(30n), ...session.close(10n));
      expect(session.balances()).toEqual([970n, 0n, 30n]);
    });

    it('close_session refunds the whole cap of an unused session, even after the payee closed its token account', () => {
      chain.run(session.closePayeeAccount());
      chain.run(...session.close(null));
      expect(session.balances()).toEqual([1_000n, 0n, 0n]);
      expect(session.books()).toEqual({ reserved: 0n, spent: 0n, open: 0 });
    });

    it('close_session is allowed to the operator', () => {
      expect(errorOf(session.close(60n, { closer: account.operator.publicKey }))).toBe('none');
    });

    it('close_session refunds the rent of session and escrow to the rent payer', () => {
      const before = chain.lamports(chain.feePayer.publicKey);
      const fees = 5_000n * 2n; // the fee payer's signature and the authority's
      chain.run(...session.close(null));
      expect(chain.lamports(chain.feePayer.publicKey) - before).toBe(chain.rent(SESSION_SPACE) + chain.rent(SPACE.tokenAccount) - fees);
    });

    it.each<[string, () => PublicKey]>([
      ['the payee alone', () => session.payee.publicKey],
      ['a stranger', () => chain.aKey().publicKey],
      ['the fee payer', () => chain.feePayer.publicKey],
      ['another account’s authority', () => gracious.account.authority.publicKey],
      ['another account’s operator', () => gracious.account.operator.publicKey],
    ])('close_session rejects %s as the closer', (_who, closer) => {
      expect(errorOf(session.close(60n, { closer: closer() }))).toBe('SessionInUse');
      expect(session.balances()).toEqual([900n, 100n, 0n]);
    });

    it('close_session rejects the authority when it is named and does not sign', () => {
      const [verify, close] = session.close(60n);
      const { publicKey } = account.authority;
      expect(errorOf([verify!, unsigned(close!, publicKey)])).toBe('AccountNotSigner');
    });

    it('close_session works while the account is paused and with every limit at zero', () => {
      account.change({ maxDailySpend: 0n, allowedCounterparties: [], categories: [], escalationThreshold: 0n });
      account.change({ paused: true });
      expect(errorOf(session.close(60n))).toBe('none');
    });

    it('close_session with an invalid voucher fails and changes nothing', () => {
      expect(errorOf(session.close(101n))).toBe('VoucherAboveCap');
      expect(errorOf(session.close(60n, { expiresAt: BigInt(START) }))).toBe('VoucherExpired');
      expect(errorOf(session.close(60n, { signer: account.authority }))).toBe('VoucherWrongKey');
      const [, close] = session.close(60n);
      expect(errorOf([close!])).toBe('VoucherMissing');
      expect(session.balances()).toEqual([900n, 100n, 0n]);
    });

    it('close_session fails for a session that has ended', () => {
      chain.run(...session.close(60n));
      expect(errorOf(session.close(60n))).toBe('AccountOwnedByWrongProgram');
      expect(errorOf(session.closeExpired(60n))).toBe('AccountOwnedByWrongProgram');
    });
  });

  describe('close_session with a grace period', () => {
    it('close_session starts the grace period, pays the voucher and keeps the rest reserved in escrow', () => {
      const { events } = chain.run(...gracious.close(60n));
      expect(gracious.balances()).toEqual([900n, 40n, 60n]);
      expect(gracious.books()).toEqual({ reserved: 40n, spent: 60n, open: 1 });
      expect(gracious.read()).toMatchObject({ status: 2, closing_at: BigInt(START), settled: 60n });
      expect(events).toMatchObject([{ name: 'SessionClosing', data: { amount: 60n, settled: 60n, ends_at: BigInt(START + GRACE) } }]);
    });

    it('in the last second of the grace period the payee settles a higher voucher; in the next anyone ends the session', () => {
      chain.run(...gracious.close(60n));
      chain.setTime(START + GRACE - 1);
      chain.run(...gracious.settle(80n));
      expect(errorOf(gracious.closeExpired(null))).toBe('SessionInUse');
      expect(errorOf(gracious.close(null, { closer: chain.aKey().publicKey }))).toBe('SessionInUse');
      chain.setTime(START + GRACE);
      expect(errorOf(gracious.close(null, { closer: chain.aKey().publicKey }))).toBe('none');
      expect(gracious.balances()).toEqual([920n, 0n, 80n]);
      expect(gracious.books()).toEqual({ reserved: 0n, spent: 80n, open: 0 });
    });

    it('close_session called again does not move the end of the grace period', () => {
      chain.run(...gracious.close(null));
      chain.setTime(START + GRACE - 1);
      expect(chain.run(...gracious.close(10n)).events).toMatchObject([
        { name: 'SessionClosing', data: { ends_at: BigInt(START + GRACE) } },
      ]);
      chain.setTime(START + GRACE);
      expect(errorOf(gracious.closeExpired(null))).toBe('none');
      expect(gracious.balances()).toEqual([990n, 0n, 10n]);
    });

    it('close_session ends the session at once when the payee signs too', () => {
      expect(errorOf(gracious.close(60n, { consent: true }))).toBe('none');
      expect(gracious.balances()).toEqual([940n, 0n, 60n]);
      const second = anotherSession(gracious, { graceSeconds: GRACE });
      chain.run(...second.close(null));
      expect(errorOf(second.close(60n, { consent: true }))).toBe('none');
      expect(second.isOver).toBe(true);
    });

    it('close_session rejects a payee consent that is another key’s or not signed', () => {
      expect(errorOf(gracious.close(60n, { consent: true }, { payee_consent: chain.aKey().publicKey }))).toBe('WrongPayee');
      const [verify, close] = gracious.close(60n, { consent: true });
      expect(errorOf([verify!, unsigned(close!, gracious.payee.publicKey)])).toBe('AccountNotSigner');
      expect(errorOf(gracious.close(60n, { consent: true, closer: gracious.payee.publicKey }))).toBe('SessionInUse');
    });

    it('close_session ends a session at once when it expired a grace period ago', () => {
      chain.setTime(START + HOUR + GRACE);
      expect(errorOf(gracious.close(60n))).toBe('none');
      expect(gracious.isOver).toBe(true);
    });
  });

  describe('close_expired_session', () => {
    it('close_expired_session is permissionless from a grace period after the expiry, and not a second sooner', () => {
      chain.setTime(START + HOUR + GRACE - 1);
      expect(errorOf(gracious.closeExpired(60n))).toBe('SessionInUse');
      chain.setTime(START + HOUR + GRACE);
      const stranger = chain.aKey();
      const { error: refused, events } = chain.sendAs(stranger, ...gracious.closeExpired(60n));
      expect(refused).toBeUndefined();
      expect(events).toMatchObject([{ name: 'SessionClosed', data: { amount: 60n, settled: 60n, returned: 40n } }]);
      expect(gracious.balances()).toEqual([940n, 0n, 60n]);
    });

    it('close_expired_session works from the expiry on when there is no grace period', () => {
      chain.setTime(START + HOUR - 1);
      expect(errorOf(session.closeExpired(60n))).toBe('SessionInUse');
      chain.setTime(START + HOUR);
      expect(errorOf(session.closeExpired(60n))).toBe('none');
    });

    it('close_session shortly before the end does not postpone close_expired_session', () => {
      chain.setTime(START + HOUR + GRACE - 1);
      chain.run(...gracious.close(null));
      chain.setTime(START + HOUR + GRACE);
      expect(errorOf(gracious.closeExpired(null))).toBe('none');
    });

    it('close_expired_session counts the payment when it is made, not when the session was opened', () => {
      account.change({ maxDailySpend: 100n });
      chain.setTime(START + 3 * DAY);
      chain.run(...session.closeExpired(100n));
      expect(account.errorOf({ amount: 1n })).toBe('MaxDailySpend');
    });

    it('close_session releases the unused part of the cap from the daily limit at once', () => {
      account.change({ maxDailySpend: 100n });
      expect(account.errorOf({ seq: 2n, amount: 1n })).toBe('MaxDailySpend');
      chain.run(...session.close(30n));
      expect(account.errorOf({ seq: 2n, amount: 71n })).toBe('MaxDailySpend');
      expect(account.errorOf({ seq: 2n, amount: 70n })).toBe('none');
    });
  });

  describe('close_session and close_expired_session check their accounts', () => {
    it.each<[string, string, () => PublicKey, string]>([
      ['a stranger’s token account for the refund', 'token_account', () => chain.aTokenAccount(), 'WrongTokenAccount'],
      [
        'another token account of the same owner for the refund',
        'token_account',
        () => chain.aTokenAccount({ owner: account.address }),
        'WrongTokenAccount',
      ],
      ['the payee’s token account for the refund', 'token_account', () => session.payeeTokenAccount, 'WrongTokenAccount'],
      ['a stranger as the rent recipient', 'rent_payer', () => chain.aKey().publicKey, 'WrongRentRecipient'],
      ['another account’s session', 'session', () => gracious.address, 'WrongSession'],
      ['another session’s escrow', 'escrow', () => gracious.escrow, 'WrongEscrow'],
      ['a stranger as the payee', 'payee', () => chain.aKey().publicKey, 'WrongPayee'],
      [
        'another token account of the payee',
        'payee_token_account',
        () => chain.aTokenAccount({ owner: session.payee.publicKey }),
        'WrongPayee',
      ],
      ['another mint', 'mint', () => chain.aMint(), 'WrongMint'],
    ])('closing a session rejects %s', (_what, name, address, expected) => {
      expect(errorOf(session.close(60n, {}, { [name]: address() }))).toBe(expected);
      chain.setTime(START + HOUR);
      expect(errorOf(session.closeExpired(60n, {}, { [name]: address() }))).toBe(expected);
      expect(session.balances()).toEqual([900n, 100n, 0n]);
    });
  });

  describe('close_session with dust in the escrow', () => {
    it('close_session sends dust to the account and reports it apart from the refund', () => {
      chain.setTokens(session.escrow, { amount: 107n });
      expect(chain.run(...session.close(60n)).events).toMatchObject([{ data: { settled: 60n, returned: 40n, refunded: 40n, dust: 7n } }]);
      expect(session.balances()).toEqual([947n, 0n, 60n]);
      expect(session.books()).toEqual({ reserved: 0n, spent: 60n, open: 0 });
    });

    it('close_session ends a settled session to whose escrow the payee sent dust', () => {
      chain.run(...session.settle(100n));
      chain.setTokens(session.escrow, { amount: 1n });
      expect(errorOf(session.close(null))).toBe('none');
      expect(session.balances()).toEqual([901n, 0n, 100n]);
    });
  });

  describe('closing a session while the account’s token account is frozen', () => {
    beforeEach(() => chain.run(chain.freeze(account.tokenAccount)));

    it('close_session fails while the account’s token account is frozen, and works once it is thawed', () => {
      expect(errorOf(session.close(60n))).toBe('SourceFrozen');
      chain.run(chain.thaw(account.tokenAccount));
      expect(errorOf(session.close(60n))).toBe('none');
    });

    it('close_session pays the payee and ends while the account’s token account is frozen, if nothing is refunded', () => {
      expect(errorOf(session.settle(60n))).toBe('none');
      expect(errorOf(session.close(100n))).toBe('none');
      expect(session.isOver).toBe(true);
    });
  });

  it('close_session fails while the escrow is frozen, and works once it is thawed', () => {
    chain.setTokens(session.escrow, { state: AccountState.Frozen });
    expect(errorOf(session.close(60n))).toBe('EscrowFrozen');
    chain.setTokens(session.escrow, { state: AccountState.Initialized });
    expect(errorOf(session.close(60n))).toBe('none');
  });

  it('close_session accepts the new authority after a rotation and rejects the old one', () => {
    const old = account.authority;
    const next = chain.aKey();
    chain.run(account.rotateAuthority(next.publicKey));
    expect(errorOf(session.close(60n, { closer: old.publicKey }))).toBe('SessionInUse');
    expect(errorOf(session.close(60n, { closer: next.publicKey }))).toBe('none');
  });

  it('close_account is blocked until a session has ended', () => {
    const empty = aSession(chain, { cap: 1_000n });
    expect(chain.errorOf(empty.account.close())).toBe('AccountInUse');
    chain.run(...empty.close(1_000n));
    expect(chain.errorOf(empty.account.close())).toBe('none');
    expect(anAccount(chain).balance()).toBe(1_000n);
  });
});
