/** `open_session`: the whole cap is judged, reserved and moved into escrow. */
import { AccountState, TOKEN_2022_PROGRAM_ID, createFreezeAccountInstruction } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import type { PolicyChange } from '../../../libs/chain/src/chain.types';
import { anAccount, idOf, type TestAccount } from './support/account';
import { START, aChain, type TestChain } from './support/chain';
import { HOUR, SESSION_SPACE, TestSession, aPlannedSession, aSession, type Opening } from './support/session';

describe('open_session', () => {
  let chain: TestChain;
  let account: TestAccount;
  let session: TestSession;

  beforeEach(() => {
    chain = aChain();
    session = aPlannedSession(chain);
    ({ account } = session);
  });

  /** Nothing moved and no number was spent. */
  function expectUntouched(): void {
    expect(session.balances()).toEqual([1_000n, 0n, 0n]);
    expect(account.read()).toMatchObject({ replay: { highest: 0n }, reserved: 0n, open_sessions: 0 });
    expect(chain.exists(session.address)).toBe(false);
  }

  describe('refuses by the rules, with the cap as the amount', () => {
    const outsider = () => chain.aKey().publicKey.toBase58();
    it.each<[string, () => PolicyChange, Partial<Opening>, string]>([
      ['a paused account', () => ({ paused: true }), {}, 'Paused'],
      ['a payee that is not listed', () => ({ allowedCounterparties: [outsider()] }), {}, 'AllowedCounterparties'],
      ['any payee where nobody is listed', () => ({ allowedCounterparties: [] }), {}, 'AllowedCounterparties'],
      ['a missing category', () => ({ categories: ['data'] }), {}, 'Categories'],
      ['another category', () => ({ categories: ['data'] }), { category: 'compute' }, 'Categories'],
      ['one above the daily limit', () => ({ maxDailySpend: 99n }), {}, 'MaxDailySpend'],
      ['more than the balance', () => ({}), { cap: 1_001n }, 'InsufficientBalance'],
      ['the threshold without the operator', () => ({ escalationThreshold: 100n }), {}, 'EscalationThreshold'],
    ])('%s', (_what, policy, opening, refusal) => {
      const change = policy();
      if (Object.keys(change).length > 0) account.change(change);
      expect(session.refusal(opening)).toBe(refusal);
      expectUntouched();
    });

    it('the first broken one in the documented order', () => {
      account.change({ allowedCounterparties: [], categories: [], maxDailySpend: 0n, escalationThreshold: 0n });
      expect(session.refusal()).toBe('AllowedCounterparties');
      account.change({ allowedCounterparties: null });
      expect(session.refusal()).toBe('Categories');
      account.change({ categories: null });
      expect(session.refusal({ cap: 2_000n })).toBe('MaxDailySpend');
      account.change({ maxDailySpend: null });
      expect(session.refusal({ cap: 2_000n })).toBe('InsufficientBalance');
      expect(session.refusal()).toBe('EscalationThreshold');
    });

    it('and tells the numbers', () => {
      account.change({ maxDailySpend: 150n });
      account.pay({ amount: 60n });
      session = new TestSession(account, 2n);
      expect(session.tryOpen().events).toMatchObject([{ name: 'Refused', data: { limit: 150n, attempted: 100n, remaining: 90n } }]);
    });
  });

  describe('is not bound', () => {
    it('by max_single_transfer', () => {
      account.change({ maxSingleTransfer: 1n });
      expect(session.refusal()).toBe('none');
    });

    it('by require_memo', () => {
      account.change({ requireMemo: true });
      expect(session.refusal()).toBe('none');
    });
  });

  it.each<[string, () => PolicyChange, Partial<Opening>]>([
    ['the limit itself', () => ({ maxDailySpend: 100n }), {}],
    ['one below the threshold', () => ({ escalationThreshold: 101n }), {}],
    ['the threshold with the operator', () => ({ escalationThreshold: 100n }), { approved: true }],
    ['a payee listed by its owner', () => ({ allowedCounterparties: [session.payee.publicKey.toBase58()] }), {}],
    ['a payee listed by its token account', () => ({ allowedCounterparties: [session.payeeTokenAccount.toBase58()] }), {}],
    ['a listed category', () => ({ categories: ['data'] }), { category: 'data' }],
  ])('allows %s', (_what, policy, opening) => {
    account.change(policy());
    expect(session.refusal(opening)).toBe('none');
  });

  describe('refuses as the payee', () => {
    it.each<[string, () => Record<string, PublicKey>, string]>([
      ['a token account that is not the associated one', () => ({ payee_token_account: chain.aTokenAccount({ owner: session.payee.publicKey }) }), 'InvalidDestination'],
      ["another owner's token account", () => ({ payee: chain.aKey().publicKey }), 'InvalidDestination'],
      ['the account itself', () => ({ payee: account.address, payee_token_account: account.tokenAccount }), 'DestinationIsSource'],
    ])('%s', (_what, accounts, refusal) => {
      expect(session.refusal({}, accounts())).toBe(refusal);
      expectUntouched();
    });

    it('the session itself, whose escrow somebody made first', () => {
      chain.run(session.createEscrow());
      expect(session.refusal({}, { payee: session.address, payee_token_account: session.escrow })).toBe('DestinationIsSource');
    });

    it('a frozen token account', () => {
      chain.run(createFreezeAccountInstruction(session.payeeTokenAccount, chain.mint, chain.freezeAuthority.publicKey));
      expect(session.refusal()).toBe('DestinationFrozen');
    });

    it('a token account that is no more', () => {
      chain.put(session.payeeTokenAccount, { owner: PublicKey.default, data: Buffer.alloc(0), lamports: 1n });
      expect(session.refusal()).toBe('InvalidDestination');
    });

    it('a token account that belongs to somebody else by now', () => {
      chain.setTokens(session.payeeTokenAccount, { owner: chain.aKey().publicKey });
      expect(session.refusal()).toBe('InvalidDestination');
    });

    it('a token account of Token-2022', () => {
      chain.put(session.payeeTokenAccount, { ...chain.account(session.payeeTokenAccount), owner: TOKEN_2022_PROGRAM_ID });
      expect(session.refusal()).toBe('InvalidDestination');
    });
  });

  describe('bounds the seconds', () => {
    it.each<[Partial<Opening>, string]>([
      [{ expiresInSeconds: 59 }, 'SessionDurationInvalid'],
      [{ expiresInSeconds: 60 }, 'none'],
      [{ expiresInSeconds: 2_592_000 }, 'none'],
      [{ expiresInSeconds: 2_592_001 }, 'SessionDurationInvalid'],
      [{ graceSeconds: 86_400 }, 'none'],
      [{ graceSeconds: 86_401 }, 'SessionDurationInvalid'],
    ])('%j: %s', (opening, refusal) => {
      expect(session.refusal(opening)).toBe(refusal);
    });
  });

  describe('refuses the keys', () => {
    it.each<[string, () => PublicKey]>([
      ['the authority', () => account.authority.publicKey],
      ['the operator', () => account.operator.publicKey],
    ])('%s as the one who pays the rent', (_who, payer) => {
      expect(session.refusal({}, { payer: payer() })).toBe('KeysNotDistinct');
    });

    it.each<[string, () => PublicKey]>([
      ['the authority', () => account.authority.publicKey],
      ['the operator', () => account.operator.publicKey],
      ['the creator', () => account.creator.publicKey],
      ['the fee payer', () => chain.feePayer.publicKey],
      ['the token account', () => account.tokenAccount],
    ])('%s as the voucher key', (_who, voucherKey) => {
      expect(session.refusal({ voucherKey: voucherKey() })).toBe('KeysNotDistinct');
    });
  });

  describe('refuses in the place of its own', () => {
    it.each<[string, string, () => PublicKey, string]>([
      ["another account's policy", 'policy', () => anAccount(chain).policy, 'WrongPolicy'],
      ["another account's token account", 'token_account', () => anAccount(chain).tokenAccount, 'WrongTokenAccount'],
      ['another mint', 'mint', () => chain.aMint(), 'WrongMint'],
      ["another session's escrow", 'escrow', () => new TestSession(account, 9n).escrow, 'MissingAccount'],
      ["another number's session", 'session', () => new TestSession(account, 9n).address, 'ConstraintSeeds'],
      ['a stranger for the authority', 'authority', () => chain.aKey().publicKey, 'WrongAuthority'],
      ['the operator for the authority', 'authority', () => account.operator.publicKey, 'WrongAuthority'],
      ['a stranger for the operator', 'operator', () => chain.aKey().publicKey, 'WrongOperator'],
    ])('%s', (_what, name, address, refusal) => {
      expect(session.refusal({}, { [name]: address() })).toBe(refusal);
      expectUntouched();
    });
  });

  it('refuses nothing, a number spent before, and one too far', () => {
    expect(session.refusal({ cap: 0n })).toBe('AmountZero');
    expect(new TestSession(account, 1_025n).refusal()).toBe('SeqTooFar');
    account.pay({ seq: 1n });
    expect(session.refusal()).toBe('AlreadyExecuted');
  });

  it('spends its number: no session ever opens at that address again', () => {
    expect(session.refusal()).toBe('none');
    chain.run(...session.close(null));
    expect(session.isOver).toBe(true);
    expect(session.refusal()).toBe('AlreadyExecuted');
    expect(account.refusal({ seq: 1n })).toBe('AlreadyExecuted');
  });

  it('moves the cap into escrow, reserves it and counts the session', () => {
    expect(session.refusal()).toBe('none');
    expect(session.balances()).toEqual([900n, 100n, 0n]);
    expect(session.books()).toEqual({ reserved: 100n, spent: 0n, open: 1 });
    expect(chain.account(session.address).data.length).toBe(SESSION_SPACE);
    expect(session.read()).toMatchObject({ status: 1, cap: 100n, settled: 0n, proven: 0n, seq: 1n, opened_at: BigInt(START), expires_at: BigInt(START + HOUR), closing_at: 0n, grace_seconds: 0 });
  });

  it('leaves the rest of the daily limit to others', () => {
    account.change({ maxDailySpend: 150n });
    session.tryOpen();
    expect(account.refusal({ amount: 51n })).toBe('MaxDailySpend');
    expect(account.refusal({ amount: 50n })).toBe('none');
  });

  it('tells everything about it', () => {
    const { events } = session.tryOpen({ sessionId: idOf(77), category: 'data', graceSeconds: 5, approved: true });
    expect(events).toEqual([
      {
        name: 'SessionOpened',
        data: {
          account: account.address.toBase58(),
          session: session.address.toBase58(),
          session_id: idOf(77).toString('hex'),
          seq: 1n,
          cap: 100n,
          payee: session.payee.publicKey.toBase58(),
          payee_token_account: session.payeeTokenAccount.toBase58(),
          voucher_key: session.voucherKey.publicKey.toBase58(),
          provider_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
          category: Buffer.concat([Buffer.from('data')], 32).toString('hex'),
          opened_at: BigInt(START),
          expires_at: BigInt(START + HOUR),
          grace_seconds: 5,
          policy_version: 1n,
          approved: true,
        },
      },
    ]);
  });

  describe('where strangers were first', () => {
    it('takes an escrow that is there, with money in it', () => {
      chain.run(session.createEscrow());
      chain.setTokens(session.escrow, { amount: 7n });
      expect(session.refusal()).toBe('none');
      expect(session.balances()).toEqual([900n, 107n, 0n]);
      expect(session.books()).toMatchObject({ reserved: 100n });
      expect(session.read()).toMatchObject({ cap: 100n });
    });

    it('takes addresses with lamports on them', () => {
      for (const address of [session.address, session.escrow]) chain.put(address, { owner: PublicKey.default, data: Buffer.alloc(0), lamports: 1_000_000n });
      expect(session.refusal()).toBe('none');
    });

    it('refuses a frozen escrow', () => {
      chain.run(session.createEscrow());
      chain.setTokens(session.escrow, { state: AccountState.Frozen });
      expect(session.refusal()).toBe('EscrowFrozen');
    });
  });

  it('opens 64 sessions and not one more', () => {
    chain.setTokens(account.tokenAccount, { amount: 100_000n });
    account.setOpenSessions(63);
    expect(session.refusal()).toBe('none');
    expect(new TestSession(account, 2n).refusal()).toBe('TooManySessions');
    chain.run(...session.close(null));
    expect(new TestSession(account, 2n).refusal()).toBe('none');
  });

  it('opens two for the same payee side by side', () => {
    const first = aSession(chain);
    const second = new TestSession(first.account, 2n, first.payee);
    expect(second.refusal()).toBe('none');
    expect(second.books()).toEqual({ reserved: 200n, spent: 0n, open: 2 });
  });
});
