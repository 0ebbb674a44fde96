/** Policies of accounts and fleets: reads and changes them. */
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { decodeAccount, isClosed } from '../accounts/account-data';
import type { FleetOf } from '../accounts/fleet-of';
import { ChainRefusedError } from '../chain.errors';
import { decodeFleet, isFleet } from '../fleets/fleet-data';
import type { Addresses } from '../program/addresses';
import { COMPUTE_UNITS } from '../program/compute-units';
import { instruction } from '../program/instruction';
import type { Rpc } from '../rpc/client';
import { describe } from '../tx/executed';
import type { Runner } from '../tx/runner';
import type { Signer } from '../tx/signing/signer';
import { decodePolicy, isPauseAlone, listEntries, setPolicyArgs } from './policy-data';
import { PolicyDrafts, policyAccounts } from './policy-drafts';
import type { ChainPolicy, PolicyChange, PolicyChangeOutcome, PolicyTarget } from './policy.types';

/**
 * List entries that fit into a transaction of 1,232 bytes with two signatures, eleven accounts, a compute unit price and all other fields;
 * `inline-entries.spec.ts` builds the largest one.
 */
export const MAX_INLINE_ENTRIES = 18;
/** Policies that one transaction changes at most, whatever its size: each takes `COMPUTE_UNITS.setPolicy` of the 1,400,000 of a transaction. */
const MAX_TARGETS = 64;
/**
 * Errors after which the policy or its operator is not the one that was read. A draft that vanished (`wrong_draft`, or Anchor's
 * 3012 AccountNotInitialized) was committed by the same change made elsewhere, which moved the version too.
 */
const MISMATCH = ['policy_version_mismatch', 'wrong_operator', 'wrong_draft', 'error_3012'];

export class ChainPolicies {
  private readonly drafts: PolicyDrafts;

  constructor(
    private readonly rpc: Rpc,
    private readonly runner: Runner,
    private readonly addresses: Addresses,
    private readonly feePayer: PublicKey,
    private readonly fleets: FleetOf,
    private readonly pauseFeePayer: PublicKey,
  ) {
    this.drafts = new PolicyDrafts(rpc, runner, addresses, { feePayer, fleets });
  }

  /** The policy of an account or fleet. @throws ChainRefusedError `no_policy` if there is none. */
  async get(account: string): Promise<ChainPolicy> {
    const [policy] = await this.findMany([account]);
    if (!policy) throw new ChainRefusedError('no_policy', `${account} has no policy`);
    return policy;
  }

  /** The policies of many accounts and fleets, from a node that has reached `minContextSlot`; null if there is none. */
  async findMany(accounts: string[], minContextSlot = 0): Promise<(ChainPolicy | null)[]> {
    const addresses = accounts.map((address) => this.addresses.policy(new PublicKey(address)).toBase58());
    const infos = await this.rpc.accounts(addresses, minContextSlot);
    return infos.map((info) => (info?.owner.equals(this.addresses.programId) ? decodePolicy(info.data) : null));
  }

  /**
   * Writes lists that do not fit in one transaction into a draft, for `change` to the version after `expectedVersion`. Returns the draft's
   * address; undefined for lists that fit.
   */
  async stage(address: string, change: PolicyChange, expectedVersion: bigint, operator: Signer): Promise<string | undefined> {
    const { counterparties, categories } = listEntries(change);
    if (counterparties.length + categories.length <= MAX_INLINE_ENTRIES) return undefined;
    const fleet = await this.fleets.of(address);
    return (await this.drafts.stage({ address, fleet }, change, expectedVersion + 1n, operator)).toBase58();
  }

  /**
   * Changes the named fields if the policy still has `expectedVersion`. Pausing alone needs no version. `staged` is what `stage`
   * returned, if it was called before.
   * @throws ChainOutcomeUnknownError if the change may still take effect; SignatureRequiredError.
   */
  async change(
    address: string,
    change: PolicyChange,
    expectedVersion: bigint,
    operator: Signer,
    staged?: string,
  ): Promise<PolicyChangeOutcome> {
    const { creator, fleet } = await this.ownerAt(address);
    const drafted = staged ?? (await this.stage(address, change, expectedVersion, operator));
    const draft = drafted === undefined ? undefined : new PublicKey(drafted);
    return this.execute([{ address, creator, fleet, version: expectedVersion }], change, operator, draft);
  }

