/** The chain's clock: as its account shows it, and moved forward on the embedded chain, by a method that no other chain has. */
import type { AccountInfo } from '@solana/web3.js';
import { ChainUnavailableError } from '../chain.errors';
import { boundedFetch } from './fetch';

/** Where the clock's account holds the Unix time. */
const CLOCK_TIME_OFFSET = 32;

/** The time that the clock's account shows; 0 where a node does not have it. */
export function unixSecondsOf(clock: AccountInfo<Buffer> | null | undefined): bigint {
  return clock?.data.readBigInt64LE(CLOCK_TIME_OFFSET) ?? 0n;
}

/** Moves the clock forward for good, and says what it shows then; null where the chain has no such clock. */
export async function advanceClock(url: string, seconds: number, timeoutMs: number): Promise<Date | null> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandbox_advanceClock', params: [{ seconds }] });
  try {
    const answer: unknown = JSON.parse(await (await boundedFetch(timeoutMs)(url, { body })).text());
    const result: unknown = typeof answer === 'object' && answer !== null && 'result' in answer ? answer.result : undefined;
    return typeof result === 'object' && result !== null && 'now' in result ? new Date(Number(result.now) * 1000) : null;
  } catch (error) {
    throw new ChainUnavailableError('its clock did not answer', { cause: error });
  }
}
