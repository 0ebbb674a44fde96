/** `open_session`: checks the whole cap against the policy, reserves it and moves it into escrow. */
import { TOKEN_2022_PROGRAM_ID, createAssociatedTokenAccountIdempotentInstruction } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import type { PolicyChange } from '../../../libs/chain/src/policy/policy.types';
import { Addresses } from '../../../libs/chain/src/program/addresses';
import { PROGRAM_ID } from '../../../libs/chain/src/program/idl';
import { anAccount, type TestAccount } from './support/account';
import { idOf } from './support/account-instructions';
import { START, aChain, type TestChain } from './support/chain';
import { HOUR, SESSION_SPACE, TestSession, aPlannedSession, aSession, expectUntouched, type Opening } from './support/session';

describe('open_session', () => {
  let chain: TestChain;
  let account: TestAccount;
  let session: TestSession;

  beforeEach(() => {
    chain = aChain();
    session = aPlannedSession(chain);
    ({ account } = session);
  });

  it.each([
    ['the neutral element', '01' + '00'.repeat(31)],
    ['the neutral element with a sign', '01' + '00'.repeat(30) + '80'],
    ['the point of order two', 'ec' + 'ff'.repeat(30) + '7f'],
    ['a point of order four', '00'.repeat(32)],
    ['a point of order four, not reduced', 'ed' + 'ff'.repeat(30) + 'ff'],
    ['a point of order eight', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'],
  ])('open_session rejects %s as the voucher key', (_what, hex) => {
    expect(session.errorOf({ voucherKey: new PublicKey(Buffer.from(hex, 'hex')) })).toBe('VoucherKeyInvalid');
    expectUntouched(session);
  });

  describe('open_session checks the policy, with the cap as the amount', () => {
    const outsider = () => chain.aKey().publicKey.toBase58();
    it.each<[string, () => PolicyChange, Partial<Opening>, string]>([
      ['a paused account', () => ({ paused: true }), {}, 'Paused'],
      ['a payee that is not listed', () => ({ allowedCounterparties: [outsider()] }), {}, 'AllowedCounterparties'],
      ['any payee while the list is empty', () => ({ allowedCounterparties: [] }), {}, 'AllowedCounterparties'],
      ['a missing category', () => ({ categories: ['data'] }), {}, 'Categories'],
      ['a category that is not listed', () => ({ categories: ['data'] }), { category: 'compute' }, 'Categories'],
      ['a cap one above the daily limit', () => ({ maxDailySpend: 99n }), {}, 'MaxDailySpend'],
      ['a cap above the balance', () => ({}), { cap: 1_001n }, 'InsufficientBalance'],
      ['a cap at the threshold without the operator', () => ({ escalationThreshold: 100n }), {}, 'EscalationThreshold'],
    ])('open_session rejects %s', (_what, policy, opening, error) => {
      const change = policy();
      if (Object.keys(change).length > 0) account.change(change);
      expect(session.errorOf(opening)).toBe(error);
      expectUntouched(session);
    });

    it('open_session reports the first violated rule in the documented order', () => {
      account.change({ allowedCounterparties: [], categories: [], maxDailySpend: 0n, escalationThreshold: 0n });
      expect(session.errorOf()).toBe('AllowedCounterparties');
      account.change({ allowedCounterparties: null });
      expect(session.errorOf()).toBe('Categories');
      account.change({ categories: null });
      expect(session.errorOf({ cap: 2_000n })).toBe('MaxDailySpend');
      account.change({ maxDailySpend: null });
      expect(session.errorOf({ cap: 2_000n })).toBe('InsufficientBalance');
      expect(session.errorOf()).toBe('EscalationThreshold');
    });

    it('open_session logs the numbers of a violation', () => {
      account.change({ maxDailySpend: 150n });
      account.pay({ amount: 60n });
      session = new TestSession(account, 2n);
      expect(session.tryOpen().events).toMatchObject([{ name: 'PolicyViolated', data: { limit: 150n, attempted: 100n, remaining: 90n } }]);
    });
  });

  describe('max_session_cap', () => {
    it('open_session enforces max_session_cap, at the limit and one over, and logs the numbers', () => {
      account.change({ maxSessionCap: 99n });
      expect(session.tryOpen()).toMatchObject({
        error: 'MaxSessionCap',
        events: [{ name: 'PolicyViolated', data: { limit: 99n, attempted: 100n } }],
      });
      account.change({ maxSessionCap: 100n });
      expect(session.errorOf()).toBe('none');
    });

    it('open_session checks max_session_cap after the pause and before counterparties', () => {
      account.change({ maxSessionCap: 0n, allowedCounterparties: [] });
      expect(session.errorOf()).toBe('MaxSessionCap');
      account.change({ paused: true });
      expect(session.errorOf()).toBe('Paused');
    });

    it('set_policy clears max_session_cap, and a policy without it sets no limit', () => {
      account.change({ maxSessionCap: 1n });
      account.change({ maxSessionCap: null });
      expect(account.readPolicy().maxSessionCap).toBeNull();
      expect(session.errorOf()).toBe('none');
    });

    it('max_session_cap keeps a thief with the authority from paying a listed payee the whole daily limit through one session', () => {
      account.change({ maxSingleTransfer: 1n, maxDailySpend: 100n, maxSessionCap: 5n });
      expect(session.errorOf()).toBe('MaxSessionCap');
      expect(session.errorOf({ cap: 5n })).toBe('none');
      expect(chain.errorOf(session.topUp({ seq: 2n, amount: 1n }))).toBe('MaxSessionCap');
    });
  });

  it.each<[string, () => PolicyChange, Partial<Opening>]>([
    ['a cap at the daily limit', () => ({ maxDailySpend: 100n }), {}],
    ['a cap one below the threshold', () => ({ escalationThreshold: 101n }), {}],
    ['a cap at the threshold with the operator', () => ({ escalationThreshold: 100n }), { approved: true }],
    ['a payee listed by its owner address', () => ({ allowedCounterparties: [session.payee.publicKey.toBase58()] }), {}],
    ['a payee listed by its token account', () => ({ allowedCounterparties: [session.payeeTokenAccount.toBase58()] }), {}],
    ['a listed category', () => ({ categories: ['data'] }), { category: 'data' }],
    ['a cap above max_single_transfer', () => ({ maxSingleTransfer: 1n }), {}],
    ['an opening without a memo under require_memo', () => ({ requireMemo: true }), {}],
  ])('open_session allows %s', (_what, policy, opening) => {
    account.change(policy());
    expect(session.errorOf(opening)).toBe('none');
  });

  it.each([false, true])('open_session stores the cap that the operator approved (signed: %s)', (approved) => {
    const { events } = session.tryOpen({ approved, graceSeconds: 7 });
    expect(events).toMatchObject([{ data: { approved } }]);
    const { data } = chain.account(session.address);
    expect([data.length, [...data.subarray(8, 16)]]).toEqual([SESSION_SPACE, [3, session.bumps.session, 1, 0, 7, 0, 0, 0]]);
    expect(session.read()).toMatchObject({ approved_cap: approved ? 100n : 0n });
  });

  describe('open_session checks the payee', () => {
    it.each<[string, () => Record<string, PublicKey>, string]>([
      [
        'a token account that is not the associated one',
        () => ({ payee_token_account: chain.aTokenAccount({ owner: session.payee.publicKey }) }),
        'InvalidDestination',
      ],
      ['another owner’s token account', () => ({ payee: chain.aKey().publicKey }), 'InvalidDestination'],
    ])('open_session rejects as the payee’s token account: %s', (_what, accounts, error) => {
      expect(session.errorOf({}, accounts())).toBe(error);
      expectUntouched(session);
    });

    it.each<[string, () => PublicKey]>([
      ['the account itself', () => account.address],
      ['the session itself, for which anyone can create a token account', () => session.address],
    ])('open_session rejects %s as the payee', (_what, owner) => {
      const payee = owner();
      const { address, bump } = new Addresses(PROGRAM_ID, account.mint).associated(payee);
      chain.run(createAssociatedTokenAccountIdempotentInstruction(chain.feePayer.publicKey, address, payee, account.mint));
      expect(session.errorOf({ bumps: { payee: bump } }, { payee, payee_token_account: address })).toBe('DestinationIsSource');
      expectUntouched(session);
    });

    it.each<[string, (payee: PublicKey) => unknown, string]>([
      ['is frozen', (payee) => chain.run(chain.freeze(payee)), 'DestinationFrozen'],
      ['was closed', (payee) => chain.put(payee, { owner: PublicKey.default, data: Buffer.alloc(0), lamports: 1n }), 'InvalidDestination'],
      ['now belongs to another owner', (payee) => chain.setTokens(payee, { owner: chain.aKey().publicKey }), 'InvalidDestination'],
      [
        'is one of Token-2022',
        (payee) => chain.put(payee, { ...chain.account(payee), owner: TOKEN_2022_PROGRAM_ID }),
        'InvalidDestination',
      ],
    ])('open_session rejects a payee whose token account %s', (_what, spoil, error) => {
      spoil(session.payeeTokenAccount);
      expect(session.errorOf()).toBe(error);
    });
  });

  it.each<[Partial<Opening>, string]>([
    [{ expiresInSeconds: 59 }, 'SessionDurationInvalid'],
    [{ expiresInSeconds: 60 }, 'none'],
    [{ expiresInSeconds: 2_592_000 }, 'none'],
    [{ expiresInSeconds: 2_592_001 }, 'SessionDurationInvalid'],
    [{ graceSeconds: 86_400 }, 'none'],
    [{ graceSeconds: 86_401 }, 'SessionDurationInvalid'],
  ])('open_session with %j: %s', (opening, error) => {
    expect(session.errorOf(opening)).toBe(error);
  });

  it.each<[string, () => Parameters<TestSession['errorOf']>]>([
    ['the authority as the rent payer', () => [{}, { payer: account.authority.publicKey }]],
    ['the operator as the rent payer', () => [{}, { payer: account.operator.publicKey }]],
    ['the authority as the voucher key', () => [{ voucherKey: account.authority.publicKey }]],
    ['the operator as the voucher key', () => [{ voucherKey: account.operator.publicKey }]],
    ['the creator as the voucher key', () => [{ voucherKey: account.creator.publicKey }]],
    ['the fee payer as the voucher key', () => [{ voucherKey: chain.feePayer.publicKey }]],
    ['the token account as the voucher key', () => [{ voucherKey: account.tokenAccount }]],
  ])('open_session rejects %s, because keys are distinct', (_what, opening) => {
    expect(session.errorOf(...opening())).toBe('KeysNotDistinct');
  });

  it.each<[string, string, () => PublicKey, string]>([
    ['another account’s policy', 'policy', () => anAccount(chain).policy, 'WrongPolicy'],
    ['another account’s token account', 'token_account', () => anAccount(chain).tokenAccount, 'WrongTokenAccount'],
    ['another mint', 'mint', () => chain.aMint(), 'InvalidDestination'],
    ['another session’s escrow', 'escrow', () => new TestSession(account, 9n).escrow, 'WrongEscrow'],
    ['the escrow of another account’s open session', 'escrow', () => aSession(chain).escrow, 'WrongEscrow'],
    ['another token account of the session as the escrow', 'escrow', () => chain.aTokenAccount({ owner: session.address }), 'WrongEscrow'],
    ['the account’s own token account as the escrow', 'escrow', () => account.tokenAccount, 'WrongEscrow'],
    ['the payee’s token account as the escrow', 'escrow', () => session.payeeTokenAccount, 'WrongEscrow'],
    ['the session of another nonce', 'session', () => new TestSession(account, 9n).address, 'WrongSession'],
    ['another account’s session of the same nonce', 'session', () => new TestSession(anAccount(chain), 1n).address, 'WrongSession'],
    ['another account’s open session', 'session', () => aSession(chain).address, 'WrongSession'],
    ['a stranger’s wallet as the session', 'session', () => chain.aKey().publicKey, 'WrongSession'],
    ['the policy as the session', 'session', () => account.policy, 'WrongSession'],
    ['a stranger as the authority', 'authority', () => chain.aKey().publicKey, 'WrongAuthority'],
    ['the operator as the authority', 'authority', () => account.operator.publicKey, 'WrongAuthority'],
    ['a stranger as the operator', 'operator', () => chain.aKey().publicKey, 'WrongOperator'],
  ])('open_session rejects %s', (_what, name, address, error) => {
    expect(session.errorOf({}, { [name]: address() })).toBe(error);
    expectUntouched(session);
  });

  it('open_session rejects a cap of zero, a used nonce, and a nonce too far ahead', () => {
    expect(session.errorOf({ cap: 0n })).toBe('AmountZero');
    expect(new TestSession(account, 1_025n).errorOf()).toBe('SeqTooFar');
    account.pay({ seq: 1n });
    expect(session.errorOf()).toBe('AlreadyExecuted');
  });

  it('open_session uses up its nonce, so no session opens at that address again', () => {
    expect(session.errorOf()).toBe('none');
    chain.run(...session.close(null));
    expect(session.isOver).toBe(true);
    expect(session.errorOf()).toBe('AlreadyExecuted');
    expect(account.errorOf({ seq: 1n })).toBe('AlreadyExecuted');
  });

  it('open_session moves the cap into escrow, reserves it and counts the session', () => {
    expect(session.errorOf()).toBe('none');
    expect(session.balances()).toEqual([900n, 100n, 0n]);
    expect(session.books()).toEqual({ reserved: 100n, spent: 0n, open: 1 });
    expect(chain.account(session.address).data.length).toBe(SESSION_SPACE);
    expect(session.read()).toMatchObject({
      status: 1,
      cap: 100n,
      settled: 0n,
      proven: 0n,
      seq: 1n,
      opened_at: BigInt(START),
      expires_at: BigInt(START + HOUR),
      closing_at: 0n,
      grace_seconds: 0,
    });
  });

  it('open_session leaves the rest of the daily limit to other orders', () => {
    account.change({ maxDailySpend: 150n });
    session.tryOpen();
    expect(account.errorOf({ amount: 51n })).toBe('MaxDailySpend');
    expect(account.errorOf({ amount: 50n })).toBe('none');
  });

  it('open_session emits an event with all its fields', () => {
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

  it('open_session opens 64 sessions and not one more', () => {
    chain.setTokens(account.tokenAccount, { amount: 100_000n });
    account.setOpenSessions(63);
    expect(session.errorOf()).toBe('none');
    expect(new TestSession(account, 2n).errorOf()).toBe('TooManySessions');
    chain.run(...session.close(null));
    expect(new TestSession(account, 2n).errorOf()).toBe('none');
  });

  it('open_session opens two sessions with the same payee', () => {
    const first = aSession(chain);
    const second = new TestSession(first.account, 2n, first.payee);
    expect(second.errorOf()).toBe('none');
    expect(second.books()).toEqual({ reserved: 200n, spent: 0n, open: 2 });
  });
});
