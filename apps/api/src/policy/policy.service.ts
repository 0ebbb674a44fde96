import { Injectable } from '@nestjs/common';
import { Chain, ChainOutcomeUnknownError, type ChainPolicy, type PolicyChange, type Signer } from '#chain';
import { limitToMicroUsdc } from '../money/usdc';
import { Mutex } from '../runtime/mutex';
import { pollUntil } from '../runtime/poll';
import { OPTIONAL_LIMITS, SHOWN_LIMITS, type UpdatePolicyDto } from './policy.dto';
import { PolicyBusy, PolicyVersionOutdated } from './policy.errors';
import { applyVersioned } from './versioned-change';

/** How often, and for how long, the policy is polled until a node shows a change that landed. */
const POLL_MS = 100;
const POLL_FOR_MS = 30_000;

/** A change of a policy. */
export interface PolicyUpdate {
  change: PolicyChange;
  /** From `If-Match`: the version that the policy must have; null for any. */
  ifVersion: bigint | null;
  /**
   * The operator's signer, for a change of this version of the policy; null for a change of any version. Called before each try, because the
   * key may be rotated at any time.
   */
  operator: (version: bigint | null) => Promise<Signer>;
  /**
   * Stores what must be stored before the chain changes `current`. Called before each try; not if the version does not match, or the
   * operator has not signed yet.
   */
  prepare?: (current: ChainPolicy) => Promise<void>;
  /** The account is in a fleet, and may have no policy of its own yet. */
  isOptional?: boolean;
}

/** The policy of a member without one of its own: it binds nothing. */
export const NO_POLICY: ChainPolicy = {
  version: 0n,
  maxSingleTransfer: null,
  maxDailySpend: null,
  maxMonthlySpend: null,
  maxLifetimeSpend: null,
  maxSessionCap: null,
  escalationThreshold: null,
  approvalAboveDailySum: null,
  validUntil: null,
  allowedCounterparties: null,
  categories: null,
  requireMemo: false,
  paused: false,
  updatedAt: new Date(0),
};

/** Spending policies by the address of their account. They are stored on chain only. */
@Injectable()
export class PolicyService {
  /** Serializes the changes of one policy in this process, so that they do not conflict on chain. */
  private readonly mutex = new Mutex();

  constructor(private readonly chain: Chain) {}

  /** The policy at an account's or a fleet's address. `isOptional`: a member may have none, which is the empty one with version 0. */
  async read(address: string, { isOptional = false } = {}): Promise<ChainPolicy> {
    if (!isOptional) return this.chain.policies.get(address);
    const [policy] = await this.chain.policies.findMany([address]);
    return policy ?? NO_POLICY;
  }

  /** The policies of many accounts, null if there is none. */
  readMany(addresses: string[]): Promise<(ChainPolicy | null)[]> {
    return this.chain.policies.findMany(addresses);
  }

  /**
   * Changes the named fields on chain. Concurrent changes of other fields are preserved.
   * @returns the policy after the change, and the slot of the change; null if nothing was to be changed.
   * @throws PolicyVersionOutdated, PolicyBusy, ChainUnavailableError, ChainOutcomeUnknownError; SignatureRequired if the operator's key
   * is held outside of the service
   */
  update(address: string, update: PolicyUpdate): Promise<{ policy: ChainPolicy; slot: number | null }> {
    // A pause never waits for other changes.
    if (isPauseAlone(update)) return this.apply(address, update);
    return this.mutex.runExclusive(address, () => this.apply(address, update));
  }

  private async apply(address: string, update: PolicyUpdate): Promise<{ policy: ChainPolicy; slot: number | null }> {
    const { change, ifVersion, operator, prepare } = update;
    const { before, slot } = await applyVersioned({
      read: async () => {
        const current = await this.read(address, update);
        requireVersion(current.version, ifVersion);
        return current;
      },
      versionOf: ({ version }) => version,
      isEmpty: Object.keys(change).length === 0,
      signer: (version) => operator(isPauseAlone(update) ? null : version),
      // Its lists, if they do not fit in it.
      stage: (version, signer) => this.chain.policies.stage(address, change, version, signer),
      prepare,
      send: (version, signer, staged) => this.chain.policies.change(address, change, version, signer, staged),
      busy: () => new PolicyBusy(),
    });
    return { policy: slot === null ? before : await this.readNewer(address, before.version), slot };
  }

  /** Polls for the changed policy: a node may confirm a transaction before it shows the change. */
  private async readNewer(address: string, version: bigint): Promise<ChainPolicy> {
    const changed = async (): Promise<ChainPolicy | undefined> => {
      const policy = await this.read(address);
      return policy.version > version ? policy : undefined;
    };
    const policy = await pollUntil(changed, { everyMs: POLL_MS, withinMs: POLL_FOR_MS });
    if (!policy) throw new ChainOutcomeUnknownError('the changed policy is not shown yet');
    return policy;
  }
}

/** @throws PolicyVersionOutdated if `If-Match` names another version. */
export function requireVersion(version: bigint, ifVersion: bigint | null): void {
  if (ifVersion !== null && version !== ifVersion) throw new PolicyVersionOutdated(version);
}

function isPauseAlone({ change, ifVersion }: PolicyUpdate): boolean {
  return ifVersion === null && change.paused === true && Object.keys(change).length === 1;
}

/** Converts the named fields to those of the chain. `counterparties` are the addresses that they were resolved to. */
export function toPolicyChange(wanted: UpdatePolicyDto, counterparties: string[] | null | undefined): PolicyChange {
  const change: PolicyChange = {};
  for (const [name, field] of LIMITS) {
    const limit = wanted[name];
    if (limit !== undefined) change[field] = limit === null ? null : limitToMicroUsdc(limit);
  }
  const { valid_until: validUntil } = wanted;
  if (validUntil !== undefined) change.validUntil = validUntil === null ? null : new Date(validUntil);
  if (counterparties !== undefined) change.allowedCounterparties = counterparties;
  if (wanted.categories !== undefined) change.categories = wanted.categories;
  if (wanted.require_memo !== undefined) change.requireMemo = wanted.require_memo ?? false;
  if (wanted.paused !== undefined) change.paused = wanted.paused ?? false;
  return change;
}

type LimitName = keyof typeof SHOWN_LIMITS | keyof typeof OPTIONAL_LIMITS;
type LimitField = (typeof SHOWN_LIMITS)[keyof typeof SHOWN_LIMITS] | (typeof OPTIONAL_LIMITS)[keyof typeof OPTIONAL_LIMITS];
const LIMITS = Object.entries({ ...SHOWN_LIMITS, ...OPTIONAL_LIMITS }) as [LimitName, LimitField][];
