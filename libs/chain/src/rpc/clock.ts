/** The chain's clock: its sysvar, and a method of the embedded chain that moves it forward. */
import type { AccountInfo } from '@solana/web3.js';
import { ChainUnavailableError } from '../chain.errors';
import { boundedFetch } from './transport/fetch';
import type { NodeAddress } from './transport/node-address';

/** Offset of the Unix time in the clock sysvar. */
const CLOCK_TIME_OFFSET = 32;

/** The clock sysvar's Unix time; 0 if the node does not have it. */
export function unixSecondsOf(clock: AccountInfo<Buffer> | null | undefined): bigint {
  return clock?.data.readBigInt64LE(CLOCK_TIME_OFFSET) ?? 0n;
}

/** Moves the clock forward permanently and returns its new time; null if the chain has no such method. */
export async function advanceClock(address: NodeAddress, seconds: number, timeoutMs: number): Promise<Date | null> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandbox_advanceClock', params: [{ seconds }] });
  try {
    const answer: unknown = JSON.parse(await (await boundedFetch(address, timeoutMs)(address.url, { body })).text());
    const result: unknown = typeof answer === 'object' && answer !== null && 'result' in answer ? answer.result : undefined;
    return typeof result === 'object' && result !== null && 'now' in result ? new Date(Number(result.now) * 1000) : null;
  } catch (error) {
    throw new ChainUnavailableError('its clock did not answer', { cause: error });
  }
}
