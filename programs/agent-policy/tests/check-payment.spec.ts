/** `check_payment`: the rules of a single payment inside a session, and whether the session may pay. */
import type { PublicKey } from '@solana/web3.js';
import type { PolicyChange } from '../../../libs/chain/src/chain.types';
import { anAccount, type TestAccount } from './support/account';
import { START, aChain, type TestChain } from './support/chain';
import { HOUR, aSession, type TestSession } from './support/session';

describe('check_payment', () => {
  let chain: TestChain;
  let account: TestAccount;
  let session: TestSession;

  beforeEach(() => {
    chain = aChain();
    session = aSession(chain, { category: 'data', graceSeconds: 60 });
    ({ account } = session);
  });

  const check = (payment: { amount?: bigint; category?: string } = {}, accounts = {}) => chain.send(account.checkPayment(session.address, { amount: 10n, ...payment }, accounts));

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

  it('tells the numbers', () => {
    account.change({ maxSingleTransfer: 9n });
    expect(check().events).toMatchObject([{ name: 'Refused', data: { limit: 9n, attempted: 10n } }]);
    account.change({ maxSingleTransfer: null, escalationThreshold: 8n });
    expect(check().events).toMatchObject([{ name: 'Refused', data: { limit: 8n, attempted: 10n } }]);
    account.change({ categories: ['compute'] });
    expect(check().events).toMatchObject([{ name: 'Refused', data: { attempted: 10n } }]);
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
    ['a session that is over', 'session', () => {
      chain.run(...session.close(null, { consent: true }));
      return session.address;
    }, 'AccountOwnedByWrongProgram'],
  ])('refuses %s', (_what, name, address, expected) => {
    expect(check({}, { [name]: address() }).refusal).toBe(expected);
  });
});
