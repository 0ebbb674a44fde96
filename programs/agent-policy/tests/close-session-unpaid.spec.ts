/** `close_session` and `close_expired_session` while the payee cannot be paid: the escrow keeps what is owed. */
import type { TransactionInstruction } from '@solana/web3.js';
import type { TestAccount } from './support/account';
import { START, aChain, type TestChain } from './support/chain';
import { HOUR, anotherSession, aSession, type TestSession } from './support/session';

const DAY = 86_400;
const GRACE = 600;

describe('close_session and close_expired_session while the payee cannot be paid', () => {
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

  describe('closing a session while the payee cannot receive', () => {
    beforeEach(() => chain.run(chain.freeze(session.payeeTokenAccount)));

    it('closing a session whose payee cannot receive releases the rest and keeps what is owed in escrow', () => {
      const { events } = chain.run(...session.close(60n));
      expect(session.balances()).toEqual([940n, 60n, 0n]);
      expect(session.books()).toEqual({ reserved: 0n, spent: 60n, open: 0 });
      expect(session.read()).toMatchObject({ status: 3, settled: 0n, proven: 60n });
      expect(events).toMatchObject([
        { name: 'SessionClosed', data: { amount: 0n, settled: 60n, returned: 40n, owed: 60n, refunded: 40n, dust: 0n } },
      ]);
    });

    it('closing a session whose payee cannot receive ends it when nothing is owed', () => {
      expect(errorOf(session.close(null))).toBe('none');
      expect(session.isOver).toBe(true);
    });

    it('closing a session whose payee cannot receive keeps the highest voucher settled before', () => {
      chain.run(...session.settle(60n));
      chain.setTime(START + HOUR);
      chain.run(...session.closeExpired(null));
      expect(session.balances()).toEqual([940n, 60n, 0n]);
    });

    it('close_session starts the grace period without paying while the payee cannot receive', () => {
      chain.run(chain.freeze(gracious.payeeTokenAccount), ...gracious.close(60n));
      expect(gracious.balances()).toEqual([900n, 100n, 0n]);
      expect(gracious.read()).toMatchObject({ status: 2, settled: 0n, proven: 60n });
      chain.setTime(START + GRACE);
      chain.run(...gracious.closeExpired(null));
      expect(gracious.balances()).toEqual([940n, 60n, 0n]);
      expect(gracious.books()).toEqual({ reserved: 0n, spent: 60n, open: 0 });
    });

    it('what a session owes counts against the limit when it is released, not when it is claimed', () => {
      account.change({ maxDailySpend: 100n });
      chain.run(...session.close(60n));
      expect(account.errorOf({ seq: 2n, amount: 41n })).toBe('MaxDailySpend');
      chain.setTime(START + 2 * DAY);
      chain.run(chain.thaw(session.payeeTokenAccount), ...session.settle(null));
      expect(session.balances()).toEqual([940n, 0n, 60n]);
      expect(session.books()).toMatchObject({ reserved: 0n, open: 0 });
      expect(account.errorOf({ seq: 2n, amount: 100n })).toBe('none');
    });

    it('settle_session claims what an ended session owes, and no more, with any voucher or none', () => {
      chain.run(...session.close(60n));
      expect(errorOf(session.settle(100n))).toBe('PayeeBlocked');
      expect(errorOf(session.closeExpired(null))).toBe('PayeeBlocked');
      chain.run(chain.thaw(session.payeeTokenAccount));
      expect(errorOf(session.settle(100n))).toBe('none');
      expect(session.balances()).toEqual([940n, 0n, 60n]);
      expect(errorOf(session.settle(100n))).toBe('none');
      expect(session.balances()).toEqual([940n, 0n, 60n]);
    });

    it('closing an owed session is permissionless once the payee can receive, and refunds the rent', () => {
      chain.run(...session.close(60n));
      chain.setTokens(session.escrow, { amount: 65n });
      chain.run(chain.thaw(session.payeeTokenAccount));
      expect(chain.run(...session.closeExpired(null)).events).toMatchObject([
        { name: 'SessionClosed', data: { amount: 60n, settled: 60n, returned: 40n, owed: 0n, refunded: 0n, dust: 5n } },
      ]);
      expect(session.balances()).toEqual([945n, 0n, 60n]);
      expect(session.isOver).toBe(true);
      expect(session.books()).toEqual({ reserved: 0n, spent: 60n, open: 0 });
    });

    it('close_account is blocked until what a session owes is claimed', () => {
      chain.run(...session.close(60n));
      const everything = account.balance();
      expect(account.errorOf({ seq: 2n, amount: everything })).toBe('none');
      expect(chain.errorOf(account.close())).toBe('AccountInUse');
      chain.run(chain.thaw(session.payeeTokenAccount), ...session.closeExpired(null));
      expect(chain.errorOf(account.close())).toBe('none');
    });

    it('top_up_session rejects a session that has ended and owes', () => {
      chain.run(...session.close(60n));
      expect(chain.errorOf(session.topUp())).toBe('SessionNotOpen');
    });

    it('an owed session does not block opening others within the limit', () => {
      account.change({ maxDailySpend: 160n });
      chain.run(...session.close(60n));
      chain.run(chain.thaw(session.payeeTokenAccount));
      expect(anotherSession(session).books()).toEqual({ reserved: 100n, spent: 60n, open: 1 });
    });
  });

  describe.each<[string, (session: TestSession) => void]>([
    ['belongs to another owner', ({ payeeTokenAccount }) => chain.setTokens(payeeTokenAccount, { owner: chain.aKey().publicKey })],
    [
      'is no longer a token account',
      ({ payeeTokenAccount }) => chain.put(payeeTokenAccount, { owner: chain.aKey().publicKey, data: Buffer.alloc(165) }),
    ],
    ['was closed', (closed) => chain.run(closed.closePayeeAccount())],
  ])('closing a session whose payee’s token account %s', (_what, spoil) => {
    it('close_expired_session keeps what is owed in escrow and releases the rest', () => {
      spoil(session);
      chain.setTime(START + HOUR);
      chain.run(...session.closeExpired(60n));
      expect(chain.balance(session.escrow)).toBe(60n);
      expect(session.books()).toEqual({ reserved: 0n, spent: 60n, open: 0 });
    });
  });

  describe('closing a session whose payee closed its token account', () => {
    beforeEach(() => chain.run(session.closePayeeAccount()));

    it('close_session pays a payee whose token account an earlier instruction creates again', () => {
      chain.run(session.createPayeeAccount(), ...session.close(60n));
      expect(session.balances()).toEqual([940n, 0n, 60n]);
      expect(session.isOver).toBe(true);
    });

    it('close_session keeps what is owed in escrow until the payee’s token account is created again', () => {
      expect(chain.run(...session.close(60n)).events).toMatchObject([{ data: { amount: 0n, settled: 60n, returned: 40n, owed: 60n } }]);
      expect(session.balances()).toEqual([940n, 60n, 0n]);
      expect(session.books()).toEqual({ reserved: 0n, spent: 60n, open: 0 });
      expect(errorOf(session.closeExpired(null))).toBe('PayeeBlocked');
      chain.run(session.createPayeeAccount(), ...session.closeExpired(null));
      expect(session.balances()).toEqual([940n, 0n, 60n]);
      expect([session.isOver, session.books()]).toEqual([true, { reserved: 0n, spent: 60n, open: 0 }]);
    });

    it('close_session starts the grace period without paying after the payee closed its token account, and the session still ends', () => {
      chain.run(gracious.closePayeeAccount(), ...gracious.close(60n));
      expect(gracious.read()).toMatchObject({ status: 2, settled: 0n, proven: 60n });
      chain.setTime(START + GRACE);
      chain.run(...gracious.closeExpired(null));
      expect(gracious.balances()).toEqual([940n, 60n, 0n]);
      expect(gracious.books()).toEqual({ reserved: 0n, spent: 60n, open: 0 });
    });
  });
});
