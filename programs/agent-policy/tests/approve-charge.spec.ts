/** `approve_charge`: makes a one-time key the delegate for exactly the amount. */
import type { PublicKey } from '@solana/web3.js';
import type { PolicyChange } from '../../../libs/chain/src/policy/policy.types';
import { anAccount, type TestAccount } from './support/account';
import { idOf, type Charge } from './support/account-instructions';
import { START, aChain, type Key, type TestChain } from './support/chain';
import { TestSession } from './support/session';

describe('approve_charge', () => {
  let chain: TestChain;
  let account: TestAccount;
  let delegate: Key;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain);
    delegate = chain.aKey();
  });

  const approve = (charge: Partial<Charge> = {}, accounts = {}) => {
    const outcome = chain.send(account.approveCharge({ delegate: delegate.publicKey, ...charge }, accounts));
    if (outcome.error === undefined) account.seq += 1n;
    return outcome;
  };
  const errorOf = (charge: Partial<Charge> = {}, accounts = {}): string => approve(charge, accounts).error ?? 'none';

  describe('approve_charge checks the policy', () => {
    it.each<[string, () => PolicyChange, Partial<Charge>, string]>([
      ['a paused account', () => ({ paused: true }), {}, 'Paused'],
      ['an amount one above max_single_transfer', () => ({ maxSingleTransfer: 99n }), {}, 'MaxSingleTransfer'],
      ['a purse above max_session_cap', () => ({ maxSessionCap: 99n }), { purse: true }, 'MaxSessionCap'],
      [
        'any amount while counterparties are listed',
        () => ({ allowedCounterparties: [account.payee.toBase58(), delegate.publicKey.toBase58()] }),
        {},
        'AllowedCounterparties',
      ],
      ['any amount while the list is empty', () => ({ allowedCounterparties: [] }), {}, 'AllowedCounterparties'],
      ['a missing category', () => ({ categories: ['data'] }), {}, 'Categories'],
      ['a category that is not listed', () => ({ categories: ['data'] }), { category: 'compute' }, 'Categories'],
      ['an amount one above the daily limit', () => ({ maxDailySpend: 99n }), {}, 'MaxDailySpend'],
      ['an amount above the balance', () => ({}), { amount: 1_001n }, 'InsufficientBalance'],
      ['an amount at the threshold without the operator', () => ({ escalationThreshold: 100n }), {}, 'EscalationThreshold'],
    ])('approve_charge rejects %s', (_what, policy, charge, expected) => {
      const change = policy();
      if (Object.keys(change).length > 0) account.change(change);
      expect(errorOf(charge)).toBe(expected);
      expect(account.read()).toMatchObject({ replay: { highest: 0n }, reserved: 0n, charge: { amount: 0n } });
      expect(chain.errorOf(account.useCharge(delegate.publicKey, 1n))).not.toBe('none');
    });
  });

  it.each<[string, PolicyChange, Partial<Charge>]>([
    ['an amount at both limits', { maxSingleTransfer: 100n, maxDailySpend: 100n }, {}],
    ['a purse at max_session_cap', { maxSessionCap: 100n }, { purse: true }],
    ['a single payment above max_session_cap', { maxSessionCap: 1n }, {}],
    ['an amount one below the threshold', { escalationThreshold: 101n }, {}],
    ['an amount at the threshold with the operator', { escalationThreshold: 100n }, { approved: true }],
    ['a listed category', { categories: ['data'] }, { category: 'data' }],
    ['a charge without a memo where transfers require one', { requireMemo: true }, {}],
  ])('approve_charge allows %s', (_what, policy, charge) => {
    account.change(policy);
    expect(errorOf(charge)).toBe('none');
  });

  it.each<[Partial<Charge>, string]>([
    [{ amount: 0n }, 'AmountZero'],
    [{ expiresInSeconds: 0 }, 'ChargeDurationInvalid'],
    [{ expiresInSeconds: 3_601 }, 'ChargeDurationInvalid'],
    [{ expiresInSeconds: 1 }, 'none'],
    [{ expiresInSeconds: 3_600 }, 'none'],
    [{ seq: 1_025n }, 'SeqTooFar'],
  ])('approve_charge with %p: %s', (charge, expected) => {
    expect(errorOf(charge)).toBe(expected);
  });

  it.each<[string, () => PublicKey]>([
    ['the authority', () => account.authority.publicKey],
    ['the operator', () => account.operator.publicKey],
    ['the creator', () => account.creator.publicKey],
    ['the account', () => account.address],
    ['the token account', () => account.tokenAccount],
  ])('approve_charge rejects %s as the delegate', (_who, key) => {
    expect(['KeysNotDistinct', 'AccountBorrowFailed']).toContain(errorOf({ delegate: key() }));
  });

  it.each<[string, string, () => PublicKey, string]>([
    ['another account’s policy', 'policy', () => anAccount(chain).policy, 'WrongPolicy'],
    ['another account’s token account', 'token_account', () => anAccount(chain).tokenAccount, 'WrongTokenAccount'],
    ['another mint', 'mint', () => chain.aMint(), 'WrongMint'],
    ['a stranger as the authority', 'authority', () => chain.aKey().publicKey, 'WrongAuthority'],
    ['the operator as the authority', 'authority', () => account.operator.publicKey, 'WrongAuthority'],
    ['a stranger as the operator', 'operator', () => chain.aKey().publicKey, 'WrongOperator'],
  ])('approve_charge rejects %s', (_what, name, address, expected) => {
    expect(errorOf({}, { [name]: address() })).toBe(expected);
  });

  it('approve_charge reserves the amount and emits an event with all its fields', () => {
    const { events } = approve({ chargeId: idOf(77), category: 'data' });
    expect(events).toEqual([
      {
        name: 'ChargeApproved',
        data: {
          account: account.address.toBase58(),
          charge_id: idOf(77).toString('hex'),
          seq: 1n,
          amount: 100n,
          delegate: delegate.publicKey.toBase58(),
          category: Buffer.concat([Buffer.from('data')], 32).toString('hex'),
          deadline: BigInt(START + 600),
          policy_version: 1n,
          approved: false,
        },
      },
    ]);
    expect(account.read()).toMatchObject({ reserved: 100n, window: { spent: 0n }, charge: { amount: 100n, seq: 1n } });
    expect(account.balance()).toBe(1_000n);
  });

  it('a charge’s delegate moves the whole amount to any destination, in parts, and not one more', () => {
    approve();
    expect(chain.errorOf(account.useCharge(delegate.publicKey, 101n))).not.toBe('none');
    chain.run(account.useCharge(delegate.publicKey, 60n), account.useCharge(delegate.publicKey, 40n));
    expect(chain.errorOf(account.useCharge(delegate.publicKey, 1n))).not.toBe('none');
    expect([account.balance(), chain.balance(account.payee)]).toEqual([900n, 100n]);
  });

  it('approve_charge uses up its nonce', () => {
    approve({ seq: 1n });
    chain.run(account.finishCharge(1n));
    expect(errorOf({ seq: 1n, delegate: chain.aKey().publicKey })).toBe('AlreadyExecuted');
  });

  it('approve_charge rejects a second charge while one is open, even after its amount was spent', () => {
    approve();
    expect(errorOf({ delegate: chain.aKey().publicKey })).toBe('ChargeOpen');
    chain.run(account.useCharge(delegate.publicKey, 100n));
    expect(errorOf({ delegate: chain.aKey().publicKey })).toBe('ChargeOpen');
  });

  it('approve_charge rejects the delegate of the previous charge', () => {
    approve();
    chain.run(account.finishCharge());
    expect(errorOf()).toBe('DelegateUsed');
    expect(errorOf({ delegate: chain.aKey().publicKey })).toBe('none');
  });

  it('approve_charge rejects a token account that is frozen or has another delegate', () => {
    chain.setTokens(account.tokenAccount, { delegateOption: 1, delegate: chain.aKey().publicKey, delegatedAmount: 5n });
    expect(errorOf()).toBe('SourceDelegated');
    chain.setTokens(account.tokenAccount, { delegateOption: 0, delegatedAmount: 0n });
    chain.run(chain.freeze(account.tokenAccount));
    expect(errorOf()).toBe('SourceFrozen');
    chain.run(chain.thaw(account.tokenAccount));
    expect(errorOf()).toBe('none');
  });

  describe('while a charge is open', () => {
    beforeEach(() => approve());

    it('an open charge does not block transfers, session openings and top-ups', () => {
      expect(account.errorOf({ amount: 10n })).toBe('none');
      const session = new TestSession(account, account.seq + 1n);
      expect(session.errorOf()).toBe('none');
      expect(chain.errorOf(session.topUp())).toBe('none');
    });

    it('an open charge’s amount cannot be spent otherwise, so the delegate’s transfer never fails', () => {
      expect(account.errorOf({ amount: 901n })).toBe('InsufficientBalance');
      expect(new TestSession(account, account.seq + 1n).errorOf({ cap: 901n })).toBe('InsufficientBalance');
      expect(account.errorOf({ amount: 900n })).toBe('none');
      chain.run(account.useCharge(delegate.publicKey, 100n));
      expect(account.balance()).toBe(0n);
    });

    it('what the delegate has already moved is not reserved a second time', () => {
      chain.run(account.useCharge(delegate.publicKey, 60n));
      expect(account.errorOf({ amount: 901n })).toBe('InsufficientBalance');
      expect(account.errorOf({ amount: 900n })).toBe('none');
      chain.run(account.useCharge(delegate.publicKey, 40n));
    });

    it('an open charge counts against the daily limit', () => {
      account.change({ maxDailySpend: 150n });
      expect(account.errorOf({ amount: 51n })).toBe('MaxDailySpend');
      expect(account.errorOf({ amount: 50n })).toBe('none');
    });

    it('transfer rejects a token account whose delegate is not the open charge’s', () => {
      chain.setTokens(account.tokenAccount, { delegateOption: 1, delegate: chain.aKey().publicKey });
      expect(account.errorOf({ amount: 1n })).toBe('SourceDelegated');
    });

    it('an open charge blocks close_account', () => {
      expect(chain.errorOf(account.close())).toBe('AccountInUse');
    });

    it('the delegate of the open charge becomes the authority only after the charge is finished', () => {
      expect(chain.errorOf(account.rotateAuthority(delegate.publicKey))).toBe('none');
      expect(chain.errorOf(account.useCharge(delegate.publicKey, 1n))).not.toBe('none');
    });

    it('rotate_authority ends the open charge, and the old authority cannot finish the next one', () => {
      const [old, next] = [account.authority, chain.aKey()];
      chain.run(account.rotateAuthority(next.publicKey));
      expect(chain.errorOf(account.useCharge(delegate.publicKey, 1n))).not.toBe('none');
      account.authority = next;
      expect(errorOf({ delegate: chain.aKey().publicKey })).toBe('none');
      expect(chain.errorOf(account.finishCharge(account.seq, { closer: old.publicKey }))).toBe('ChargeInUse');
    });
  });
});
