/** `open_session`: checks the whole cap against the policy, reserves it and moves it into escrow. */
import { createHash } from 'node:crypto';
import {
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
  createAssociatedTokenAccountIdempotentInstruction,
  createFreezeAccountInstruction,
} from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import type { PolicyChange } from '../../../libs/chain/src/policy/policy.types';
import { Addresses, u64, type Found } from '../../../libs/chain/src/program/addresses';
import { PROGRAM_ID } from '../../../libs/chain/src/program/idl';
import { SPACE, anAccount, idOf, type TestAccount } from './support/account';
import { START, aChain, type TestChain } from './support/chain';
import { HOUR, SESSION_SPACE, TestSession, aPlannedSession, aSession, otherPayeeAccount, type Opening } from './support/session';

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
    expectUntouched();
  });

  /** Nothing moved and no nonce was used. */
  function expectUntouched(): void {
    expect(session.balances()).toEqual([1_000n, 0n, 0n]);
    expect(account.read()).toMatchObject({ replay: { highest: 0n }, reserved: 0n, open_sessions: 0 });
    expect(chain.exists(session.address)).toBe(false);
  }

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
      expectUntouched();
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

  describe('open_session rules that do not apply', () => {
    it('open_session is not limited by max_single_transfer', () => {
      account.change({ maxSingleTransfer: 1n });
      expect(session.errorOf()).toBe('none');
    });

    it('open_session does not require a memo', () => {
      account.change({ requireMemo: true });
      expect(session.errorOf()).toBe('none');
    });
  });

  it.each<[string, () => PolicyChange, Partial<Opening>]>([
    ['a cap at the daily limit', () => ({ maxDailySpend: 100n }), {}],
    ['a cap one below the threshold', () => ({ escalationThreshold: 101n }), {}],
    ['a cap at the threshold with the operator', () => ({ escalationThreshold: 100n }), { approved: true }],
    ['a payee listed by its owner address', () => ({ allowedCounterparties: [session.payee.publicKey.toBase58()] }), {}],
    ['a payee listed by its token account', () => ({ allowedCounterparties: [session.payeeTokenAccount.toBase58()] }), {}],
    ['a listed category', () => ({ categories: ['data'] }), { category: 'data' }],
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
      expectUntouched();
    });

    it.each<[string, () => PublicKey]>([
      ['the account itself', () => account.address],
      ['the session itself, for which anyone can create a token account', () => session.address],
    ])('open_session rejects %s as the payee', (_what, owner) => {
      const payee = owner();
      const { address, bump } = new Addresses(PROGRAM_ID, account.mint).associated(payee);
      chain.run(createAssociatedTokenAccountIdempotentInstruction(chain.feePayer.publicKey, address, payee, account.mint));
      expect(session.errorOf({ bumps: { payee: bump } }, { payee, payee_token_account: address })).toBe('DestinationIsSource');
      expectUntouched();
    });

    it('open_session rejects a payee whose token account is frozen', () => {
      chain.run(createFreezeAccountInstruction(session.payeeTokenAccount, chain.mint, chain.freezeAuthority.publicKey));
      expect(session.errorOf()).toBe('DestinationFrozen');
    });

    it('open_session rejects a payee whose token account was closed', () => {
      chain.put(session.payeeTokenAccount, { owner: PublicKey.default, data: Buffer.alloc(0), lamports: 1n });
      expect(session.errorOf()).toBe('InvalidDestination');
    });

    it('open_session rejects a payee whose token account now belongs to another owner', () => {
      chain.setTokens(session.payeeTokenAccount, { owner: chain.aKey().publicKey });
      expect(session.errorOf()).toBe('InvalidDestination');
    });

    it('open_session rejects a payee with a Token-2022 token account', () => {
      chain.put(session.payeeTokenAccount, { ...chain.account(session.payeeTokenAccount), owner: TOKEN_2022_PROGRAM_ID });
      expect(session.errorOf()).toBe('InvalidDestination');
    });
  });

  describe('open_session checks expiry and grace period', () => {
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
  });

  describe('open_session requires distinct keys', () => {
    it.each<[string, () => PublicKey]>([
      ['the authority', () => account.authority.publicKey],
      ['the operator', () => account.operator.publicKey],
    ])('open_session rejects %s as the rent payer', (_who, payer) => {
      expect(session.errorOf({}, { payer: payer() })).toBe('KeysNotDistinct');
    });

    it.each<[string, () => PublicKey]>([
      ['the authority', () => account.authority.publicKey],
      ['the operator', () => account.operator.publicKey],
      ['the creator', () => account.creator.publicKey],
      ['the fee payer', () => chain.feePayer.publicKey],
      ['the token account', () => account.tokenAccount],
    ])('open_session rejects %s as the voucher key', (_who, voucherKey) => {
      expect(session.errorOf({ voucherKey: voucherKey() })).toBe('KeysNotDistinct');
    });
  });

  describe('open_session checks its accounts', () => {
    it.each<[string, string, () => PublicKey, string]>([
      ['another account’s policy', 'policy', () => anAccount(chain).policy, 'WrongPolicy'],
      ['another account’s token account', 'token_account', () => anAccount(chain).tokenAccount, 'WrongTokenAccount'],
      ['another mint', 'mint', () => chain.aMint(), 'InvalidDestination'],
      ['another session’s escrow', 'escrow', () => new TestSession(account, 9n).escrow, 'WrongEscrow'],
      ['the escrow of another account’s open session', 'escrow', () => aSession(chain).escrow, 'WrongEscrow'],
      [
        'another token account of the session as the escrow',
        'escrow',
        () => chain.aTokenAccount({ owner: session.address }),
        'WrongEscrow',
      ],
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
      expectUntouched();
    });
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

  describe('open_session with the client’s bumps', () => {
    const ALL = Array.from({ length: 256 }, (_, bump) => bump);

    it.each<['session' | 'escrow' | 'payee', string]>([
      ['session', 'WrongSession'],
      ['escrow', 'WrongEscrow'],
      ['payee', 'InvalidDestination'],
    ])('open_session rejects every bump that does not give the address, for the %s', (which, error) => {
      const errors = ALL.map((bump) => chain.simulate(session.open({ bumps: { [which]: bump } })).error);
      expect(errors).toEqual(ALL.map((bump) => (bump === session.bumps[which] ? undefined : error)));
    });

    it('open_session accepts another valid bump, and the nonce is used whatever the bump', () => {
      const other = new TestSession(account, 1n, session.payee, { session: 1, escrow: 1 });
      expect([other.address.equals(session.address), other.bumps.session < session.bumps.session]).toEqual([false, true]);
      expect(other.errorOf()).toBe('none');
      const twins = [
        session,
        other,
        new TestSession(account, 1n, session.payee, { session: 2 }),
        new TestSession(account, 1n, session.payee, { session: 1, escrow: 0 }),
      ];
      expect(twins.map((twin) => twin.errorOf())).toEqual(twins.map(() => 'AlreadyExecuted'));
      expect(other.books()).toEqual({ reserved: 100n, spent: 0n, open: 1 });

      chain.run(other.topUp());
      chain.run(...other.settle(60n));
      chain.run(...other.close(80n));
      expect(other.balances()).toEqual([920n, 0n, 80n]);
      expect([other.isOver, other.errorOf()]).toEqual([true, 'AlreadyExecuted']);
    });

    it('open_session pays no address of the payee but its associated token account', () => {
      const { address, bump } = otherPayeeAccount(session);
      const errorOf = () => session.errorOf({ bumps: { payee: bump } }, { payee_token_account: address });
      expect(errorOf()).toBe('InvalidDestination');
      chain.put(address, { owner: PublicKey.default, data: Buffer.alloc(0), lamports: chain.rent(SPACE.tokenAccount) });
      expect(errorOf()).toBe('InvalidDestination');
      expectUntouched();
    });

    it('open_session rejects a bump whose address is on the curve', () => {
      const [place, escrow] = [
        hashedOnCurve([Buffer.from('session'), account.address.toBytes(), u64(1n)]),
        hashedOnCurve([Buffer.from('escrow'), session.address.toBytes()]),
      ];
      const itsEscrow = new Addresses(PROGRAM_ID, account.mint).escrow(place.address);
      const attempts = [
        session.tryOpen({ bumps: { session: place.bump, escrow: itsEscrow.bump } }, { session: place.address, escrow: itsEscrow.address }),
        session.tryOpen({ bumps: { escrow: escrow.bump } }, { escrow: escrow.address }),
      ];
      for (const { error, logs } of attempts) {
        expect(error).toBe('ProgramFailedToComplete');
        expect(logs.join('\n')).toContain('Provided seeds do not result in a valid address');
      }
      expectUntouched();
    });
  });

  describe('open_session at addresses that were used before', () => {
    const rentOf = { address: () => chain.rent(SESSION_SPACE), escrow: () => chain.rent(SPACE.tokenAccount) };
    const send = (to: PublicKey, lamports: bigint) => chain.put(to, { owner: PublicKey.default, data: Buffer.alloc(0), lamports });

    describe.each(['address', 'escrow'] as const)('open_session after lamports were sent to the %s', (which) => {
      it.each<[string, (rent: bigint) => bigint]>([
        ['one lamport', () => 1n],
        ['one lamport less than the rent', (rent) => rent - 1n],
        ['the rent', (rent) => rent],
        ['more than the rent', (rent) => rent + 7n],
      ])(
        'open_session where an address already holds %s: adds what is missing, and refunds all of it to the rent payer',
        (_what, lamports) => {
          const rent = rentOf[which]();
          const sent = lamports(rent);
          send(session[which], sent);
          expect(session.errorOf()).toBe('none');
          expect(session.balances()).toEqual([900n, 100n, 0n]);
          expect(chain.lamports(session[which])).toBe(sent > rent ? sent : rent);

          const before = chain.lamports(chain.feePayer.publicKey);
          chain.run(...session.close(null));
          const surplus = sent > rent ? sent - rent : 0n;
          expect(chain.lamports(chain.feePayer.publicKey) - before).toBe(rentOf.address() + rentOf.escrow() + surplus - 5_000n * 2n);
          expect(session.isOver).toBe(true);
        },
      );
    });

    it('open_session after lamports were sent to both addresses charges the rent payer only the rest', () => {
      const payer = chain.aKey(rentOf.address() + rentOf.escrow() - 2n);
      for (const address of [session.address, session.escrow]) send(address, 1n);
      expect(session.errorOf({}, { payer: payer.publicKey })).toBe('none');
      expect(session.read()).toMatchObject({ rent_payer: payer.publicKey.toBase58() });
    });

    it('open_session ignores an associated token account that a stranger created for the session', () => {
      const { address } = new Addresses(PROGRAM_ID, account.mint).associated(session.address);
      chain.run(createAssociatedTokenAccountIdempotentInstruction(chain.feePayer.publicKey, address, session.address, account.mint));
      chain.setTokens(address, { amount: 7n });
      expect(session.errorOf({}, { escrow: address })).toBe('WrongEscrow');
      expect(session.errorOf()).toBe('none');
      expect(session.balances()).toEqual([900n, 100n, 0n]);
    });

    it.each<[string, 'address' | 'escrow', () => { owner: PublicKey; data: Buffer }]>([
      ['a session of the program', 'address', () => chain.account(aSession(chain).address)],
      ['an account of the program, all zeros', 'address', () => ({ owner: PROGRAM_ID, data: Buffer.alloc(SESSION_SPACE) })],
      ['an empty account of the program', 'address', () => ({ owner: PROGRAM_ID, data: Buffer.alloc(0) })],
      ['an account of the system program with data', 'address', () => ({ owner: PublicKey.default, data: Buffer.alloc(SESSION_SPACE) })],
      [
        'a token account of the session, with money in it',
        'escrow',
        () => chain.account(chain.aTokenAccount({ owner: session.address, amount: 7n })),
      ],
      ['a token account that is not initialised', 'escrow', () => ({ owner: TOKEN_PROGRAM_ID, data: Buffer.alloc(SPACE.tokenAccount) })],
      [
        'an account of the system program with data',
        'escrow',
        () => ({ owner: PublicKey.default, data: Buffer.alloc(SPACE.tokenAccount) }),
      ],
    ])('open_session rejects an address that holds %s, at the %s', (_what, which, there) => {
      chain.put(session[which], there());
      expect(session.errorOf()).toBe('AddressTaken');
      expect(account.read()).toMatchObject({ replay: { highest: 0n }, reserved: 0n, open_sessions: 0 });
    });
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

/** The highest bump whose seeds give a point on the curve, for which a key may exist, and that point. */
function hashedOnCurve(seeds: Uint8Array[]): Found {
  for (let bump = 255; bump >= 0; bump--) {
    const parts = [...seeds, Uint8Array.of(bump), PROGRAM_ID.toBytes(), Buffer.from('ProgramDerivedAddress')];
    const address = new PublicKey(createHash('sha256').update(Buffer.concat(parts)).digest());
    if (PublicKey.isOnCurve(address.toBytes())) return { address, bump };
  }
  throw new Error('no bump gives a point on the curve');
}
