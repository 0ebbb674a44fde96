/** Fleets beside their members: what left of all members is what the fleet counts, and what they reserve is what it reserves. */
import { Injectable } from '@nestjs/common';
import { setTimeout } from 'node:timers/promises';
import { Chain, type ChainTally, type FleetWindows } from '#chain';
import { Memberships } from '../accounts';
import type { Fleet } from '../fleets';

const BUCKET_MS = 15 * 60_000;
/** How often fleets that differ are compared again: an account that joins, and nodes that are not at one slot, are a difference for a while. */
const MAX_COMPARISONS = 4;
const PAUSE_MS = 1_500;

@Injectable()
export class FleetComparison {
  constructor(
    private readonly chain: Chain,
    private readonly memberships: Memberships,
  ) {}

  /** The fleets that still differ from their members after some time. @throws ChainUnavailableError */
  async differing(fleets: Fleet[]): Promise<Fleet[]> {
    let suspects = fleets;
    for (let count = 0; count < MAX_COMPARISONS && suspects.length > 0; count++) {
      if (count > 0) await setTimeout(PAUSE_MS);
      const differing: Fleet[] = [];
      for (const fleet of suspects) if (!(await this.agrees(fleet))) differing.push(fleet);
      suspects = differing;
    }
    return suspects;
  }

  private async agrees({ id, chainAddress, observedSlot, membersChangedAt }: Fleet): Promise<boolean> {
    const members = await this.memberships.addressesIn(id);
    const windows = await this.chain.fleets.windows(chainAddress, members, Number(observedSlot));
    return windows !== null && doAgree(windows, membersChangedAt);
  }
}

/**
 * Whether a fleet counts and reserves what its members do. Their windows are compared in the buckets that began after `changedAt`, when an
 * account joined or left last. A bucket apart at most: after a clock that stepped back a member that was idle has an older bucket than its fleet.
 */
export function doAgree({ before, after, isUnchanged, count, members }: FleetWindows, changedAt: Date): boolean {
  if (members.length !== count) return false;
  if (isUnchanged && sumOf(members, ({ reserved }) => reserved) !== before.reserved) return false;
  const first = BigInt(Math.floor(changedAt.getTime() / BUCKET_MS)) + 1n;
  // A member that was idle has its old buckets still.
  const [oldest, newest] = [before.newest - 96n, after.newest - 96n].map((bucket) => (bucket > first ? bucket : first)) as [bigint, bigint];
  const leftOf = (bucket: bigint) => sumOf(members, (member) => member.since(bucket));
  return before.since(oldest + 1n) <= leftOf(oldest) && leftOf(newest + 1n) <= after.since(newest);
}

const sumOf = (members: ChainTally[], amount: (member: ChainTally) => bigint): bigint =>
  members.reduce((sum, member) => sum + amount(member), 0n);
