/** Signer matrix: each key at each instruction. Only the right key is accepted, and only if it signs. */
import type { PublicKey, TransactionInstruction } from '@solana/web3.js';
import { aPlan, anAccount, type TestAccount } from './support/account';
import { TestSession } from './support/session';
import { aChain, unsigned, type Key, type TestChain } from './support/chain';
import { aFleet, type TestFleet } from './support/fleet';

/** An instruction of `account`, with `key` in place of the operator (or the authority). */
type Attempt = (account: TestAccount, key: PublicKey) => TransactionInstruction;

const OPERATORS: Record<string, Attempt> = {
  set_policy: (account, operator) => account.setPolicy({ maxDailySpend: 1n }, { accounts: { operator } }),
  'set_policy, pausing alone': (account, operator) => account.setPolicy({ paused: true }, { accounts: { operator } }),
  create_policy_draft: (account, operator) => account.createDraft(account.aDraft().draft, { operator }),
  write_policy_draft: (account, operator) => {
    const { draft } = account.aDraft();
    if (!account.chain.exists(draft.address)) account.stage(draft, 0);
    return account.writeDraft(draft, {}, { operator });
  },
  close_policy_draft: (account, closer) => {
    const { draft } = account.aDraft();
    if (!account.chain.exists(draft.address)) account.stage(draft);
    return account.closeDraft(draft, { closer });
  },
  rotate_authority: (account, operator) => account.rotateAuthority(account.chain.aKey().publicKey, { operator }),
  set_operator: (account, operator) => account.setOperator(account.chain.aKey().publicKey, { operator }),
  close_account: (account, operator) => account.close({ operator }),
};

/** An instruction of a fleet, its member, or an account outside of it, with `key` in place of the operator. */
type FleetAttempt = (fleet: TestFleet, key: PublicKey, member: TestAccount, other: TestAccount) => TransactionInstruction;

const FLEET_OPERATORS: Record<string, FleetAttempt> = {
  'set_policy of a fleet': (fleet, operator) => fleet.setPolicy({ paused: false }, { operator }),
  'set_policy of a member': (_fleet, operator, member) => member.setPolicy({ maxDailySpend: 1n }, { accounts: { operator } }),
  set_fleet_limits: (fleet, operator) => fleet.setLimits({ daily: 1n }, { operator }),
  set_fleet_operator: (fleet, operator) => fleet.setOperator(fleet.chain.aKey().publicKey, { operator }),
  leave_fleet: (_fleet, operator, member) => member.leaveFleet({ operator }),
  end_policy: (_fleet, operator, member) => member.endPolicy(1n, { operator }),
  'rotate_authority of a member': (fleet, operator, member) => member.rotateAuthority(fleet.chain.aKey().publicKey, { operator }),
  'close_account of a member': (_fleet, operator, member) => member.close({ operator, destination: member.payee }),
};
/** What the guardian may do as well. */
const GUARDIANS: Record<string, FleetAttempt> = {
  'set_policy, pausing alone': (fleet, operator) => fleet.setPolicy({ paused: true }, { operator }),
  join_fleet: (fleet, operator, _member, other) => fleet.join(other, { operator }),
};
const FLEET_THIEVES: Record<string, (fleet: TestFleet, member: TestAccount) => Key> = {
  'the authority of a member': (_fleet, { authority }) => authority,
  'the operator of another fleet': ({ chain }) => aFleet(chain).operator,
  'the fee payer': ({ chain }) => chain.feePayer,
};

type Thief = (account: TestAccount, other: TestAccount) => Key;

const THIEVES: Record<string, Thief> = {
  'the authority': ({ authority }) => authority,
  'the fee payer': ({ chain }) => chain.feePayer,
  'a stranger': ({ chain }) => chain.aKey(),
  "the other account's operator": (_account, { operator }) => operator,
  "the other account's authority": (_account, { authority }) => authority,
};

/** A session of the account, opened by its own authority. */
function opened(account: TestAccount): TestSession {
  const session = new TestSession(account, account.seq + 1n);
  if (session.errorOf() !== 'none') throw new Error('a session could not be opened');
  return session;
}

