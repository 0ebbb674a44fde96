/** Fleets: one policy, one set of limits and one pause over the accounts of one operator. */
import { tallyOf } from '../../../libs/chain/src/accounts/account-data';
import { readTally } from '../../../libs/chain/src/fleets/tally-data';
import type { PolicyChange } from '../../../libs/chain/src/policy/policy.types';
import { anAccount, SPACE, someAddresses } from './support/account';
import { aChain, START, type TestChain } from './support/chain';
import { aFleet, FLEET_SPACE, type Limits, type TestFleet, violation } from './support/fleet';
import { aSessionOf, TestSession } from './support/session';

const DAY = 86_400;
const BUCKET = 900;
const MOST = 2n ** 64n - 1n;

describe('fleets', () => {
  let chain: TestChain;

  beforeEach(() => {
    chain = aChain();
  });

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
    aSessionOf(member, { cap: 7n });
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

    it.each<[string, PolicyChange]>([
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

    it.each<[string, PolicyChange]>([
      ['MaxMonthlySpend', { maxMonthlySpend: 50n }],
      ['MaxLifetimeSpend', { maxLifetimeSpend: 50n }],
    ])('%s: an account of no fleet spends up to it and not one more', (error, policy) => {
      const account = anAccount(chain, { policy });
      expect(account.errorOf({ amount: 51n })).toBe(error);
      expect(account.errorOf({ amount: 50n })).toBe('none');
      expect(account.errorOf({ amount: 1n })).toBe(error);
    });

    it.each<[string, PolicyChange]>([
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
      aSessionOf(account, { cap: 60n });
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
      const session = aSessionOf(member, { cap: 80n });
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
      const session = aSessionOf(member, { cap: 50n });
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
      const session = aSessionOf(account);
      expect(chain.errorOf(fleet.join(account))).toBe('AmountsReserved');
      chain.run(...session.close(null));
      chain.run(fleet.join(account));
      account.fleet = fleet;
      aSessionOf(account);
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
});
