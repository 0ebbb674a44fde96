/** `approve_charge`: a key of this one charge may move exactly the amount, and nothing else may. */
import { createFreezeAccountInstruction, createThawAccountInstruction } from '@solana/spl-token';
import type { PublicKey } from '@solana/web3.js';
import type { PolicyChange } from '../../../libs/chain/src/policy/policy.types';
import { anAccount, idOf, type Charge, type TestAccount } from './support/account';
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
    if (outcome.refusal === undefined) account.seq += 1n;
    return outcome;
  };
  const refusal = (charge: Partial<Charge> = {}, accounts = {}): string => approve(charge, accounts).refusal ?? 'none';

  describe('refuses by the rules', () => {
    it.each<[string, () => PolicyChange, Partial<Charge>, string]>([
      ['a paused account', () => ({ paused: true }), {}, 'Paused'],
      ['one above max_single_transfer', () => ({ maxSingleTransfer: 99n }), {}, 'MaxSingleTransfer'],
      ['a purse above max_session_cap', () => ({ maxSessionCap: 99n }), { purse: true }, 'MaxSessionCap'],
      [
        'any amount while counterparties are listed',
        () => ({ allowedCounterparties: [account.payee.toBase58(), delegate.publicKey.toBase58()] }),
        {},
        'AllowedCounterparties',
      ],
      ['any amount while the list is empty', () => ({ allowedCounterparties: [] }), {}, 'AllowedCounterparties'],
      ['a missing category', () => ({ categories: ['data'] }), {}, 'Categories'],
      ['another category', () => ({ categories: ['data'] }), { category: 'compute' }, 'Categories'],
      ['one above the daily limit', () => ({ maxDailySpend: 99n }), {}, 'MaxDailySpend'],
      ['more than the balance', () => ({}), { amount: 1_001n }, 'InsufficientBalance'],
      ['the threshold without the operator', () => ({ escalationThreshold: 100n }), {}, 'EscalationThreshold'],
    ])('%s', (_what, policy, charge, expected) => {
      const change = policy();
      if (Object.keys(change).length > 0) account.change(change);
      expect(refusal(charge)).toBe(expected);
      expect(account.read()).toMatchObject({ replay: { highest: 0n }, reserved: 0n, charge: { amount: 0n } });
      expect(chain.refusal(account.useCharge(delegate.publicKey, 1n))).not.toBe('none');
    });
  });

  it.each<[string, PolicyChange, Partial<Charge>]>([
    ['the limits themselves', { maxSingleTransfer: 100n, maxDailySpend: 100n }, {}],
    ['a purse at max_session_cap', { maxSessionCap: 100n }, { purse: true }],
    ['a single payment above max_session_cap', { maxSessionCap: 1n }, {}],
    ['one below the threshold', { escalationThreshold: 101n }, {}],
    ['the threshold with the operator', { escalationThreshold: 100n }, { approved: true }],
    ['a listed category', { categories: ['data'] }, { category: 'data' }],
    ['no memo where transfers need one', { requireMemo: true }, {}],
  ])('allows %s', (_what, policy, charge) => {
    account.change(policy);
    expect(refusal(charge)).toBe('none');
  });

  it.each<[Partial<Charge>, string]>([
    [{ amount: 0n }, 'AmountZero'],
    [{ expiresInSeconds: 0 }, 'ChargeDurationInvalid'],
    [{ expiresInSeconds: 3_601 }, 'ChargeDurationInvalid'],
    [{ expiresInSeconds: 1 }, 'none'],
    [{ expiresInSeconds: 3_600 }, 'none'],
    [{ seq: 1_025n }, 'SeqTooFar'],
  ])('%p: %s', (charge, expected) => {
    expect(refusal(charge)).toBe(expected);
  });

  it.each<[string, () => PublicKey]>([
    ['the authority', () => account.authority.publicKey],
    ['the operator', () => account.operator.publicKey],
    ['the creator', () => account.creator.publicKey],
    ['the account', () => account.address],
    ['the token account', () => account.tokenAccount],
  ])('refuses %s as the delegate', (_who, key) => {
    expect(['KeysNotDistinct', 'AccountBorrowFailed']).toContain(refusal({ delegate: key() }));
  });

  it.each<[string, string, () => PublicKey, string]>([
    ["another account's policy", 'policy', () => anAccount(chain).policy, 'WrongPolicy'],
    ["another account's token account", 'token_account', () => anAccount(chain).tokenAccount, 'WrongTokenAccount'],
    ['another mint', 'mint', () => chain.aMint(), 'WrongMint'],
    ['a stranger for the authority', 'authority', () => chain.aKey().publicKey, 'WrongAuthority'],
    ['the operator for the authority', 'authority', () => account.operator.publicKey, 'WrongAuthority'],
    ['a stranger for the operator', 'operator', () => chain.aKey().publicKey, 'WrongOperator'],
  ])('refuses %s', (_what, name, address, expected) => {
    expect(refusal({}, { [name]: address() })).toBe(expected);
  });

  it('reserves the amount and tells everything about it', () => {
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

  it('lets the key move the amount, anywhere, and not one more', () => {
    approve();
    expect(chain.refusal(account.useCharge(delegate.publicKey, 101n))).not.toBe('none');
    chain.run(account.useCharge(delegate.publicKey, 60n), account.useCharge(delegate.publicKey, 40n));
    expect(chain.refusal(account.useCharge(delegate.publicKey, 1n))).not.toBe('none');
    expect([account.balance(), chain.balance(account.payee)]).toEqual([900n, 100n]);
  });

  it('spends its number', () => {
    approve({ seq: 1n });
    chain.run(account.finishCharge(1n));
    expect(refusal({ seq: 1n, delegate: chain.aKey().publicKey })).toBe('AlreadyExecuted');
  });

  it('is refused while a charge is open, also one that is used up', () => {
    approve();
    expect(refusal({ delegate: chain.aKey().publicKey })).toBe('ChargeOpen');
    chain.run(account.useCharge(delegate.publicKey, 100n));
    expect(refusal({ delegate: chain.aKey().publicKey })).toBe('ChargeOpen');
  });

  it('is refused the key of the charge before', () => {
    approve();
    chain.run(account.finishCharge());
    expect(refusal()).toBe('DelegateUsed');
    expect(refusal({ delegate: chain.aKey().publicKey })).toBe('none');
  });

  it('is refused over a stranger’s delegate, or a frozen token account', () => {
    chain.setTokens(account.tokenAccount, { delegateOption: 1, delegate: chain.aKey().publicKey, delegatedAmount: 5n });
    expect(refusal()).toBe('SourceDelegated');
    chain.setTokens(account.tokenAccount, { delegateOption: 0, delegatedAmount: 0n });
    chain.run(createFreezeAccountInstruction(account.tokenAccount, chain.mint, chain.freezeAuthority.publicKey));
    expect(refusal()).toBe('SourceFrozen');
    chain.run(createThawAccountInstruction(account.tokenAccount, chain.mint, chain.freezeAuthority.publicKey));
    expect(refusal()).toBe('none');
  });

  describe('while a charge is open', () => {
    beforeEach(() => approve());

    it('transfers, openings and top-ups go on', () => {
      expect(account.refusal({ amount: 10n })).toBe('none');
      const session = new TestSession(account, account.seq + 1n);
      expect(session.refusal()).toBe('none');
      expect(chain.refusal(session.topUp())).toBe('none');
    });

    it('nothing else can spend what is approved: the charge never bounces', () => {
      expect(account.refusal({ amount: 901n })).toBe('InsufficientBalance');
      expect(new TestSession(account, account.seq + 1n).refusal({ cap: 901n })).toBe('InsufficientBalance');
      expect(account.refusal({ amount: 900n })).toBe('none');
      chain.run(account.useCharge(delegate.publicKey, 100n));
      expect(account.balance()).toBe(0n);
    });

    it('what it has used already is not kept back twice', () => {
      chain.run(account.useCharge(delegate.publicKey, 60n));
      expect(account.refusal({ amount: 901n })).toBe('InsufficientBalance');
      expect(account.refusal({ amount: 900n })).toBe('none');
      chain.run(account.useCharge(delegate.publicKey, 40n));
    });

    it('it counts against the daily limit', () => {
      account.change({ maxDailySpend: 150n });
      expect(account.refusal({ amount: 51n })).toBe('MaxDailySpend');
      expect(account.refusal({ amount: 50n })).toBe('none');
    });

    it('a stranger’s delegate in its place is refused', () => {
      chain.setTokens(account.tokenAccount, { delegateOption: 1, delegate: chain.aKey().publicKey });
      expect(account.refusal({ amount: 1n })).toBe('SourceDelegated');
    });

    it('the account is not closed, and its keys do not become the delegate', () => {
      expect(chain.refusal(account.close())).toBe('AccountInUse');
      expect(chain.refusal(account.rotateAuthority(delegate.publicKey))).toBe('KeysNotDistinct');
      expect(chain.refusal(account.setOperator(delegate.publicKey))).toBe('KeysNotDistinct');
    });

    it('rotate_authority ends it, and the next charge is the new authority’s alone', () => {
      const [old, next] = [account.authority, chain.aKey()];
      chain.run(account.rotateAuthority(next.publicKey));
      expect(chain.refusal(account.useCharge(delegate.publicKey, 1n))).not.toBe('none');
      account.authority = next;
      expect(refusal({ delegate: chain.aKey().publicKey })).toBe('none');
      expect(chain.refusal(account.finishCharge(account.seq, { closer: old.publicKey }))).toBe('ChargeInUse');
    });
  });
});
