/** `check_payment`: a view of the rules for one payment inside a session, and of whether the session may pay. */
import type { PublicKey } from '@solana/web3.js';
import type { PolicyChange } from '../../../libs/chain/src/policy/policy.types';
import { anAccount, type TestAccount } from './support/account';
import { START, aChain, unsigned, type TestChain } from './support/chain';
import { HOUR, TestSession, aSession, anotherSession } from './support/session';

describe('check_payment', () => {
  let chain: TestChain;
  let account: TestAccount;
  let session: TestSession;

  beforeEach(() => {
    chain = aChain();
    session = aSession(chain, { category: 'data', graceSeconds: 60 });
    ({ account } = session);
  });

  const check = (payment: { amount?: bigint; category?: string } = {}, accounts = {}) =>
    chain.send(account.checkPayment(session.address, { amount: 10n, ...payment }, accounts));

  it.each<[string, PolicyChange, { amount?: bigint; category?: string }, string]>([
    ['a paused account', { paused: true }, {}, 'Paused'],
    ['an amount one above max_single_transfer', { maxSingleTransfer: 9n }, {}, 'MaxSingleTransfer'],
    ['a payee that is no longer listed', { allowedCounterparties: [] }, {}, 'AllowedCounterparties'],
    ['the session’s category once it is no longer listed', { categories: ['compute'] }, {}, 'Categories'],
    ['a category of the payment that is not listed', { categories: ['data'] }, { category: 'compute' }, 'Categories'],
    ['an amount at the threshold', { escalationThreshold: 10n }, {}, 'EscalationThreshold'],
    ['an amount of zero', {}, { amount: 0n }, 'AmountZero'],
  ])('check_payment rejects %s', (_what, policy, payment, expected) => {
    if (Object.keys(policy).length > 0) account.change(policy);
    expect(check(payment).error).toBe(expected);
  });

  it.each<[string, PolicyChange, { category?: string }]>([
    ['an amount at max_single_transfer', { maxSingleTransfer: 10n }, {}],
    ['an amount one below the threshold', { escalationThreshold: 11n }, {}],
    ['a payment without a memo', { requireMemo: true }, {}],
    ['a session whose category is listed', { categories: ['data'] }, {}],
    ['a payment whose own category is listed', { categories: ['compute'] }, { category: 'compute' }],
    ['a payment beyond the daily limit, which the cap already passed', { maxDailySpend: 0n }, {}],
  ])('check_payment allows %s', (_what, policy, payment) => {
    account.change(policy);
    expect(check(payment).error).toBeUndefined();
  });

  describe('check_payment, once the threshold is lowered to the amount', () => {
    /** The error of a payment at the threshold, in a session that was opened or topped up before. */
    const checkIn = ({ address }: TestSession) => {
      account.change({ escalationThreshold: 10n });
      return chain.send(account.checkPayment(address, { amount: 10n })).error;
    };
    const approved = () => anotherSession(session, { category: 'data', approved: true });

    it('check_payment rejects an amount at the threshold in a session that the operator did not approve', () => {
      expect(checkIn(session)).toBe('EscalationThreshold');
      expect(check({ amount: 9n }).error).toBeUndefined();
    });

    it('check_payment allows up to the approved cap, and not one over, in a session whose opening was approved', () => {
      const open = approved();
      expect(checkIn(open)).toBeUndefined();
      expect(chain.send(account.checkPayment(open.address, { amount: 100n })).error).toBeUndefined();
      expect(chain.send(account.checkPayment(open.address, { amount: 101n })).error).toBe('EscalationThreshold');
    });

    it('check_payment rejects an amount above the approved cap after a top-up that needed no approval', () => {
      const open = approved();
      chain.run(open.topUp({ amount: 50n }));
      account.change({ escalationThreshold: 10n });
      expect(chain.send(account.checkPayment(open.address, { amount: 100n })).error).toBeUndefined();
      expect(chain.send(account.checkPayment(open.address, { amount: 120n })).error).toBe('EscalationThreshold');
    });

    it('check_payment allows the threshold in a session whose opening required approval', () => {
      account.change({ escalationThreshold: 100n });
      const open = approved();
      expect(chain.send(account.checkPayment(open.address, { amount: 100n })).error).toBeUndefined();
    });

    it('check_payment allows the threshold where the operator approved one of several top-ups', () => {
      chain.run(session.topUp());
      chain.run(session.topUp({ seq: 3n, approved: true }));
      chain.run(session.topUp({ seq: 4n }));
      expect(checkIn(session)).toBeUndefined();
    });

    it('check_payment allows the threshold in an approved session after an unapproved top-up', () => {
      const open = approved();
      chain.run(open.topUp());
      expect(checkIn(open)).toBeUndefined();
    });

    it('check_payment rejects the threshold in a session that was topped up without the operator', () => {
      chain.run(session.topUp());
      expect(checkIn(session)).toBe('EscalationThreshold');
    });

    it('check_payment rejects the threshold in an unapproved session beside an approved one', () => {
      approved();
      expect(checkIn(session)).toBe('EscalationThreshold');
    });

    it.each<[string, () => PublicKey]>([
      ['a stranger', () => chain.aKey().publicKey],
      ['the authority', () => account.authority.publicKey],
      ['the fee payer', () => chain.feePayer.publicKey],
      ['another account’s operator', () => anAccount(chain).operator.publicKey],
    ])('check_payment rejects the threshold after %s tried to sign as the operator', (_who, key) => {
      const operator = key();
      expect(chain.errorOf(session.topUp({}, { operator }))).toBe('WrongOperator');
      expect(new TestSession(account, 2n).errorOf({}, { operator })).toBe('WrongOperator');
      expect(checkIn(session)).toBe('EscalationThreshold');
    });

    it('check_payment rejects the threshold after the operator was named and did not sign', () => {
      const { publicKey } = account.operator;
      expect(chain.errorOf(unsigned(session.topUp({ approved: true }), publicKey))).toBe('AccountNotSigner');
      expect(chain.errorOf(unsigned(new TestSession(account, 2n).open({ approved: true }), publicKey))).toBe('AccountNotSigner');
      expect(checkIn(session)).toBe('EscalationThreshold');
    });

    it('check_payment rejects the threshold after an approved top-up failed', () => {
      expect(chain.errorOf(session.topUp({ approved: true, amount: 901n }))).toBe('InsufficientBalance');
      expect(checkIn(session)).toBe('EscalationThreshold');
    });

    it.each<[string, PolicyChange, { amount?: bigint; category?: string }, string]>([
      ['a paused account', { paused: true }, {}, 'Paused'],
      ['an amount one above max_single_transfer', { maxSingleTransfer: 9n }, {}, 'MaxSingleTransfer'],
      ['a payee that is no longer listed', { allowedCounterparties: [] }, {}, 'AllowedCounterparties'],
      ['the session’s category once it is no longer listed', { categories: ['compute'] }, {}, 'Categories'],
      ['a category of the payment that is not listed', { categories: ['data'] }, { category: 'compute' }, 'Categories'],
      ['an amount of zero', {}, { amount: 0n }, 'AmountZero'],
    ])('check_payment rejects %s in an approved session too', (_what, policy, payment, expected) => {
      const { address } = approved();
      account.change({ escalationThreshold: 10n, ...policy });
      expect(chain.send(account.checkPayment(address, { amount: 10n, ...payment })).error).toBe(expected);
    });

    it('check_payment rejects a payment in an approved session that has expired', () => {
      const open = approved();
      chain.setTime(START + HOUR);
      expect(checkIn(open)).toBe('SessionExpired');
    });
  });

  it('check_payment logs the numbers that it compared', () => {
    account.change({ maxSingleTransfer: 9n });
    expect(check().events).toMatchObject([{ name: 'PolicyViolated', data: { limit: 9n, attempted: 10n } }]);
    account.change({ maxSingleTransfer: null, escalationThreshold: 8n });
    expect(check().events).toMatchObject([{ name: 'PolicyViolated', data: { limit: 8n, attempted: 10n } }]);
    account.change({ categories: ['compute'] });
    expect(check().events).toMatchObject([{ name: 'PolicyViolated', data: { attempted: 10n } }]);
  });

  it('check_payment ignores the account’s balance, because the money is in escrow', () => {
    chain.setTokens(account.tokenAccount, { amount: 0n });
    expect(check().error).toBeUndefined();
  });

  it('check_payment rejects from the second of the expiry on, and while the session is closing', () => {
    chain.setTime(START + HOUR - 1);
    expect(check().error).toBeUndefined();
    chain.setTime(START + HOUR);
    expect(check().error).toBe('SessionExpired');
    chain.setTime(START);
    chain.run(...session.close(null));
    expect(check().error).toBe('SessionNotOpen');
  });

  it('check_payment changes nothing and needs no signer', () => {
    const before = chain.account(account.address).data;
    chain.setTime(START + 900);
    expect(chain.sendAs(chain.aKey(), account.checkPayment(session.address)).error).toBeUndefined();
    expect(chain.account(account.address).data.equals(before)).toBe(true);
  });

  it.each<[string, string, () => PublicKey, string]>([
    ['another account’s session', 'session', () => aSession(chain).address, 'WrongSession'],
    ['another account’s policy', 'policy', () => anAccount(chain).policy, 'WrongPolicy'],
    ['the policy as the session', 'session', () => account.policy, 'AccountDiscriminatorMismatch'],
    [
      'a session that has ended',
      'session',
      () => {
        chain.run(...session.close(null, { consent: true }));
        return session.address;
      },
      'AccountOwnedByWrongProgram',
    ],
  ])('check_payment rejects %s', (_what, name, address, expected) => {
    expect(check({}, { [name]: address() }).error).toBe(expected);
  });
});
