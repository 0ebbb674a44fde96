/** The clock of the embedded chain, by a method that no other chain has. */
import { ChainUnavailableError } from '../chain.errors';
import { boundedFetch } from './fetch';

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
