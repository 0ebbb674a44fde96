import { Injectable } from '@nestjs/common';
import { setTimeout } from 'node:timers/promises';
import { Chain, ChainOutcomeUnknownError, type ChainPolicy, type PolicyChange, type Signer } from '#chain';
import { limitToMicroUsdc } from '../money/usdc';
import { Mutex } from '../runtime/mutex';
import type { UpdatePolicyDto } from './policy.dto';
import { PolicyBusy, PolicyVersionOutdated } from './policy.errors';

/** How often a change is tried when somebody else's landed first, and the longest pause before the next try. */
const MAX_TRIES = 10;
const MAX_PAUSE_MS = 400;
/** How long a change that landed is looked for: as long as the request may wait. */
const LOOK_EVERY_MS = 100;
const LOOK_FOR_MS = 30_000;

export interface PolicyUpdate {
  change: PolicyChange;
  /** From `If-Match`: refuse unless the policy has this version. */
  ifVersion: bigint | null;
  /** Asked before each try: its key may be changed at any time. */
  operator: () => Promise<Signer>;
  /** What must be kept before the chain changes; not called for a change that `ifVersion` refuses. */
  prepare?: () => Promise<void>;
}

/** Spending policies, by the address of the account that they bind. What the chain holds is the truth. */
@Injectable()
export class PolicyService {
  /** Changes of one policy follow each other in this process, so that they do not outrun one another on chain. */
  private readonly mutex = new Mutex();

  constructor(private readonly chain: Chain) {}

  read(address: string): Promise<ChainPolicy> {
    return this.chain.policies.get(address);
  }

  /** The policies of many accounts, null where there is none. */
  readMany(addresses: string[]): Promise<(ChainPolicy | null)[]> {
    return this.chain.policies.findMany(addresses);
  }

  /**
   * Changes the named fields on chain and keeps the others, whoever else changes them at the same time.
   * Returns the policy after it, and the slot of the change where there was one.
   */
  update(address: string, update: PolicyUpdate): Promise<{ policy: ChainPolicy; slot: number | null }> {
    // To stop is never made to wait for its turn.
    if (isPauseAlone(update)) return this.apply(address, update);
    return this.mutex.runExclusive(address, () => this.apply(address, update));
  }

  private async apply(
    address: string,
    { change, ifVersion, operator, prepare }: PolicyUpdate,
  ): Promise<{ policy: ChainPolicy; slot: number | null }> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { version } = await this.read(address);
      requireVersion(version, ifVersion);
      if (Object.keys(change).length === 0) return { policy: await this.read(address), slot: null };
      await prepare?.();
      const outcome = await this.chain.policies.change(address, change, version, await operator());
      if (outcome.kind === 'changed') return { policy: await this.readNewer(address, version), slot: outcome.slot };
      await setTimeout(Math.random() * MAX_PAUSE_MS);
    }
    throw new PolicyBusy();
  }

  /** A node may tell of a landing before it shows what has changed. */
  private async readNewer(address: string, version: bigint): Promise<ChainPolicy> {
    for (const deadline = performance.now() + LOOK_FOR_MS; performance.now() < deadline; await setTimeout(LOOK_EVERY_MS)) {
      const policy = await this.read(address);
      if (policy.version > version) return policy;
    }
    throw new ChainOutcomeUnknownError('the changed policy is not shown yet');
  }
}

/** @throws PolicyVersionOutdated where `If-Match` names another version. */
export function requireVersion(version: bigint, ifVersion: bigint | null): void {
  if (ifVersion !== null && version !== ifVersion) throw new PolicyVersionOutdated(version);
}

function isPauseAlone({ change, ifVersion }: PolicyUpdate): boolean {
  return ifVersion === null && change.paused === true && Object.keys(change).length === 1;
}

/** The named fields in the chain's words; counterparties are resolved to addresses already. */
export function toPolicyChange(wanted: UpdatePolicyDto, counterparties: string[] | null | undefined): PolicyChange {
  const change: PolicyChange = {};
  const limit = (value: number | null) => (value === null ? null : limitToMicroUsdc(value));
  if (wanted.max_single_transfer !== undefined) change.maxSingleTransfer = limit(wanted.max_single_transfer);
  if (wanted.max_daily_spend !== undefined) change.maxDailySpend = limit(wanted.max_daily_spend);
  if (wanted.max_session_cap !== undefined) change.maxSessionCap = limit(wanted.max_session_cap);
  if (wanted.escalation_threshold !== undefined) change.escalationThreshold = limit(wanted.escalation_threshold);
  if (counterparties !== undefined) change.allowedCounterparties = counterparties;
  if (wanted.categories !== undefined) change.categories = wanted.categories;
  if (wanted.require_memo !== undefined) change.requireMemo = wanted.require_memo ?? false;
  if (wanted.paused !== undefined) change.paused = wanted.paused ?? false;
  return change;
}
