import { Injectable } from '@nestjs/common';
import { Chain } from '#chain';
import { Clock } from '../clock';
import { Config } from '../config';

/** A balance is asked for again after this time. */
const KNOWN_MS = 5_000;

/** The balance of the key that pays for the service's transactions, as it was a moment ago. */
@Injectable()
export class FeePayerBalance {
  private known: { lamports: Promise<bigint>; until: number } = { lamports: Promise.resolve(0n), until: 0 };

  constructor(
    private readonly chain: Chain,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** @throws ChainUnavailableError */
  lamports(): Promise<bigint> {
    const now = this.clock.now().getTime();
    if (this.known.until <= now) this.known = { lamports: this.chain.feePayerLamports(), until: now + KNOWN_MS };
    return this.known.lamports;
  }

  /** Whether the rest is reserved for pauses, approvals, rotations and endings. False if the balance is not known. */
  async isBelowReserve(): Promise<boolean> {
    try {
      return (await this.lamports()) < this.config.FEE_PAYER_RESERVE;
    } catch {
      // Without the chain nothing is sent, and each request says so itself.
      return false;
    }
  }
}