/** The error for a wrong operator: `close_policy_draft` has one of its own. */
const wrongOperatorError = (name: string): string => (name === 'close_policy_draft' ? 'DraftInUse' : 'WrongOperator');

describe('signers', () => {
  let chain: TestChain;
  let account: TestAccount;
  let other: TestAccount;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain, { balance: 0n });
    other = anAccount(chain);
  });

  describe.each(Object.entries(OPERATORS))('%s', (name, attempt) => {
    it.each(Object.entries(THIEVES))('signers: the operator’s instruction rejects %s', (_who, thief) => {
      expect(chain.errorOf(attempt(account, thief(account, other).publicKey))).toBe(wrongOperatorError(name));
    });

    it('signers: the operator’s instruction rejects the operator when it is named and does not sign', () => {
      const { publicKey } = account.operator;
      expect(chain.errorOf(unsigned(attempt(account, publicKey), publicKey))).toBe('AccountNotSigner');
    });

    it('signers: the operator’s instruction accepts the operator', () => {
      expect(chain.errorOf(attempt(account, account.operator.publicKey))).toBe('none');
    });
  });

  describe.each(Object.entries({ ...FLEET_OPERATORS, ...GUARDIANS }))('%s', (name, attempt) => {
    let fleet: TestFleet;
    let member: TestAccount;
    let outside: TestAccount;
    const errorBy = ({ publicKey }: Key) => chain.errorOf(attempt(fleet, publicKey, member, outside));

    beforeEach(() => {
      fleet = aFleet(chain);
      [member, outside] = [fleet.aMember(), anAccount(chain, { operator: fleet.operator })];
    });

    it.each(Object.entries(FLEET_THIEVES))('signers: the instruction of a fleet rejects %s', (_who, thief) => {
      expect(errorBy(thief(fleet, member))).toBe('WrongOperator');
    });

    it('signers: the instruction of a fleet takes its operator, and its guardian only to pause and to join', () => {
      expect(errorBy(fleet.guardian ?? fleet.operator)).toBe(name in GUARDIANS ? 'none' : 'WrongOperator');
      if (!(name in GUARDIANS)) expect(errorBy(fleet.operator)).toBe('none');
    });

    it('signers: the instruction of a fleet rejects the operator when it is named and does not sign', () => {
      const { publicKey } = fleet.operator;
      expect(chain.errorOf(unsigned(attempt(fleet, publicKey, member, outside), publicKey))).toBe('AccountNotSigner');
    });
  });

  describe('transfer', () => {
    beforeEach(() => chain.setTokens(account.tokenAccount, { amount: 100n }));

    const transfer: Attempt = (from, authority) => from.transfer({}, { authority });

    const { 'the authority': _itself, ...strangers } = THIEVES;

    it.each(Object.entries<Thief>({ ...strangers, 'the operator': ({ operator }) => operator }))(
      'signers: transfer rejects %s as the authority',
      (_who, thief) => {
        expect(chain.errorOf(transfer(account, thief(account, other).publicKey))).toBe('WrongAuthority');
      },
    );

    it('signers: transfer accepts the authority', () => {
      expect(chain.errorOf(transfer(account, account.authority.publicKey))).toBe('none');
    });

    it('signers: transfer rejects the operator as the authority even if it approves as well', () => {
      const operator = account.operator.publicKey;
      expect(chain.errorOf(account.transfer({ approved: true }, { authority: operator }))).toBe('WrongAuthority');
    });

    it('signers: transfer rejects the authority when it is named and does not sign', () => {
      const { publicKey } = account.authority;
      expect(chain.errorOf(unsigned(transfer(account, publicKey), publicKey))).toBe('AccountNotSigner');
    });

    it('signers: transfer rejects the authority of another account', () => {
      expect(chain.errorOf(other.transfer({}, { authority: account.authority.publicKey }))).toBe('WrongAuthority');
    });
  });

  describe.each<[string, Attempt]>([
    ['open_session', (from, authority) => new TestSession(from, 1n).open({}, { authority })],
    ['top_up_session', (from, authority) => opened(from).topUp({}, { authority })],
    ['approve_charge', (from, authority) => from.approveCharge({}, { authority })],
  ])('%s', (_name, attempt) => {
    beforeEach(() => chain.setTokens(account.tokenAccount, { amount: 1_000n }));

    const { 'the authority': _itself, ...strangers } = THIEVES;

    it.each(Object.entries<Thief>({ ...strangers, 'the operator': ({ operator }) => operator }))(
      'signers: the authority’s instruction rejects %s',
      (_who, thief) => {
        expect(chain.errorOf(attempt(account, thief(account, other).publicKey))).toBe('WrongAuthority');
      },
    );

    it('signers: the authority’s instruction rejects the authority when it is named and does not sign', () => {
      const { publicKey } = account.authority;
      expect(chain.errorOf(unsigned(attempt(account, publicKey), publicKey))).toBe('AccountNotSigner');
    });

    it('signers: the authority’s instruction accepts the authority', () => {
      expect(chain.errorOf(attempt(account, account.authority.publicKey))).toBe('none');
    });
  });

  it.each<[string, () => TransactionInstruction]>([
    ['open_session', () => new TestSession(other, 1n).open({ approved: true })],
    ['top_up_session', () => opened(other).topUp({ approved: true })],
    ['approve_charge', () => other.approveCharge({ approved: true })],
  ])('signers: %s rejects an operator that is named and does not sign', (_name, instruction) => {
    other.change({ escalationThreshold: 200n });
    expect(chain.errorOf(unsigned(instruction(), other.operator.publicKey))).toBe('AccountNotSigner');
  });

  it('signers: open_session rejects a payer that is named and does not sign', () => {
    const payer = chain.aKey().publicKey;
    expect(chain.errorOf(unsigned(new TestSession(other, 1n).open({}, { payer }), payer))).toBe('AccountNotSigner');
  });

  it('signers: check_payment needs no signer', () => {
    const session = opened(other);
    expect(chain.sendAs(chain.aKey(), other.checkPayment(session.address)).error).toBeUndefined();
  });

  describe('set_operator', () => {
    it('signers: set_operator fails without the new operator’s signature', () => {
      const { publicKey } = chain.aKey();
      expect(chain.errorOf(unsigned(account.setOperator(publicKey), publicKey))).toBe('NotAccepted');
    });

    it('signers: set_operator fails with the new operator’s signature alone', () => {
      const { publicKey } = chain.aKey();
      expect(chain.errorOf(account.setOperator(publicKey, { operator: publicKey }))).toBe('WrongOperator');
    });
  });

  describe('create_account', () => {
    it.each(Object.entries<Thief>({ ...THIEVES, 'the operator': ({ operator }) => operator }))(
      'signers: create_account at a creator’s address rejects %s',
      (_who, thief) => {
        const plan = aPlan(chain, { creator: chain.aKey() });
        expect(chain.errorOf(plan.create({ creator: thief(account, other).publicKey }))).toBe('ConstraintSeeds');
      },
    );

    it('signers: create_account rejects a creator that is named and does not sign', () => {
      const creator = chain.aKey();
      expect(chain.errorOf(unsigned(aPlan(chain, { creator }).create(), creator.publicKey))).toBe('AccountNotSigner');
    });
  });

  it.each([
    [
      'set_policy',
      () => account.setPolicy({ maxDailySpend: 1n }, { accounts: { payer: account.authority.publicKey } }),
      () => account.authority,
    ],
    [
      'create_policy_draft',
      () => account.createDraft(account.aDraft().draft, { payer: account.authority.publicKey }),
      () => account.authority,
    ],
  ])('signers: %s rejects a payer that is named and does not sign', (_name, instruction, payer) => {
    expect(chain.errorOf(unsigned(instruction(), payer().publicKey))).toBe('AccountNotSigner');
  });

  it('signers: spending needs no signer', () => {
    const { error } = chain.sendAs(chain.aKey(), account.spending());
    expect(error).toBeUndefined();
  });
});
