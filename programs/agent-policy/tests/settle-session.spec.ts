/** `settle_session`: anyone may submit a voucher; only the payee is paid, and each micro-USDC once. */
import { AccountState } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import type { PolicyChange } from '../../../libs/chain/src/policy/policy.types';
import { anAccount, type TestAccount } from './support/account';
import { START, aChain, type TestChain } from './support/chain';
import { HOUR, TestSession, anotherSession, aSession } from './support/session';

const DAY = 86_400;

describe('settle_session', () => {
  let chain: TestChain;
  let account: TestAccount;
  let session: TestSession;

  beforeEach(() => {
    chain = aChain();
    session = aSession(chain);
    ({ account } = session);
  });

  const errorOf = (...settlement: Parameters<TestSession['settle']>): string => chain.errorOf(...session.settle(...settlement));

  describe('settle_session rejects a voucher', () => {
    it.each<[string, bigint, () => Parameters<TestSession['settle']>[1], string]>([
      ['above the cap by one', 101n, () => ({}), 'VoucherAboveCap'],
      ['of another key', 50n, () => ({ signer: account.authority }), 'VoucherWrongKey'],
      ['of another session', 50n, () => ({ session: aSession(chain).address }), 'VoucherWrongSession'],
      ['of another kind', 50n, () => ({ prefix: [0x57, 0x01] }), 'VoucherWrongSession'],
      ['of another version', 50n, () => ({ prefix: [0x56, 0x02] }), 'VoucherWrongSession'],
      ['in the second of its expiry', 50n, () => ({ expiresAt: BigInt(START) }), 'VoucherExpired'],
      ['that expired before 1970', 50n, () => ({ expiresAt: -1n }), 'VoucherExpired'],
    ])('settle_session rejects a voucher %s', (_what, cumulative, options, expected) => {
      expect(errorOf(cumulative, options())).toBe(expected);
      expect(session.balances()).toEqual([900n, 100n, 0n]);
      expect(session.books()).toEqual({ reserved: 100n, spent: 0n, open: 1 });
    });

    it('settle_session rejects a voucher of an earlier session with the same payee', () => {
      chain.run(...session.close(40n));
      const later = anotherSession(session);
      expect(later.payee).toBe(session.payee);
      expect(
        chain.errorOf(
          session.verify(40n),
          ...later.settle(null, {}, { instructions: new PublicKey('Sysvar1nstructions1111111111111111111111111') }),
        ),
      ).toBe('VoucherWrongKey');
      expect(chain.errorOf(...later.settle(40n, { session: session.address }))).toBe('VoucherWrongSession');
      expect(session.balances()).toMatchObject([860n, 0n, 40n]);
    });
  });

  it('settle_session accepts a voucher a second before its expiry', () => {
    expect(errorOf(50n, { expiresAt: BigInt(START + 1) })).toBe('none');
  });

  it('settle_session pays the payee and moves the amount from reserved into the spend window', () => {
    const { events } = chain.run(...session.settle(60n));
    expect(session.balances()).toEqual([900n, 40n, 60n]);
    expect(session.books()).toEqual({ reserved: 40n, spent: 60n, open: 1 });
    expect(session.read()).toMatchObject({ settled: 60n, proven: 60n, status: 1 });
    expect(events).toMatchObject([
      { name: 'SessionSettled', data: { session: session.address.toBase58(), amount: 60n, settled: 60n, proven: 60n, cap: 100n } },
    ]);
  });

  it('settle_session pays the difference to what was paid before, up to the cap', () => {
    chain.run(...session.settle(60n));
    chain.run(...session.settle(100n));
    expect(session.balances()).toEqual([900n, 0n, 100n]);
    expect(session.books()).toEqual({ reserved: 0n, spent: 100n, open: 1 });
  });

  it.each([60n, 59n, 0n])('settle_session pays nothing for a voucher of %s after one of 60', (cumulative) => {
    chain.run(...session.settle(60n));
    expect(chain.run(...session.settle(cumulative)).events).toMatchObject([{ name: 'SessionSettled', data: { amount: 0n, settled: 60n } }]);
    expect(session.balances()).toEqual([900n, 40n, 60n]);
    expect(session.books()).toEqual({ reserved: 40n, spent: 60n, open: 1 });
  });

  it('settle_session pays once for the same voucher twice in one transaction', () => {
    chain.run(...session.settle(60n), ...session.settle(60n));
    expect(session.balances()).toEqual([900n, 40n, 60n]);
  });

  it('settle_session without a voucher changes nothing', () => {
    chain.run(...session.settle(null));
    expect(session.balances()).toEqual([900n, 100n, 0n]);
  });

  it('settle_session is permissionless', () => {
    const stranger = chain.aKey();
    expect(chain.sendAs(stranger, ...session.settle(60n)).error).toBeUndefined();
    expect(session.balances()).toEqual([900n, 40n, 60n]);
  });

  it.each<[string, PolicyChange]>([
    ['a pause', { paused: true }],
    ['limits lowered to zero', { maxDailySpend: 0n, maxSingleTransfer: 0n, escalationThreshold: 0n }],
    ['empty lists', { allowedCounterparties: [], categories: [] }],
  ])('settle_session is not rejected by %s', (_what, policy) => {
    account.change(policy);
    expect(errorOf(100n)).toBe('none');
  });

  it('settle_session works after the expiry, until the session has ended', () => {
    chain.setTime(START + 40 * DAY);
    expect(errorOf(60n)).toBe('none');
  });

  it('settle_session works during the grace period', () => {
    const gracious = anotherSession(session, { graceSeconds: 600 });
    chain.run(...gracious.close(10n));
    chain.setTime(START + 599);
    chain.run(...gracious.settle(70n));
    expect(gracious.balances()).toEqual([800n, 30n, 70n]);
  });

  it('settle_session fails for a session that has ended', () => {
    chain.run(...session.close(60n));
    expect(errorOf(60n)).toBe('AccountOwnedByWrongProgram');
  });

  describe('settle_session and the clock', () => {
    it('settle_session counts the amount when it settles, not when the session was opened', () => {
      account.change({ maxDailySpend: 100n });
      chain.setTime(START + DAY);
      chain.run(...session.settle(100n));
      chain.setTime(START + 2 * DAY);
      expect(account.errorOf({ seq: 2n, amount: 1n })).toBe('MaxDailySpend');
      chain.setTime(START + 2 * DAY + 900);
      expect(account.errorOf({ seq: 2n, amount: 100n })).toBe('none');
    });

    it('the unsettled cap stays reserved until the session has ended', () => {
      account.change({ maxDailySpend: 100n });
      chain.setTime(START + 10 * DAY);
      expect(account.errorOf({ seq: 2n, amount: 1n })).toBe('MaxDailySpend');
    });
  });

  describe('settle_session checks its accounts', () => {
    it.each<[string, string, () => PublicKey, string]>([
      ['another account’s session', 'account', () => anAccount(chain).address, 'WrongSession'],
      ['another session’s escrow', 'escrow', () => aSession(chain).escrow, 'WrongEscrow'],
      ['the account’s own token account as the escrow', 'escrow', () => account.tokenAccount, 'WrongEscrow'],
      ['a stranger as the payee', 'payee', () => chain.aKey().publicKey, 'WrongPayee'],
      [
        'another token account of the payee',
        'payee_token_account',
        () => chain.aTokenAccount({ owner: session.payee.publicKey }),
        'WrongPayee',
      ],
      ['another mint', 'mint', () => chain.aMint(), 'WrongMint'],
      [
        'a copy of the session that another program owns',
        'session',
        () => chain.copy(session.address, chain.aKey().publicKey),
        'AccountOwnedByWrongProgram',
      ],
      ['another account as the instructions', 'instructions', () => chain.copy(session.address), 'ConstraintAddress'],
    ])('settle_session rejects %s', (_what, name, address, expected) => {
      expect(errorOf(60n, {}, { [name]: address() })).toBe(expected);
      expect(session.balances()).toEqual([900n, 100n, 0n]);
    });
  });

  describe('settle_session while the payee cannot receive', () => {
    const balance = () => chain.balance(session.payeeTokenAccount);

    it.each<[string, () => void]>([
      ['was closed', () => undefined],
      [
        'was closed and its address holds lamports',
        () => chain.put(session.payeeTokenAccount, { owner: PublicKey.default, data: Buffer.alloc(0), lamports: 5_000_000n }),
      ],
    ])(
      'settle_session to a payee’s token account that %s records the voucher, and pays it without another once the account exists again',
      (_what, then) => {
        chain.run(session.closePayeeAccount());
        then();
        expect(chain.run(...session.settle(60n)).events).toMatchObject([{ data: { amount: 0n, settled: 0n, proven: 60n } }]);
        expect(session.books()).toEqual({ reserved: 100n, spent: 0n, open: 1 });
        expect(errorOf(60n)).toBe('PayeeBlocked');
        expect(errorOf(null)).toBe('PayeeBlocked');
        chain.run(session.createPayeeAccount(), ...session.settle(null));
        expect(balance()).toBe(60n);
        expect(session.books()).toEqual({ reserved: 40n, spent: 60n, open: 1 });
      },
    );

    it('settle_session pays a payee whose token account an instruction before the verification creates again', () => {
      chain.run(session.closePayeeAccount());
      const [verify, settle] = session.settle(60n);
      expect(chain.errorOf(verify!, session.createPayeeAccount(), settle!)).toBe('VoucherMissing');
      chain.run(session.createPayeeAccount(), verify!, settle!);
      expect(balance()).toBe(60n);
    });

    it('settle_session needs no payee’s token account when nothing is due', () => {
      chain.run(session.closePayeeAccount());
      expect(errorOf(0n)).toBe('none');
      expect(chain.exists(session.payeeTokenAccount)).toBe(false);
    });

    it('settle_session records the voucher while the payee’s token account is frozen, and pays it without another once it is thawed', () => {
      chain.run(chain.freeze(session.payeeTokenAccount));
      expect(chain.run(...session.settle(60n)).events).toMatchObject([{ data: { amount: 0n, settled: 0n, proven: 60n } }]);
      expect(session.books()).toEqual({ reserved: 100n, spent: 0n, open: 1 });
      expect(errorOf(60n)).toBe('PayeeBlocked');
      expect(errorOf(null)).toBe('PayeeBlocked');
      chain.run(chain.thaw(session.payeeTokenAccount), ...session.settle(null));
      expect(balance()).toBe(60n);
      expect(session.books()).toEqual({ reserved: 40n, spent: 60n, open: 1 });
    });

    it.each<[string, () => void]>([
      ['belongs to another owner', () => chain.setTokens(session.payeeTokenAccount, { owner: chain.aKey().publicKey })],
      [
        'is no longer a token account',
        () => chain.put(session.payeeTokenAccount, { owner: chain.aKey().publicKey, data: Buffer.alloc(165) }),
      ],
      ['is not initialised', () => chain.setTokens(session.payeeTokenAccount, { state: AccountState.Uninitialized })],
    ])('settle_session pays no token account that %s', (_what, spoil) => {
      spoil();
      chain.run(...session.settle(60n));
      expect(errorOf(60n)).toBe('PayeeBlocked');
      expect(chain.balance(session.escrow)).toBe(100n);
    });
  });

  it('settle_session fails while the escrow is frozen, and works once it is thawed', () => {
    chain.setTokens(session.escrow, { state: AccountState.Frozen });
    expect(errorOf(60n)).toBe('EscrowFrozen');
    chain.setTokens(session.escrow, { state: AccountState.Initialized });
    expect(errorOf(60n)).toBe('none');
  });

  it('settle_session leaves dust in the escrow', () => {
    chain.setTokens(session.escrow, { amount: 107n });
    chain.run(...session.settle(100n));
    expect(session.balances()).toEqual([900n, 7n, 100n]);
    expect(errorOf(101n)).toBe('VoucherAboveCap');
  });

  it('two settlements in one transaction each use their own voucher', () => {
    const second = anotherSession(session);
    chain.run(...session.settle(10n), ...second.settle(20n));
    expect(second.balances()).toEqual([800n, 80n, 30n]);
    expect(second.books()).toEqual({ reserved: 170n, spent: 30n, open: 2 });
  });

  it('settle_session rejects the voucher of another session with the same voucher key', () => {
    const second = new TestSession(account, 2n, session.payee);
    expect(second.errorOf({ voucherKey: session.voucherKey.publicKey })).toBe('none');
    expect(chain.errorOf(...second.settle(60n, { session: session.address, signer: session.voucherKey }))).toBe('VoucherWrongSession');
  });

  it('settle_session works in the second of the session’s expiry', () => {
    chain.setTime(START + HOUR);
    expect(errorOf(1n)).toBe('none');
  });
});
