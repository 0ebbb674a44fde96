/** Members of fleets: joining and leaving, and the keys, accounts and orders that a fleet refuses. */
import { Addresses } from '../../../libs/chain/src/program/addresses';
import { PROGRAM_ID } from '../../../libs/chain/src/program/idl';
import { aPlan, anAccount } from './support/account';
import { aChain, type TestChain } from './support/chain';
import { aFleet, FLEET_SPACE, violation } from './support/fleet';
import { aSessionOf } from './support/session';

describe('members of fleets', () => {
  let chain: TestChain;

  beforeEach(() => {
    chain = aChain();
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
      const session = aSessionOf(member);
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
