/** `top_up_session`: checks the added amount as an opening, and the threshold against the new cap. */
import type { PublicKey } from '@solana/web3.js';
import type { PolicyChange } from '../../../libs/chain/src/policy/policy.types';
import { anAccount, type TestAccount } from './support/account';
import { idOf } from './support/account-instructions';
import { START, aChain, type TestChain } from './support/chain';
import { HOUR, anotherSession, aSession, type TestSession } from './support/session';

describe('top_up_session', () => {
  let chain: TestChain;
  let account: TestAccount;
  let session: TestSession;

  beforeEach(() => {
    chain = aChain();
    session = aSession(chain, { category: 'data' });
    ({ account } = session);
  });

  const errorOf = (options: Parameters<TestSession['topUp']>[0] = {}, accounts = {}): string =>
    chain.errorOf(session.topUp(options, accounts));

  describe('top_up_session checks the policy', () => {
    it.each<[string, () => PolicyChange, object, string]>([
      ['a paused account', () => ({ paused: true }), {}, 'Paused'],
      ['a payee that is no longer listed', () => ({ allowedCounterparties: [] }), {}, 'AllowedCounterparties'],
      ['the session’s category once it is no longer listed', () => ({ categories: ['compute'] }), {}, 'Categories'],
      ['an amount above what is left of the daily limit', () => ({ maxDailySpend: 109n }), {}, 'MaxDailySpend'],
      ['an amount above the balance', () => ({}), { amount: 901n }, 'InsufficientBalance'],
      ['a new cap at the threshold', () => ({ escalationThreshold: 110n }), {}, 'EscalationThreshold'],
    ])('top_up_session rejects %s', (_what, policy, options, expected) => {
      const change = policy();
      if (Object.keys(change).length > 0) account.change(change);
      expect(errorOf(options)).toBe(expected);
      expect(session.balances()).toEqual([900n, 100n, 0n]);
      expect(account.read()).toMatchObject({ replay: { highest: 1n }, reserved: 100n });
    });

    it('top_up_session logs the new cap as the amount that reached the threshold', () => {
      account.change({ escalationThreshold: 110n });
      expect(chain.send(session.topUp()).events).toMatchObject([{ data: { limit: 110n, attempted: 110n } }]);
    });
  });

  it.each<[string, PolicyChange, object]>([
    ['an amount at the rest of the daily limit', { maxDailySpend: 110n }, {}],
    ['a new cap below the threshold', { escalationThreshold: 111n }, {}],
    ['a new cap at the threshold with the operator', { escalationThreshold: 110n }, { approved: true }],
    ['a listed category', { categories: ['data'] }, {}],
    ['an amount above max_single_transfer, without a memo', { maxSingleTransfer: 1n, requireMemo: true }, {}],
  ])('top_up_session allows %s', (_what, policy, options) => {
    account.change(policy);
    expect(errorOf(options)).toBe('none');
  });

  it('top_up_session adds to cap, escrow and reservation and emits an event', () => {
    const { events } = chain.run(session.topUp({ amount: 25n, topUpId: idOf(9) }));
    expect(session.balances()).toEqual([875n, 125n, 0n]);
    expect(session.books()).toEqual({ reserved: 125n, spent: 0n, open: 1 });
    expect(session.read()).toMatchObject({ cap: 125n });
    expect(events).toMatchObject([
      {
        name: 'SessionToppedUp',
        data: {
          session: session.address.toBase58(),
          session_id: idOf(1).toString('hex'),
          top_up_id: idOf(9).toString('hex'),
          seq: 2n,
          amount: 25n,
          cap: 125n,
          approved: false,
        },
      },
    ]);
    chain.run(...session.settle(125n));
    expect(session.balances()).toEqual([875n, 0n, 125n]);
  });

  it('top_up_session stores the highest cap that the operator approved and never lowers it', () => {
    const approval = () => session.read().approved_cap;
    chain.run(session.topUp({ seq: 2n }));
    expect(approval()).toBe(0n);
    expect(chain.run(session.topUp({ seq: 3n, approved: true })).events).toMatchObject([{ data: { approved: true } }]);
    expect(approval()).toBe(120n);
    expect(chain.run(session.topUp({ seq: 4n })).events).toMatchObject([{ data: { approved: false } }]);
    expect(chain.run(session.topUp({ seq: 5n, approved: true })).error).toBeUndefined();
    expect(approval()).toBe(140n);
  });

  it('top_up_session enforces max_session_cap on the new cap, at the limit and one over', () => {
    account.change({ maxSessionCap: 110n });
    expect(errorOf({ amount: 11n })).toBe('MaxSessionCap');
    expect(errorOf({ amount: 10n })).toBe('none');
  });

  it('top_up_session uses up its nonce', () => {
    chain.run(session.topUp({ seq: 2n }));
    expect(errorOf({ seq: 2n })).toBe('AlreadyExecuted');
    expect(errorOf({ seq: 1n })).toBe('AlreadyExecuted');
    expect(account.errorOf({ seq: 2n })).toBe('AlreadyExecuted');
  });

  it('top_up_session rejects an amount of zero and a sum beyond 64 bits', () => {
    expect(errorOf({ amount: 0n })).toBe('AmountZero');
    expect(errorOf({ amount: 2n ** 64n - 1n })).toBe('Overflow');
  });

  it('top_up_session rejects from the second of the expiry on, and while the session is closing', () => {
    chain.setTime(START + HOUR);
    expect(errorOf()).toBe('SessionExpired');
    chain.setTime(START + HOUR - 1);
    expect(errorOf()).toBe('none');
    account.seq = 2n;
    const gracious = anotherSession(session, { graceSeconds: 60 });
    chain.run(...gracious.close(null));
    expect(chain.errorOf(gracious.topUp())).toBe('SessionNotOpen');
  });

  it.each<[string, string, () => PublicKey, string]>([
    ['another account’s session', 'session', () => aSession(chain).address, 'WrongSession'],
    ['another session’s escrow', 'escrow', () => aSession(chain).escrow, 'WrongEscrow'],
    ['another account’s policy', 'policy', () => anAccount(chain).policy, 'WrongPolicy'],
    ['another account’s token account', 'token_account', () => anAccount(chain).tokenAccount, 'WrongTokenAccount'],
    ['another mint', 'mint', () => chain.aMint(), 'WrongMint'],
    ['a stranger as the authority', 'authority', () => chain.aKey().publicKey, 'WrongAuthority'],
    ['the operator as the authority', 'authority', () => account.operator.publicKey, 'WrongAuthority'],
    ['a stranger as the operator', 'operator', () => chain.aKey().publicKey, 'WrongOperator'],
    ['the policy as the session', 'session', () => account.policy, 'AccountDiscriminatorMismatch'],
    [
      'a copy of the session that another program owns',
      'session',
      () => chain.copy(session.address, chain.aKey().publicKey),
      'AccountOwnedByWrongProgram',
    ],
  ])('top_up_session rejects %s', (_what, name, address, expected) => {
    expect(errorOf({}, { [name]: address() })).toBe(expected);
  });
});
