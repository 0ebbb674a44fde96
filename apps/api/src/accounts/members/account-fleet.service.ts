import { Injectable } from '@nestjs/common';
import { Chain, type ChainAccount, ChainRefusedError, lacksSignature, type Signer } from '#chain';
import { AuditLog } from '../../audit';
import { Failpoints } from '../../runtime/failpoints';
import type { Caller } from '../../http/caller';
import { type Fleet, FleetReader } from '../../fleets';
import { SignatureRequired, type Signed } from '../../signatures';
import type { Account } from '../account.entity';
import { AccountsService } from '../accounts.service';
import { AmountsReserved, NotMember } from '../accounts.errors';
import { Memberships } from './memberships';
import { PolicyService, requireVersion } from '../../policy';

/** Accounts in fleets: joining, leaving, and the end of a member's own policy. */
@Injectable()
export class AccountFleetService {
  constructor(
    private readonly chain: Chain,
    private readonly fleets: FleetReader,
    private readonly accounts: AccountsService,
    private readonly memberships: Memberships,
    private readonly policies: PolicyService,
    private readonly audit: AuditLog,
    private readonly failpoints: Failpoints,
  ) {}

  /**
   * Puts an account into a fleet, or out of any: `fleetId` null. An account that is there already stays. `signed`: what the operator has
   * signed, if it holds the chain key; joining alone needs no operator if the service's key is the fleet's guardian.
   * @throws AmountsReserved; InvalidRequest; SignatureRequired
   */
  async put(caller: Caller, accountId: string, fleetId: string | null, signed: Signed | null): Promise<Account> {
    const fleet = fleetId === null ? null : await this.fleets.joinable(caller.operatorId, fleetId);
    const account = await this.accounts.find(caller.operatorId, accountId);
    const [before, after] = [{ fleet_id: account.fleetId }, { fleet_id: fleetId }];
    const prepare = () => this.audit.record(caller, { action: 'account.fleet_changed', object: account.id, before, after });
    return this.move(account, fleet, { signed, prepare });
  }

  /** As `put`. `prepare` is called before the change is sent. */
  async move(
    account: Account,
    fleet: Fleet | null,
    { signed, prepare }: { signed: Signed | null; prepare?: () => Promise<void> },
  ): Promise<Account> {
    const onChain = await this.accounts.onChain(account, Number(account.observedSlot));
    const wanted = fleet?.chainAddress ?? null;
    if ((onChain.fleet ?? null) === wanted) return this.memberships.sync(account, onChain);
    if (onChain.reserved > 0n) throw new AmountsReserved();
    const signer = await this.signerOf(account, onChain, fleet, signed);
    if (signed !== null || !lacksSignature(signer)) await prepare?.();
    try {
      const { slot } = await this.chain.fleets.move(onChain, wanted, signer);
      this.failpoints.pass('fleet.moved');
      await this.accounts.noteChange(account.id, slot);
      return await this.memberships.resync(account, slot);
    } catch (error) {
      if (error instanceof ChainRefusedError && error.reason === 'amounts_reserved') throw new AmountsReserved();
      throw SignatureRequired.with(error, {});
    }
  }

  /** Ends the policy of a member itself. @throws NotMember, PolicyVersionOutdated, SignatureRequired */
  async endPolicy(caller: Caller, accountId: string, ifVersion: bigint | null, signed: Signed | null): Promise<Account> {
    const account = await this.accounts.find(caller.operatorId, accountId);
    const onChain = await this.accounts.onChain(account, Number(account.observedSlot));
    if (onChain.fleet === undefined) throw new NotMember();
    const { version } = await this.policies.read(account.chainAddress, { isOptional: true });
    requireVersion(version, ifVersion);
    if (!onChain.hasOwnPolicy) return this.memberships.sync(account, onChain);
    const operator = await this.accounts.operatorOf(account, signed?.policyVersion === version ? signed : null);
    await this.audit.record(caller, { action: 'policy.ended', object: account.id, before: { ...account.policy } });
    try {
      const { slot } = await this.chain.fleets.endPolicy(onChain, version, operator);
      await this.accounts.noteChange(account.id, slot);
      return await this.memberships.resync(account, slot);
    } catch (error) {
      throw SignatureRequired.with(error, { policyVersion: version });
    }
  }

  /** The signer of a change: the guardian if the service holds its key and an account outside of a fleet joins; else the operator. */
  private async signerOf(account: Account, onChain: ChainAccount, fleet: Fleet | null, signed: Signed | null): Promise<Signer> {
    if (fleet && onChain.fleet === undefined) {
      const target = await this.chain.fleets.find(fleet.chainAddress, Number(fleet.observedSlot));
      const guardian = target && this.chain.fleets.guardianOf(target);
      if (guardian) return guardian;
    }
    return this.accounts.operatorOf(account, signed);
  }
}