  /**
   * Changes the named fields of many policies alike, in one transaction: all of them or none. Each must still have the version that was read,
   * but for pausing alone. `targets` are as many as `fitting` returned.
   * @throws ChainOutcomeUnknownError if the change may still take effect; ChainRefusedError; SignatureRequiredError.
   */
  changeMany(targets: PolicyTarget[], change: PolicyChange, operator: Signer): Promise<PolicyChangeOutcome> {
    return this.execute(targets, change, operator);
  }

  /** How many of the targets, from the first on, one transaction can change alike. At least 1, also if that one needs a draft. */
  fitting(targets: PolicyTarget[], change: PolicyChange, operator: Pick<Signer, 'address'>): number {
    const { counterparties, categories } = listEntries(change);
    // Longer lists are written into a draft of each account.
    if (counterparties.length + categories.length > MAX_INLINE_ENTRIES) return 1;
    let fits = 1;
    const setPolicies = targets.slice(0, MAX_TARGETS).map((target) => this.setPolicy(target, change, operator));
    while (fits < setPolicies.length && this.runner.fits(setPolicies.slice(0, fits + 1))) fits++;
    return fits;
  }

  private async execute(targets: PolicyTarget[], change: PolicyChange, operator: Signer, draft?: PublicKey): Promise<PolicyChangeOutcome> {
    const instructions = targets.map((target) => this.setPolicy(target, change, operator, draft));
    const isShown = async (slot: number) => {
      const policies = await this.findMany(
        targets.map(({ address }) => address),
        slot,
      );
      return policies.every((policy, index) => {
        const before = targets[index]?.version ?? 0n;
        return !!policy && (policy.version > before || (isPauseAlone(change) && policy.paused));
      });
    };
    // A pause is not to wait behind the traffic that it stops.
    const units = draft ? COMPUTE_UNITS.commitDraft : targets.length * COMPUTE_UNITS.setPolicy;
    const outcome = await this.runner.execute(instructions, units, [operator], isShown, isPauseAlone(change));
    if (outcome.kind === 'landed') return { kind: 'changed', slot: outcome.slot };
    if (outcome.kind === 'failed' && MISMATCH.includes(outcome.failure.reason)) return { kind: 'version_mismatch' };
    throw new ChainRefusedError('set_policy', describe(outcome));
  }

  private setPolicy(
    { address, creator, version, fleet }: PolicyTarget,
    change: PolicyChange,
    operator: Pick<Signer, 'address'>,
    draft?: PublicKey,
  ): TransactionInstruction {
    // A pause writes nothing that the traffic writes which it stops.
    const isPause = isPauseAlone(change);
    const accounts = {
      ...policyAccounts(this.addresses, address, operator, isPause ? this.pauseFeePayer : this.feePayer),
      rent_recipient: isPause ? undefined : new PublicKey(creator),
      fleet: fleet === undefined ? undefined : new PublicKey(fleet),
      draft,
      draft_rent_recipient: draft && this.feePayer,
      // Pausing ends a charge that may be open.
      token_account: change.paused ? this.addresses.tokenAccount(new PublicKey(address)) : undefined,
    };
    const args = setPolicyArgs(change, isPause ? null : version, draft !== undefined);
    return instruction(this.addresses.programId, 'set_policy', accounts, { args });
  }

  /** Closes drafts of changes that were never committed, among those that our fee payer paid for. Returns how many. */
  closeStaleDrafts(): Promise<number> {
    return this.drafts.closeStale();
  }

  private async ownerAt(address: string): Promise<{ creator: string; fleet?: string }> {
    const [info] = await this.rpc.accounts([address]);
    const data = info?.owner.equals(this.addresses.programId) && !isClosed(info.data) ? info.data : undefined;
    const owner = data && (isFleet(data) ? decodeFleet(address, data) : decodeAccount(address, data));
    if (!owner) throw new ChainRefusedError('no_account', `there is no account at ${address}`);
    return owner;
  }
}
