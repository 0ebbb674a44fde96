/** The chain's clock, by which sessions, charges and purses expire. It may differ from this machine's. */
import { SYSVAR_CLOCK_PUBKEY } from '@solana/web3.js';
import type { Rpc } from './rpc/client';
import { unixSecondsOf } from './rpc/clock';

export class ChainClock {
  constructor(private readonly rpc: Rpc) {}

  /** The time of the newest block. @throws ChainUnavailableError */
  async now(): Promise<Date> {
    const [clock] = await this.rpc.accounts([SYSVAR_CLOCK_PUBKEY.toBase58()]);
    return new Date(Number(unixSecondsOf(clock)) * 1000);
  }
}
