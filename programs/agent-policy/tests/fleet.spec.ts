/** Fleets: one policy, one set of limits and one pause over the accounts of one operator. */
import { tallyOf } from '../../../libs/chain/src/accounts/account-data';
import { readTally } from '../../../libs/chain/src/fleets/tally-data';
import { Addresses } from '../../../libs/chain/src/program/addresses';
import { PROGRAM_ID } from '../../../libs/chain/src/program/idl';
import { aPlan, anAccount, SPACE, someAddresses, type TestAccount } from './support/account';
import { aChain, START, type TestChain } from './support/chain';
import { aFleet, FLEET_SPACE, TestFleet } from './support/fleet';
import { TestSession } from './support/session';

const DAY = 86_400;
const BUCKET = 900;
const MOST = 2n ** 64n - 1n;

describe('fleets', () => {
  let chain: TestChain;

  beforeEach(() => {
    chain = aChain();
  });

  const open = (account: TestAccount, cap = 100n): TestSession => {
    const session = new TestSession(account, account.seq + 1n);
    const { error, logs } = session.tryOpen({ cap });
    if (error !== undefined) throw new Error(logs.join('\n'));
    return session;
  };

  const violation = (account: TestAccount, order: Parameters<TestAccount['transfer']>[0]) => {
    const { error, events } = chain.simulate(account.transfer(order));
    return { error, ...events.find(({ name }) => name === 'PolicyViolated')?.data };
  };

  it('a fleet and a member have their documented sizes', () => {
    const fleet = aFleet(chain);
    const member = fleet.aCreatedMember();
    expect(chain.account(fleet.address).data).toHaveLength(FLEET_SPACE.fleet);
    expect(chain.account(member.address).data).toHaveLength(SPACE.account);
    expect([chain.exists(member.policy), fleet.read().members]).toEqual([false, 1]);
  });

  it('members count what they spend in their own windows and in those of the fleet, on the same day', () => {
    const fleet = aFleet(chain);
    const [first, second] = [fleet.aMember(), fleet.aCreatedMember()];
    expect([first.errorOf({ amount: 30n }), second.errorOf({ amount: 12n })]).toEqual(['none', 'none']);
    expect(fleet.books()).toEqual({ reserved: 0n, day: 42n, month: 42n, lifetime: 42n });
    expect(first.read()).toMatchObject({ lifetime: 30n, window: { spent: 30n } });
    expect(second.read()).toMatchObject({ lifetime: 12n, month: { spent: 12n } });
  });

  it('the service reads the window of a fleet and of a member in place', () => {
    const fleet = aFleet(chain);
    const member = fleet.aMember();
    member.pay({ amount: 30n });
    chain.setTime(START + BUCKET);
    member.pay({ amount: 12n });
    open(member, 7n);
    const [ofFleet, ofMember] = [readTally(chain.account(fleet.address).data, 0), tallyOf(chain.account(member.address).data)];
    for (const { reserved, newest, since } of [ofFleet, ofMember])
      expect([reserved, since(newest), since(newest - 1n), since(newest - 200n)]).toEqual([7n, 12n, 42n, 42n]);
  });

  it('fleet_spending returns the sums of all members', () => {
    const fleet = aFleet(chain, { limits: { daily: 100n } });
    fleet.aMember().pay({ amount: 30n });
    const { returned } = chain.run(fleet.spending());
    expect([2, 5, 6, 7].map((index) => returned.readBigUInt64LE(8 * index))).toEqual([100n, 30n, 30n, 30n]);
  });

  describe('rules', () => {
    it.each<[keyof Limits, string]>([
      ['daily', 'FleetLimitsMaxDailySpend'],
      ['monthly', 'FleetLimitsMaxMonthlySpend'],
      ['lifetime', 'FleetLimitsMaxLifetimeSpend'],
    ])('the %s limit of a fleet takes the last unit of all members and not one more', (name, error) => {
      const fleet = aFleet(chain, { limits: { [name]: 100n } });
      const [first, second] = [fleet.aMember(), fleet.aMember()];
      first.pay({ amount: 60n });
      expect(violation(second, { amount: 41n })).toMatchObject({
        error,
        scope: 2,
        limit: 100n,
        remaining: 40n,
        attempted: 41n,
        policy_version: 1n,
      });
      expect(second.errorOf({ amount: 40n })).toBe('none');
      expect(first.errorOf({ amount: 1n })).toBe(error);
    });

    it.each<[string, PolicyRule]>([
      ['FleetMaxSingleTransfer', { maxSingleTransfer: 50n }],
      ['FleetMaxDailySpend', { maxDailySpend: 50n }],
      ['FleetMaxMonthlySpend', { maxMonthlySpend: 50n }],
      ['FleetMaxLifetimeSpend', { maxLifetimeSpend: 50n }],
    ])('%s: the fleet’s policy binds each member by itself, at the limit and one over', (error, policy) => {
      const fleet = aFleet(chain, { policy });
      for (const member of [fleet.aMember(), fleet.aCreatedMember()]) {
        expect(violation(member, { amount: 51n })).toMatchObject({ error, scope: 1, limit: 50n, policy_version: 2n });
        expect(member.errorOf({ amount: 50n })).toBe('none');
      }
    });

    it.each<[string, PolicyRule]>([
      ['MaxMonthlySpend', { maxMonthlySpend: 50n }],
      ['MaxLifetimeSpend', { maxLifetimeSpend: 50n }],
    ])('%s: an account of no fleet spends up to it and not one more', (error, policy) => {
      const account = anAccount(chain, { policy });
      expect(account.errorOf({ amount: 51n })).toBe(error);
      expect(account.errorOf({ amount: 50n })).toBe('none');
      expect(account.errorOf({ amount: 1n })).toBe(error);
    });

    it.each<[string, PolicyRule]>([
      ['FleetPaused', { paused: true }],
      ['FleetAllowedCounterparties', { allowedCounterparties: someAddresses(1) }],
      ['FleetCategories', { categories: ['food'] }],
      ['FleetRequireMemo', { requireMemo: true }],
    ])('%s: the fleet’s policy declines what the account’s own allows', (error, policy) => {
      expect(violation(aFleet(chain, { policy }).aMember(), {})).toMatchObject({ error, scope: 1 });
    });

    it('the account’s own policy is named before the fleet’s, and the fleet’s before its limits', () => {
      const fleet = aFleet(chain, { policy: { maxDailySpend: 5n }, limits: { daily: 4n } });
      expect(fleet.aMember({ policy: { maxDailySpend: 6n } }).errorOf({ amount: 7n })).toBe('MaxDailySpend');
      expect(fleet.aMember().errorOf({ amount: 6n })).toBe('FleetMaxDailySpend');
      expect(fleet.aMember().errorOf({ amount: 5n })).toBe('FleetLimitsMaxDailySpend');
      expect(fleet.aMember({ balance: 3n }).errorOf({ amount: 4n })).toBe('InsufficientBalance');
    });

    it('a policy is valid until the second before valid_until, for the account and the fleet', () => {
      const validUntil = new Date((START + 1_000) * 1000);
      const account = anAccount(chain, { policy: { validUntil } });
      const member = aFleet(chain, { policy: { validUntil } }).aMember();
      chain.setTime(START + 999);
      expect([account.errorOf(), member.errorOf()]).toEqual(['none', 'none']);
      chain.setTime(START + 1_000);
      expect([account.errorOf(), member.errorOf()]).toEqual(['ValidUntil', 'FleetValidUntil']);
    });

    it('a session and a charge end at valid_until at the latest', () => {
      const account = anAccount(chain, { policy: { validUntil: new Date((START + 600) * 1000) } });
      const session = new TestSession(account, 1n);
      expect(session.errorOf({ expiresInSeconds: 601 })).toBe('ValidUntil');
      expect(session.errorOf({ expiresInSeconds: 600 })).toBe('none');
      expect(chain.errorOf(account.approveCharge({ expiresInSeconds: 601 }))).toBe('ValidUntil');
      expect(chain.errorOf(account.approveCharge({ expiresInSeconds: 600 }))).toBe('none');
    });

    it('approval_above_daily_sum lets what is spent and reserved rise to it, and asks for the operator above it', () => {
      const account = anAccount(chain, { policy: { approvalAboveDailySum: 100n } });
      open(account, 60n);
      expect(account.errorOf({ amount: 41n })).toBe('ApprovalAboveDailySum');
      expect(account.errorOf({ amount: 40n })).toBe('none');
      expect(account.errorOf({ amount: 1n })).toBe('ApprovalAboveDailySum');
      expect(account.errorOf({ amount: 1n, approved: true })).toBe('none');
    });

    it('the lower approval threshold of account and fleet is named, and one approval covers both', () => {
      const fleet = aFleet(chain, { policy: { escalationThreshold: 20n, approvalAboveDailySum: 500n } });
      const member = fleet.aMember({ policy: { escalationThreshold: 30n } });
      expect(violation(member, { amount: 30n })).toMatchObject({ error: 'FleetEscalationThreshold', scope: 1, limit: 20n });
      member.change({ escalationThreshold: 10n });
      expect(violation(member, { amount: 30n })).toMatchObject({ error: 'EscalationThreshold', scope: 0, limit: 10n });
      expect(member.errorOf({ amount: 30n, approved: true })).toBe('none');
    });
  });

  describe('windows at the border', () => {
    it.each<[string, Limits, number, number, string]>([
      ['24 hours', { daily: 100n }, 97 * BUCKET, BUCKET, 'FleetLimitsMaxDailySpend'],
      ['30 days', { monthly: 100n }, 31 * DAY, DAY, 'FleetLimitsMaxMonthlySpend'],
    ])('a fleet releases what left after %s, when its bucket has ended, and not a second before', (_span, limits, span, width, error) => {
      const start = Math.floor(START / width) * width + width;
      chain.setTime(start);
      const fleet = aFleet(chain, { limits });
      const member = fleet.aMember();
      expect(member.errorOf({ amount: 100n })).toBe('none');
      expect(violation(member, { amount: 1n })).toMatchObject({ error, available_at: BigInt(start + span) });
      chain.setTime(start + span - 1);
      expect(member.errorOf({ amount: 1n })).toBe(error);
      chain.setTime(start + span);
      expect(member.errorOf({ amount: 100n })).toBe('none');
      expect(fleet.books().lifetime).toBe(200n);
    });
  });

  describe('reserved amounts', () => {
    it('a session reserves in both when it opens and releases in both when it ends', () => {
      const fleet = aFleet(chain, { limits: { daily: 100n } });
      const [member, other] = [fleet.aMember(), fleet.aMember()];
      const session = open(member, 80n);
      expect(fleet.books()).toMatchObject({ reserved: 80n, day: 0n });
      expect(other.errorOf({ amount: 21n })).toBe('FleetLimitsMaxDailySpend');
      chain.run(...session.close(30n));
      expect(fleet.books()).toEqual({ reserved: 0n, day: 30n, month: 30n, lifetime: 30n });
      expect(session.books()).toEqual({ reserved: 0n, spent: 30n, open: 0 });
      expect(other.errorOf({ amount: 70n })).toBe('none');
    });

    it('a charge reserves in both and counts in both what was used of it', () => {
      const fleet = aFleet(chain);
      const member = fleet.aCreatedMember();
      const delegate = chain.aKey();
      chain.run(member.approveCharge({ amount: 50n, delegate: delegate.publicKey }));
      expect(fleet.books().reserved).toBe(50n);
      chain.run(member.useCharge(delegate.publicKey, 20n));
      chain.run(member.finishCharge(1n));
      expect(fleet.books()).toEqual({ reserved: 0n, day: 20n, month: 20n, lifetime: 20n });
    });

    it.each<[string, (fleet: TestFleet) => void]>([
      ['paused', (fleet) => chain.run(fleet.setPolicy({ paused: true }))],
      ['past valid_until', (fleet) => chain.run(fleet.setPolicy({ validUntil: new Date(START * 1000) }))],
      ['above limits that were lowered', (fleet) => chain.run(fleet.setLimits({ daily: 0n, monthly: 0n, lifetime: 0n }))],
      ['idle for a year', () => chain.setTime(START + 365 * DAY)],
    ])('ending never fails in a fleet that is %s', (_state, change) => {
      const fleet = aFleet(chain);
      const member = fleet.aMember();
      const session = open(member, 50n);
      const charge = chain.aKey();
      chain.run(member.approveCharge({ amount: 10n, seq: 2n, delegate: charge.publicKey }));
      change(fleet);
      expect(chain.errorOf(...session.settle(20n))).not.toMatch(/Limit|Invariant|Overflow|Fleet/);
      expect(chain.errorOf(...(chain.now > START ? session.closeExpired(null) : session.close(20n)))).toBe('none');
      expect(chain.errorOf(member.finishCharge(2n))).toBe('none');
      expect(fleet.books().reserved).toBe(0n);
    });

    it('joining and leaving wait until nothing is reserved', () => {
      const fleet = aFleet(chain);
      const account = anAccount(chain, { operator: fleet.operator });
      const session = open(account);
      expect(chain.errorOf(fleet.join(account))).toBe('AmountsReserved');
      chain.run(...session.close(null));
      chain.run(fleet.join(account));
      account.fleet = fleet;
      open(account);
      expect(chain.errorOf(account.leaveFleet())).toBe('AmountsReserved');
    });

    it('without any limit the fleet takes what fits into 64 bits, so that no release fails', () => {
      const fleet = aFleet(chain);
      const [one, other] = [fleet.aMember({ balance: MOST }), fleet.aMember({ balance: MOST })];
      expect(one.errorOf({ amount: MOST - 100n })).toBe('none');
      expect(other.errorOf({ amount: 101n })).toBe('FleetLimitsMaxDailySpend');
      expect(other.errorOf({ amount: 100n })).toBe('none');
    });
  });

  describe('joining and leaving', () => {
    it('what left before joining does not count in the fleet, and what left as a member stays counted', () => {
      const fleet = aFleet(chain, { limits: { daily: 100n } });
      const account = anAccount(chain, { operator: fleet.operator });
      account.pay({ amount: 70n });
      chain.run(fleet.join(account));
      account.fleet = fleet;
      account.pay({ amount: 60n });
      chain.run(account.leaveFleet());
      account.fleet = undefined;
      expect(fleet.books().day).toBe(60n);
      expect(fleet.read().members).toBe(0);
      expect(account.errorOf({ amount: 50n })).toBe('none');
      expect(fleet.books().day).toBe(60n);
    });

    it('an account without a policy of its own leaves with a paused one', () => {
      const member = aFleet(chain).aCreatedMember();
      chain.run(member.leaveFleet());
      [member.fleet, member.hasOwnPolicy] = [undefined, true];
      expect(member.readPolicy()).toMatchObject({ version: 1n, paused: true, maxDailySpend: null });
      expect(member.errorOf()).toBe('Paused');
    });

    it('the first change gives a member a policy of its own, from version 0, and end_policy takes it away', () => {
      const member = aFleet(chain).aCreatedMember();
      chain.run(member.setPolicy({ maxDailySpend: 5n }, { expectedVersion: 0n }));
      member.hasOwnPolicy = true;
      expect(member.readPolicy()).toMatchObject({ version: 1n, maxDailySpend: 5n });
      expect(member.errorOf({ amount: 6n })).toBe('MaxDailySpend');
      expect(chain.errorOf(member.endPolicy(2n))).toBe('PolicyVersionMismatch');
      chain.run(member.endPolicy());
      member.hasOwnPolicy = false;
      expect(member.errorOf({ amount: 6n })).toBe('none');
    });

    it('an account outside of a fleet keeps its policy', () => {
      expect(chain.errorOf(anAccount(chain).endPolicy())).toBe('FleetMissing');
    });
  });

  describe('attacks', () => {
    it('a spend that leaves the fleet out, names another one, or another fleet’s policy is refused', () => {
      const [fleet, foreign] = [aFleet(chain, { limits: { daily: 1n } }), aFleet(chain)];
      const member = fleet.aMember();
      expect(member.errorOf({ amount: 2n }, { fleet: undefined, fleet_policy: undefined })).toBe('FleetMissing');
      expect(member.errorOf({ amount: 2n }, { fleet: foreign.address, fleet_policy: foreign.policy })).toBe('WrongFleet');
      expect(member.errorOf({ amount: 1n }, { fleet_policy: foreign.policy })).toBe('WrongPolicy');
      expect(member.errorOf({ amount: 1n }, { fleet_policy: member.policy })).toBe('WrongPolicy');
      expect(member.errorOf({ amount: 1n }, { fleet_policy: undefined })).toBe('WrongPolicy');
      expect(member.errorOf({ amount: 1n }, { policy: undefined })).toBe('WrongPolicy');
      expect(member.errorOf({ amount: 1n }, { policy: fleet.policy })).toBe('WrongPolicy');
    });

    it('an account outside of a fleet spends under no fleet', () => {
      const fleet = aFleet(chain);
      expect(anAccount(chain).errorOf({}, { fleet: fleet.address, fleet_policy: fleet.policy })).toBe('WrongFleet');
    });

    it('an ending that leaves the fleet out, or names another one, is refused', () => {
      const [fleet, foreign] = [aFleet(chain), aFleet(chain)];
      const member = fleet.aMember();
      const session = open(member);
      expect(chain.errorOf(...session.settle(1n, {}, { fleet: undefined }))).toBe('FleetMissing');
      expect(chain.errorOf(...session.close(1n, {}, { fleet: foreign.address }))).toBe('WrongFleet');
      chain.run(member.approveCharge({ seq: 2n }));
      expect(chain.errorOf(member.finishCharge(2n, { fleet: undefined }))).toBe('FleetMissing');
      expect(chain.errorOf(member.finishCharge(2n, { fleet: foreign.address }))).toBe('WrongFleet');
    });

    it('nobody adds an account of another operator, and no stranger adds any', () => {
      const fleet = aFleet(chain);
      const guardian = fleet.guardian?.publicKey;
      const foreign = anAccount(chain);
      expect(chain.errorOf(fleet.join(foreign))).toBe('WrongOperator');
      expect(chain.errorOf(fleet.join(foreign, { operator: guardian }))).toBe('WrongOperator');
      expect(chain.errorOf(fleet.createIn(aPlan(chain)))).toBe('WrongOperator');
      const own = anAccount(chain, { operator: fleet.operator });
      expect(chain.errorOf(fleet.join(own, { operator: chain.aKey().publicKey }))).toBe('WrongOperator');
      expect(chain.errorOf(fleet.join(own, { operator: guardian }))).toBe('none');
      expect(chain.errorOf(aFleet(chain, { operator: fleet.operator }).join(own))).toBe('InFleet');
    });

    it('the guardian pauses, and does nothing else of what the operator may', () => {
      const fleet = aFleet(chain);
      const member = fleet.aMember();
      const operator = fleet.guardian?.publicKey;
      const refusals = [
        fleet.setPolicy({ paused: false }, { operator }),
        fleet.setPolicy({ paused: true, maxDailySpend: 1n }, { operator }),
        fleet.setPolicy({ maxDailySpend: null }, { operator }),
        fleet.setLimits({ daily: null }, { operator }),
        fleet.setOperator(chain.aKey().publicKey, { operator }),
        fleet.close({ operator }),
        member.leaveFleet({ operator }),
        member.endPolicy(undefined, { operator }),
        member.setPolicy({ paused: true }, { accounts: { operator } }),
        member.rotateAuthority(chain.aKey().publicKey, { operator }),
        member.close({ operator }),
        member.transfer({}, { operator }),
      ];
      expect(new Set(refusals.map((one) => chain.errorOf(one)))).toEqual(new Set(['WrongOperator']));
      expect(chain.errorOf(fleet.setPolicy({ paused: true }, { operator }))).toBe('none');
      expect(member.errorOf()).toBe('FleetPaused');
      expect(chain.errorOf(fleet.setPolicy({ paused: false }))).toBe('none');
      expect(member.errorOf()).toBe('none');
    });

    it('two accounts race for the last unit, and one gets it', () => {
      const fleet = aFleet(chain, { limits: { daily: 1n } });
      const members = [fleet.aMember(), fleet.aMember()];
      expect(members.map((member) => member.errorOf({ amount: 1n }))).toEqual(['none', 'FleetLimitsMaxDailySpend']);
      expect(fleet.books().day).toBe(1n);
    });

    it('limits that are lowered below what is spent stop everybody, and members can still close', () => {
      const fleet = aFleet(chain);
      const member = fleet.aMember();
      member.pay({ amount: 900n });
      chain.run(fleet.setLimits({ daily: 10n, monthly: 10n, lifetime: 10n }));
      expect(violation(member, { amount: 1n })).toMatchObject({ error: 'FleetLimitsMaxDailySpend', remaining: 0n, policy_version: 2n });
      expect(chain.errorOf(fleet.setLimits({ daily: null }, {}, 1n))).toBe('LimitsVersionMismatch');
      expect(chain.errorOf(fleet.close())).toBe('FleetInUse');
      chain.run(member.close({ destination: member.payee }));
      expect(chain.errorOf(fleet.close())).toBe('none');
    });

    it('a hand-over moves all members at once; a member alone cannot be handed over', () => {
      const fleet = aFleet(chain);
      const member = fleet.aMember({ policy: { escalationThreshold: 1n } });
      const next = chain.aKey();
      expect(chain.errorOf(member.setOperator(next.publicKey))).toBe('InFleet');
      chain.run(fleet.setOperator(next.publicKey));
      expect(member.errorOf({ approved: true })).toBe('WrongOperator');
      [fleet.operator, member.operator] = [next, next];
      expect(member.errorOf({ approved: true })).toBe('none');
    });

    it('an operator that is the authority of a member cannot approve for it: three keys are checked at every spend', () => {
      const fleet = aFleet(chain);
      const authority = chain.aKey();
      const member = fleet.aMember({ authority });
      chain.run(fleet.setOperator(authority.publicKey));
      [fleet.operator, member.operator] = [authority, authority];
      expect(member.errorOf()).toBe('KeysNotDistinct');
      expect(chain.errorOf(member.leaveFleet())).toBe('KeysNotDistinct');
      expect(chain.errorOf(member.rotateAuthority(chain.aKey().publicKey))).toBe('none');
    });

    it('a closed fleet leaves a tombstone: none is created at its address, and its operator sweeps what arrives at former members', () => {
      const fleet = aFleet(chain);
      const member = fleet.aMember({ balance: 0n });
      chain.run(member.close());
      chain.run(fleet.close());
      expect(chain.account(fleet.address).data).toHaveLength(FLEET_SPACE.closed);
      expect(chain.errorOf(fleet.create())).not.toBe('none');
      const tokenAccount = chain.aTokenAccount({ owner: member.address, amount: 5n });
      const sweep = (accounts: object) => chain.errorOf(member.sweepClosed(member.payee, { token_account: tokenAccount, ...accounts }));
      expect(sweep({ fleet: undefined })).toBe('WrongOperator');
      expect(sweep({ operator: chain.aKey().publicKey })).toBe('WrongOperator');
      expect(sweep({ fleet: aFleet(chain).address })).toBe('WrongFleet');
      expect(sweep({})).toBe('none');
      expect(chain.balance(member.payee)).toBe(5n);
    });

    it('an account cannot pose as a fleet, and a fleet not as an account', () => {
      const fleet = aFleet(chain);
      const [member, other] = [fleet.aMember(), anAccount(chain)];
      expect(member.errorOf({}, { fleet: other.address })).toBe('AccountDiscriminatorMismatch');
      expect(member.errorOf({}, { account: fleet.address })).toBe('AccountDiscriminatorMismatch');
      const forged = chain.copy(fleet.address);
      expect(member.errorOf({}, { fleet: forged })).toBe('WrongFleet');
      const policyOf = new Addresses(PROGRAM_ID, chain.mint).policy(forged);
      expect(chain.exists(policyOf)).toBe(false);
    });
  });
});

type Limits = NonNullable<ConstructorParameters<typeof TestFleet>[1]>['limits'] & object;
type PolicyRule = NonNullable<NonNullable<ConstructorParameters<typeof TestFleet>[1]>['policy']>;
