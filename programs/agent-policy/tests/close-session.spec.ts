/** `close_session` and `close_expired_session`: the payee gets what is proven, the account all the rest, and nothing stays reserved. */
import { AccountState, createFreezeAccountInstruction, createThawAccountInstruction } from '@solana/spl-token';
import type { PublicKey, TransactionInstruction } from '@solana/web3.js';
import { SPACE, anAccount, type TestAccount } from './support/account';
import { START, aChain, unsigned, type TestChain } from './support/chain';
import { HOUR, SESSION_SPACE, anotherSession, aSession, type TestSession } from './support/session';

const DAY = 86_400;
const GRACE = 600;

describe('closing a session', () => {
  let chain: TestChain;
  let account: TestAccount;
  /** Without a grace period, and with one. */
  let session: TestSession;
  let gracious: TestSession;

  beforeEach(() => {
    chain = aChain();
    session = aSession(chain);
    ({ account } = session);
    gracious = aSession(chain, { graceSeconds: GRACE });
  });

  const refusal = (instructions: TransactionInstruction[]): string => chain.refusal(...instructions);
  const freeze = (address: PublicKey) => createFreezeAccountInstruction(address, chain.mint, chain.freezeAuthority.publicKey);
  const thaw = (address: PublicKey) => createThawAccountInstruction(address, chain.mint, chain.freezeAuthority.publicKey);

  describe('without a grace period', () => {
    it('pays the voucher, refunds the rest and frees the limit in one transaction', () => {
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

    it('counts what was settled before', () => {
      chain.run(...session.settle(30n));
      expect(chain.run(...session.close(60n)).events).toMatchObject([{ data: { amount: 30n, settled: 60n, returned: 40n } }]);
      expect(session.balances()).toEqual([940n, 0n, 60n]);
      expect(session.books()).toEqual({ reserved: 0n, spent: 60n, open: 0 });
    });

    it('pays what was shown before where no voucher, or a lower one, is shown', () => {
      chain.run(...session.settle(30n), ...session.close(10n));
      expect(session.balances()).toEqual([970n, 0n, 30n]);
    });

    it('gives everything back where nothing was ever paid, and needs no token account of the payee for it', () => {
      chain.run(session.closePayeeAccount());
      chain.run(...session.close(null));
      expect(session.balances()).toEqual([1_000n, 0n, 0n]);
      expect(session.books()).toEqual({ reserved: 0n, spent: 0n, open: 0 });
    });

    it('is allowed to the operator', () => {
      expect(refusal(session.close(60n, { closer: account.operator.publicKey }))).toBe('none');
    });

    it('gives the rent of both accounts to who paid it', () => {
      const before = chain.lamports(chain.feePayer.publicKey);
      const fees = 5_000n * 2n; // the fee payer's signature and the authority's
      chain.run(...session.close(null));
      expect(chain.lamports(chain.feePayer.publicKey) - before).toBe(chain.rent(SESSION_SPACE) + chain.rent(SPACE.tokenAccount) - fees);
    });

    it.each<[string, () => PublicKey]>([
      ['the payee alone', () => session.payee.publicKey],
      ['a stranger', () => chain.aKey().publicKey],
      ['the fee payer', () => chain.feePayer.publicKey],
      ["another account's authority", () => gracious.account.authority.publicKey],
      ["another account's operator", () => gracious.account.operator.publicKey],
    ])('is refused to %s', (_who, closer) => {
      expect(refusal(session.close(60n, { closer: closer() }))).toBe('SessionInUse');
      expect(session.balances()).toEqual([900n, 100n, 0n]);
    });

    it('is refused to the authority named but not signing', () => {
      const [verify, close] = session.close(60n);
      const { publicKey } = account.authority;
      expect(refusal([verify!, unsigned(close!, publicKey)])).toBe('AccountNotSigner');
    });

    it('is not refused by a pause, or by limits lowered to nothing', () => {
      account.change({ maxDailySpend: 0n, allowedCounterparties: [], categories: [], escalationThreshold: 0n });
      account.change({ paused: true });
      expect(refusal(session.close(60n))).toBe('none');
    });

    it('is refused with a voucher that is no good, and nothing happens', () => {
      expect(refusal(session.close(101n))).toBe('VoucherAboveCap');
      expect(refusal(session.close(60n, { expiresAt: BigInt(START) }))).toBe('VoucherExpired');
      expect(refusal(session.close(60n, { signer: account.authority }))).toBe('VoucherWrongKey');
      const [, close] = session.close(60n);
      expect(refusal([close!])).toBe('VoucherMissing');
      expect(session.balances()).toEqual([900n, 100n, 0n]);
    });

    it('is over once: a second time there is nothing to close', () => {
      chain.run(...session.close(60n));
      expect(refusal(session.close(60n))).toBe('AccountOwnedByWrongProgram');
      expect(refusal(session.closeExpired(60n))).toBe('AccountOwnedByWrongProgram');
    });
  });

  describe('with a grace period', () => {
    it('begins it, pays what is shown, and keeps the rest in escrow and reserved', () => {
      const { events } = chain.run(...gracious.close(60n));
      expect(gracious.balances()).toEqual([900n, 40n, 60n]);
      expect(gracious.books()).toEqual({ reserved: 40n, spent: 60n, open: 1 });
      expect(gracious.read()).toMatchObject({ status: 2, closing_at: BigInt(START), settled: 60n });
      expect(events).toMatchObject([{ name: 'SessionClosing', data: { amount: 60n, settled: 60n, ends_at: BigInt(START + GRACE) } }]);
    });

    it('lets the payee settle a higher voucher in its last second, and anybody end it in the next', () => {
      chain.run(...gracious.close(60n));
      chain.setTime(START + GRACE - 1);
      chain.run(...gracious.settle(80n));
      expect(refusal(gracious.closeExpired(null))).toBe('SessionInUse');
      expect(refusal(gracious.close(null, { closer: chain.aKey().publicKey }))).toBe('SessionInUse');
      chain.setTime(START + GRACE);
      expect(refusal(gracious.close(null, { closer: chain.aKey().publicKey }))).toBe('none');
      expect(gracious.balances()).toEqual([920n, 0n, 80n]);
      expect(gracious.books()).toEqual({ reserved: 0n, spent: 80n, open: 0 });
    });

    it('is not prolonged, nor shortened, by closing again', () => {
      chain.run(...gracious.close(null));
      chain.setTime(START + GRACE - 1);
      expect(chain.run(...gracious.close(10n)).events).toMatchObject([
        { name: 'SessionClosing', data: { ends_at: BigInt(START + GRACE) } },
      ]);
      chain.setTime(START + GRACE);
      expect(refusal(gracious.closeExpired(null))).toBe('none');
      expect(gracious.balances()).toEqual([990n, 0n, 10n]);
    });

    it('is over at once where the payee consents, at any time', () => {
      expect(refusal(gracious.close(60n, { consent: true }))).toBe('none');
      expect(gracious.balances()).toEqual([940n, 0n, 60n]);
      const second = anotherSession(gracious, { graceSeconds: GRACE });
      chain.run(...second.close(null));
      expect(refusal(second.close(60n, { consent: true }))).toBe('none');
      expect(second.isOver).toBe(true);
    });

    it('wants the payee’s own consent, and signed', () => {
      expect(refusal(gracious.close(60n, { consent: true }, { payee_consent: chain.aKey().publicKey }))).toBe('WrongPayee');
      const [verify, close] = gracious.close(60n, { consent: true });
      expect(refusal([verify!, unsigned(close!, gracious.payee.publicKey)])).toBe('AccountNotSigner');
      expect(refusal(gracious.close(60n, { consent: true, closer: gracious.payee.publicKey }))).toBe('SessionInUse');
    });

    it('is over at once for its owner when it expired a grace period ago', () => {
      chain.setTime(START + HOUR + GRACE);
      expect(refusal(gracious.close(60n))).toBe('none');
      expect(gracious.isOver).toBe(true);
    });
  });

  describe('after the expiry', () => {
    it('needs nobody’s signature, a grace period later and no second sooner', () => {
      chain.setTime(START + HOUR + GRACE - 1);
      expect(refusal(gracious.closeExpired(60n))).toBe('SessionInUse');
      chain.setTime(START + HOUR + GRACE);
      const stranger = chain.aKey();
      const { refusal: refused, events } = chain.sendAs(stranger, ...gracious.closeExpired(60n));
      expect(refused).toBeUndefined();
      expect(events).toMatchObject([{ name: 'SessionClosed', data: { amount: 60n, settled: 60n, returned: 40n } }]);
      expect(gracious.balances()).toEqual([940n, 0n, 60n]);
    });

    it('is at once where there is no grace period', () => {
      chain.setTime(START + HOUR - 1);
      expect(refusal(session.closeExpired(60n))).toBe('SessionInUse');
      chain.setTime(START + HOUR);
      expect(refusal(session.closeExpired(60n))).toBe('none');
    });

    it('is not put off by a closing that begins late', () => {
      chain.setTime(START + HOUR + GRACE - 1);
      chain.run(...gracious.close(null));
      chain.setTime(START + HOUR + GRACE);
      expect(refusal(gracious.closeExpired(null))).toBe('none');
    });

    it('counts what is paid then, not when it was opened', () => {
      account.change({ maxDailySpend: 100n });
      chain.setTime(START + 3 * DAY);
      chain.run(...session.closeExpired(100n));
      expect(account.refusal({ amount: 1n })).toBe('MaxDailySpend');
    });

    it('frees what was not used at once', () => {
      account.change({ maxDailySpend: 100n });
      expect(account.refusal({ seq: 2n, amount: 1n })).toBe('MaxDailySpend');
      chain.run(...session.close(30n));
      expect(account.refusal({ seq: 2n, amount: 71n })).toBe('MaxDailySpend');
      expect(account.refusal({ seq: 2n, amount: 70n })).toBe('none');
    });
  });

  describe('refuses in the place of its own', () => {
    it.each<[string, string, () => PublicKey, string]>([
      ["a stranger's token account for the refund", 'token_account', () => chain.aTokenAccount(), 'WrongTokenAccount'],
      [
        'another token account of the account’s',
        'token_account',
        () => chain.aTokenAccount({ owner: account.address }),
        'WrongTokenAccount',
      ],
      ["the payee's token account for the refund", 'token_account', () => session.payeeTokenAccount, 'WrongTokenAccount'],
      ['a stranger for the rent', 'rent_payer', () => chain.aKey().publicKey, 'WrongRentRecipient'],
      ["another account's session", 'session', () => gracious.address, 'WrongSession'],
      ["another session's escrow", 'escrow', () => gracious.escrow, 'WrongEscrow'],
      ['a stranger as the payee', 'payee', () => chain.aKey().publicKey, 'WrongPayee'],
      [
        'another token account as the payee’s',
        'payee_token_account',
        () => chain.aTokenAccount({ owner: session.payee.publicKey }),
        'WrongPayee',
      ],
      ['another mint', 'mint', () => chain.aMint(), 'WrongMint'],
    ])('%s', (_what, name, address, expected) => {
      expect(refusal(session.close(60n, {}, { [name]: address() }))).toBe(expected);
      chain.setTime(START + HOUR);
      expect(refusal(session.closeExpired(60n, {}, { [name]: address() }))).toBe(expected);
      expect(session.balances()).toEqual([900n, 100n, 0n]);
    });
  });

  describe('with dust in the escrow', () => {
    it('gives it to the account, and tells it apart from what returns', () => {
      chain.setTokens(session.escrow, { amount: 107n });
      expect(chain.run(...session.close(60n)).events).toMatchObject([{ data: { settled: 60n, returned: 40n, refunded: 40n, dust: 7n } }]);
      expect(session.balances()).toEqual([947n, 0n, 60n]);
      expect(session.books()).toEqual({ reserved: 0n, spent: 60n, open: 0 });
    });

    it('of the payee’s own sending, is over all the same', () => {
      chain.run(...session.settle(100n));
      chain.setTokens(session.escrow, { amount: 1n });
      expect(refusal(session.close(null))).toBe('none');
      expect(session.balances()).toEqual([901n, 0n, 100n]);
    });
  });

  describe('while the payee cannot receive', () => {
    beforeEach(() => chain.run(freeze(session.payeeTokenAccount)));

    it('frees the limit and the rest, and keeps for it what the voucher proves', () => {
      const { events } = chain.run(...session.close(60n));
      expect(session.balances()).toEqual([940n, 60n, 0n]);
      expect(session.books()).toEqual({ reserved: 0n, spent: 60n, open: 0 });
      expect(session.read()).toMatchObject({ status: 3, settled: 0n, proven: 60n });
      expect(events).toMatchObject([
        { name: 'SessionClosed', data: { amount: 0n, settled: 60n, returned: 40n, owed: 60n, refunded: 40n, dust: 0n } },
      ]);
    });

    it('is over entirely where nothing is owed', () => {
      expect(refusal(session.close(null))).toBe('none');
      expect(session.isOver).toBe(true);
    });

    it('keeps what was shown before, whoever ends it without a voucher', () => {
      chain.run(...session.settle(60n));
      chain.setTime(START + HOUR);
      chain.run(...session.closeExpired(null));
      expect(session.balances()).toEqual([940n, 60n, 0n]);
    });

    it('begins the grace period without paying, where there is one', () => {
      chain.run(freeze(gracious.payeeTokenAccount), ...gracious.close(60n));
      expect(gracious.balances()).toEqual([900n, 100n, 0n]);
      expect(gracious.read()).toMatchObject({ status: 2, settled: 0n, proven: 60n });
      chain.setTime(START + GRACE);
      chain.run(...gracious.closeExpired(null));
      expect(gracious.balances()).toEqual([940n, 60n, 0n]);
      expect(gracious.books()).toEqual({ reserved: 0n, spent: 60n, open: 0 });
    });

    it('counts what is owed once: when it is released, and not when it is claimed', () => {
      account.change({ maxDailySpend: 100n });
      chain.run(...session.close(60n));
      expect(account.refusal({ seq: 2n, amount: 41n })).toBe('MaxDailySpend');
      chain.setTime(START + 2 * DAY);
      chain.run(thaw(session.payeeTokenAccount), ...session.settle(null));
      expect(session.balances()).toEqual([940n, 0n, 60n]);
      expect(session.books()).toMatchObject({ reserved: 0n, open: 0 });
      expect(account.refusal({ seq: 2n, amount: 100n })).toBe('none');
    });

    it('stays claimable, no more than is owed, by any voucher or none', () => {
      chain.run(...session.close(60n));
      expect(refusal(session.settle(100n))).toBe('PayeeBlocked');
      expect(refusal(session.closeExpired(null))).toBe('PayeeBlocked');
      chain.run(thaw(session.payeeTokenAccount));
      expect(refusal(session.settle(100n))).toBe('none');
      expect(session.balances()).toEqual([940n, 0n, 60n]);
      expect(refusal(session.settle(100n))).toBe('none');
      expect(session.balances()).toEqual([940n, 0n, 60n]);
    });

    it('ends for good by anybody’s closing once the payee can receive, and gives the rent back', () => {
      chain.run(...session.close(60n));
      chain.setTokens(session.escrow, { amount: 65n });
      chain.run(thaw(session.payeeTokenAccount));
      expect(chain.run(...session.closeExpired(null)).events).toMatchObject([
        { name: 'SessionClosed', data: { amount: 60n, settled: 60n, returned: 40n, owed: 0n, refunded: 0n, dust: 5n } },
      ]);
      expect(session.balances()).toEqual([945n, 0n, 60n]);
      expect(session.isOver).toBe(true);
      expect(session.books()).toEqual({ reserved: 0n, spent: 60n, open: 0 });
    });

    it('keeps the account from being closed until what is owed is claimed', () => {
      chain.run(...session.close(60n));
      const everything = account.balance();
      expect(account.refusal({ seq: 2n, amount: everything })).toBe('none');
      expect(chain.refusal(account.close())).toBe('AccountInUse');
      chain.run(thaw(session.payeeTokenAccount), ...session.closeExpired(null));
      expect(chain.refusal(account.close())).toBe('none');
    });

    it('is topped up no more', () => {
      chain.run(...session.close(60n));
      expect(chain.refusal(session.topUp())).toBe('SessionNotOpen');
    });

    it('lets the account open others, up to its limit', () => {
      account.change({ maxDailySpend: 160n });
      chain.run(...session.close(60n));
      chain.run(thaw(session.payeeTokenAccount));
      expect(anotherSession(session).books()).toEqual({ reserved: 100n, spent: 60n, open: 1 });
    });
  });

  describe.each<[string, (session: TestSession) => void]>([
    ['belongs to somebody else', ({ payeeTokenAccount }) => chain.setTokens(payeeTokenAccount, { owner: chain.aKey().publicKey })],
    [
      'is no token account any more',
      ({ payeeTokenAccount }) => chain.put(payeeTokenAccount, { owner: chain.aKey().publicKey, data: Buffer.alloc(165) }),
    ],
    ['was closed', (closed) => chain.run(closed.closePayeeAccount())],
  ])('where the payee’s token account %s', (_what, spoil) => {
    it('what is owed stays in escrow, and all the rest is over', () => {
      spoil(session);
      chain.setTime(START + HOUR);
      chain.run(...session.closeExpired(60n));
      expect(chain.balance(session.escrow)).toBe(60n);
      expect(session.books()).toEqual({ reserved: 0n, spent: 60n, open: 0 });
    });
  });

  describe('where the payee closed its token account', () => {
    beforeEach(() => chain.run(session.closePayeeAccount()));

    it('pays it where an instruction before makes it again', () => {
      chain.run(session.createPayeeAccount(), ...session.close(60n));
      expect(session.balances()).toEqual([940n, 0n, 60n]);
      expect(session.isOver).toBe(true);
    });

    it('keeps for it what the voucher proves, until somebody makes it again', () => {
      expect(chain.run(...session.close(60n)).events).toMatchObject([{ data: { amount: 0n, settled: 60n, returned: 40n, owed: 60n } }]);
      expect(session.balances()).toEqual([940n, 60n, 0n]);
      expect(session.books()).toEqual({ reserved: 0n, spent: 60n, open: 0 });
      expect(refusal(session.closeExpired(null))).toBe('PayeeBlocked');
      chain.run(session.createPayeeAccount(), ...session.closeExpired(null));
      expect(session.balances()).toEqual([940n, 0n, 60n]);
      expect([session.isOver, session.books()]).toEqual([true, { reserved: 0n, spent: 60n, open: 0 }]);
    });

    it('begins the grace period without paying, where there is one, and ends all the same', () => {
      chain.run(gracious.closePayeeAccount(), ...gracious.close(60n));
      expect(gracious.read()).toMatchObject({ status: 2, settled: 0n, proven: 60n });
      chain.setTime(START + GRACE);
      chain.run(...gracious.closeExpired(null));
      expect(gracious.balances()).toEqual([940n, 60n, 0n]);
      expect(gracious.books()).toEqual({ reserved: 0n, spent: 60n, open: 0 });
    });
  });

  describe('while the account’s own token account is frozen', () => {
    beforeEach(() => chain.run(freeze(account.tokenAccount)));

    it('is refused, and may be repeated', () => {
      expect(refusal(session.close(60n))).toBe('SourceFrozen');
      chain.run(thaw(account.tokenAccount));
      expect(refusal(session.close(60n))).toBe('none');
    });

    it('still pays the payee, and is over where nothing comes back', () => {
      expect(refusal(session.settle(60n))).toBe('none');
      expect(refusal(session.close(100n))).toBe('none');
      expect(session.isOver).toBe(true);
    });
  });

  it('is refused while the escrow is frozen, and may be repeated', () => {
    chain.setTokens(session.escrow, { state: AccountState.Frozen });
    expect(refusal(session.close(60n))).toBe('EscrowFrozen');
    chain.setTokens(session.escrow, { state: AccountState.Initialized });
    expect(refusal(session.close(60n))).toBe('none');
  });

  it('works by a new authority, and no more by the old one', () => {
    const old = account.authority;
    const next = chain.aKey();
    chain.run(account.rotateAuthority(next.publicKey));
    expect(refusal(session.close(60n, { closer: old.publicKey }))).toBe('SessionInUse');
    expect(refusal(session.close(60n, { closer: next.publicKey }))).toBe('none');
  });

  it('keeps the account from being closed until it is over', () => {
    const empty = aSession(chain, { cap: 1_000n });
    expect(chain.refusal(empty.account.close())).toBe('AccountInUse');
    chain.run(...empty.close(1_000n));
    expect(chain.refusal(empty.account.close())).toBe('none');
    expect(anAccount(chain).balance()).toBe(1_000n);
  });
});
