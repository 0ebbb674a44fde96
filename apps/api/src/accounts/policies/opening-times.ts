import { Injectable } from '@nestjs/common';
import { Chain, ChainUnavailableError } from '#chain';
import { FleetsStore } from '../../fleets';
import type { Account } from '../account.entity';

/** The seconds from signing to landing: an opening ends so much before the policy does, because its time begins where it lands. */
const LANDING_SECONDS = 30;
/** An opening that could not live so long is not shortened: the chain declines it by `valid_until`. */
const MIN_OPENING_SECONDS = 60;

/** How long openings live: sessions, purses and charges end before the policy that allows them. */
@Injectable()
export class OpeningTimes {
  constructor(
    private readonly chain: Chain,
    private readonly fleets: FleetsStore,
  ) {}

  /** When the spending of an account ends, by its own policy and its fleet's as they were last read; undefined for never. */
  async endOf({ policy, fleetId }: Pick<Account, 'policy' | 'fleetId'>): Promise<Date | undefined> {
    const fleet = fleetId === null ? undefined : await this.fleets.find(fleetId);
    const ends = [policy.valid_until, fleet?.policy.valid_until].filter((end) => end !== undefined).map((end) => Date.parse(end));
    return ends.length === 0 ? undefined : new Date(Math.min(...ends));
  }

  /** Whether an account may spend nothing now: it is paused, or its fleet is, or one of their policies has ended. */
  async isStopped(account: Account): Promise<boolean> {
    if (account.paused || (account.fleetId !== null && (await this.fleets.find(account.fleetId)).paused)) return true;
    const end = await this.endOf(account);
    return end !== undefined && end <= (await this.chain.clock.now());
  }

  /**
   * The time in seconds that an opening of an account gets which asked for none: `seconds`, or what the policy leaves of them, at least
   * 60. While the chain is unavailable, `seconds`.
   */
  async shortened(account: Account, seconds: number): Promise<number> {
    const end = await this.endOf(account);
    if (end === undefined) return seconds;
    const now = await this.now();
    const left = now === undefined ? 0 : Math.floor((end.getTime() - now.getTime()) / 1000);
    if (left < MIN_OPENING_SECONDS) return seconds;
    return Math.min(seconds, Math.max(MIN_OPENING_SECONDS, left - LANDING_SECONDS));
  }

  private async now(): Promise<Date | undefined> {
    try {
      return await this.chain.clock.now();
    } catch (error) {
      if (error instanceof ChainUnavailableError) return undefined;
      throw error;
    }
  }
}
