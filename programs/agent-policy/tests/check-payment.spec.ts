/** `check_payment`: the rules of a single payment inside a session, and whether the session may pay. */
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
    ['one above max_single_transfer', { maxSingleTransfer: 9n }, {}, 'MaxSingleTransfer'],
    ['a payee that is listed no more', { allowedCounterparties: [] }, {}, 'AllowedCounterparties'],
    ["the session's category where it is listed no more", { categories: ['compute'] }, {}, 'Categories'],
    ['a category of its own that is not listed', { categories: ['data'] }, { category: 'compute' }, 'Categories'],
    ['the threshold', { escalationThreshold: 10n }, {}, 'EscalationThreshold'],
    ['nothing', {}, { amount: 0n }, 'AmountZero'],
  ])('refuses %s', (_what, policy, payment, expected) => {
    if (Object.keys(policy).length > 0) account.change(policy);
    expect(check(payment).refusal).toBe(expected);
  });

  it.each<[string, PolicyChange, { category?: string }]>([
    ['the limit itself', { maxSingleTransfer: 10n }, {}],
    ['one below the threshold', { escalationThreshold: 11n }, {}],
    ['a payment without a memo', { requireMemo: true }, {}],
    ['a listed category of the session', { categories: ['data'] }, {}],
    ['a listed category of its own', { categories: ['compute'] }, { category: 'compute' }],
    ['a daily limit that is used up, for the cap has passed it', { maxDailySpend: 0n }, {}],
  ])('allows %s', (_what, policy, payment) => {
    account.change(policy);
    expect(check(payment).refusal).toBeUndefined();
  });

  describe('at the threshold, once it is as low as the payment', () => {
    /** What becomes of a payment at the threshold in a session that was opened, or topped up, before. */
    const checkIn = ({ address }: TestSession) => {
      account.change({ escalationThreshold: 10n });
      return chain.send(account.checkPayment(address, { amount: 10n })).refusal;
    };
    const approved = () => anotherSession(session, { category: 'data', approved: true });

    it('refuses in a session that nobody approved', () => {
      expect(checkIn(session)).toBe('EscalationThreshold');
      expect(check({ amount: 9n }).refusal).toBeUndefined();
    });

    it('allows in one whose opening the operator approved, up to the approved cap and not one over', () => {
      const open = approved();
      expect(checkIn(open)).toBeUndefined();
      expect(chain.send(account.checkPayment(open.address, { amount: 100n })).refusal).toBeUndefined();
      expect(chain.send(account.checkPayment(open.address, { amount: 101n })).refusal).toBe('EscalationThreshold');
    });

    it('refuses above the approved cap after a top-up that needed no approval', () => {
      const open = approved();
      chain.run(open.topUp({ amount: 50n }));
      account.change({ escalationThreshold: 10n });
      expect(chain.send(account.checkPayment(open.address, { amount: 100n })).refusal).toBeUndefined();
      expect(chain.send(account.checkPayment(open.address, { amount: 120n })).refusal).toBe('EscalationThreshold');
    });

    it('allows in one that was approved because it had to be', () => {
      account.change({ escalationThreshold: 100n });
      const open = approved();
      expect(chain.send(account.checkPayment(open.address, { amount: 100n })).refusal).toBeUndefined();
    });

    it('allows in one of which the operator approved a top-up, before and after one that it did not', () => {
      chain.run(session.topUp());
      chain.run(session.topUp({ seq: 3n, approved: true }));
      chain.run(session.topUp({ seq: 4n }));
      expect(checkIn(session)).toBeUndefined();
    });

    it('allows in an approved one after a top-up that nobody approved', () => {
      const open = approved();
      chain.run(open.topUp());
      expect(checkIn(open)).toBeUndefined();
    });

    it('refuses in one that was topped up without the operator', () => {
      chain.run(session.topUp());
      expect(checkIn(session)).toBe('EscalationThreshold');
    });

    it('refuses in the others of an account that has an approved one', () => {
      approved();
      expect(checkIn(session)).toBe('EscalationThreshold');
    });

    it.each<[string, () => PublicKey]>([
      ['a stranger', () => chain.aKey().publicKey],
      ['the authority', () => account.authority.publicKey],
      ['the fee payer', () => chain.feePayer.publicKey],
      ["another account's operator", () => anAccount(chain).operator.publicKey],
    ])('refuses still when %s signed as the operator', (_who, key) => {
      const operator = key();
      expect(chain.refusal(session.topUp({}, { operator }))).toBe('WrongOperator');
      expect(new TestSession(account, 2n).refusal({}, { operator })).toBe('WrongOperator');
      expect(checkIn(session)).toBe('EscalationThreshold');
    });

    it('refuses still when the operator was named and did not sign', () => {
      const { publicKey } = account.operator;
      expect(chain.refusal(unsigned(session.topUp({ approved: true }), publicKey))).toBe('AccountNotSigner');
      expect(chain.refusal(unsigned(new TestSession(account, 2n).open({ approved: true }), publicKey))).toBe('AccountNotSigner');
      expect(checkIn(session)).toBe('EscalationThreshold');
    });

    it('refuses still when an approved top-up was refused', () => {
      expect(chain.refusal(session.topUp({ approved: true, amount: 901n }))).toBe('InsufficientBalance');
      expect(checkIn(session)).toBe('EscalationThreshold');
    });

    it.each<[string, PolicyChange, { amount?: bigint; category?: string }, string]>([
      ['a paused account', { paused: true }, {}, 'Paused'],
      ['one above max_single_transfer', { maxSingleTransfer: 9n }, {}, 'MaxSingleTransfer'],
      ['a payee that is listed no more', { allowedCounterparties: [] }, {}, 'AllowedCounterparties'],
      ["the session's category where it is listed no more", { categories: ['compute'] }, {}, 'Categories'],
      ['a category of its own that is not listed', { categories: ['data'] }, { category: 'compute' }, 'Categories'],
      ['nothing', {}, { amount: 0n }, 'AmountZero'],
    ])('refuses %s in an approved one too', (_what, policy, payment, expected) => {
      const { address } = approved();
      account.change({ escalationThreshold: 10n, ...policy });
      expect(chain.send(account.checkPayment(address, { amount: 10n, ...payment })).refusal).toBe(expected);
    });

    it('refuses in an approved one that has expired', () => {
      const open = approved();
      chain.setTime(START + HOUR);
      expect(checkIn(open)).toBe('SessionExpired');
    });
  });

  it('tells the numbers', () => {
    account.change({ maxSingleTransfer: 9n });
    expect(check().events).toMatchObject([{ name: 'PolicyViolated', data: { limit: 9n, attempted: 10n } }]);
    account.change({ maxSingleTransfer: null, escalationThreshold: 8n });
    expect(check().events).toMatchObject([{ name: 'PolicyViolated', data: { limit: 8n, attempted: 10n } }]);
    account.change({ categories: ['compute'] });
    expect(check().events).toMatchObject([{ name: 'PolicyViolated', data: { attempted: 10n } }]);
  });

  it('asks no balance: the money is in escrow', () => {
    chain.setTokens(account.tokenAccount, { amount: 0n });
    expect(check().refusal).toBeUndefined();
  });

  it('refuses from the second of the expiry on, and while closing', () => {
    chain.setTime(START + HOUR - 1);
    expect(check().refusal).toBeUndefined();
    chain.setTime(START + HOUR);
    expect(check().refusal).toBe('SessionExpired');
    chain.setTime(START);
    chain.run(...session.close(null));
    expect(check().refusal).toBe('SessionNotOpen');
  });

  it('changes nothing and needs nobody', () => {
    const before = chain.account(account.address).data;
    chain.setTime(START + 900);
    expect(chain.sendAs(chain.aKey(), account.checkPayment(session.address)).refusal).toBeUndefined();
    expect(chain.account(account.address).data.equals(before)).toBe(true);
  });

  it.each<[string, string, () => PublicKey, string]>([
    ["another account's session", 'session', () => aSession(chain).address, 'WrongSession'],
    ["another account's policy", 'policy', () => anAccount(chain).policy, 'WrongPolicy'],
    ['the policy as the session', 'session', () => account.policy, 'AccountDiscriminatorMismatch'],
    [
      'a session that is over',
      'session',
      () => {
        chain.run(...session.close(null, { consent: true }));
        return session.address;
      },
      'AccountOwnedByWrongProgram',
    ],
  ])('refuses %s', (_what, name, address, expected) => {
    expect(check({}, { [name]: address() }).refusal).toBe(expected);
  });
});
