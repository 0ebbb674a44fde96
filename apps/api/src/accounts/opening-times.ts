import { Injectable } from '@nestjs/common';
import { Chain, ChainUnavailableError } from '#chain';
import type { Account } from './account.entity';

/** The seconds from signing to landing: an opening ends so much before the policy does, because its time begins where it lands. */
const LANDING_SECONDS = 30;
/** An opening that could not live so long is not shortened: the chain declines it by `valid_until`. */
export const MIN_OPENING_SECONDS = 60;

/** How long openings live: sessions, purses and charges end before the policy that allows them. */
@Injectable()
export class OpeningTimes {
  constructor(private readonly chain: Chain) {}

  /**
   * The time in seconds that an opening of an account gets which asked for none: `seconds`, or what the policy leaves of them, at least
   * 60. While the chain is unavailable, `seconds`.
   */
  async shortened({ policy }: Account, seconds: number): Promise<number> {
    if (policy.valid_until === undefined) return seconds;
    const now = await this.now();
    const left = now === undefined ? 0 : Math.floor((Date.parse(policy.valid_until) - now.getTime()) / 1000);
    if (left < MIN_OPENING_SECONDS) return seconds;
    return Math.min(seconds, Math.max(MIN_OPENING_SECONDS, left - LANDING_SECONDS));
  }

  private async now(): Promise<Date | undefined> {
    try {
      return await this.chain.sessions.now();
    } catch (error) {
      if (error instanceof ChainUnavailableError) return undefined;
      throw error;
    }
  }
}
