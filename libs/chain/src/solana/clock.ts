/** The clock of the embedded chain, by methods that no other chain has. */
import { ChainUnavailableError } from '../chain.errors';

/** Whether these nodes are the embedded chain. */
export async function canAdvanceClock(urls: string[], timeoutMs: number): Promise<boolean> {
  return (await call(urls, 'sandbox_info', [], timeoutMs)) !== undefined;
}

/** Moves the clock forward for good. */
export async function advanceClock(urls: string[], seconds: number, timeoutMs: number): Promise<Date> {
  const result = await call(urls, 'sandbox_advanceClock', [{ seconds }], timeoutMs);
  if (typeof result !== 'object' || result === null || !('now' in result)) throw new ChainUnavailableError('its clock did not move');
  return new Date(Number(result.now) * 1000);
}

async function call([url = '']: string[], method: string, params: unknown[], timeoutMs: number): Promise<unknown> {
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, signal: AbortSignal.timeout(timeoutMs) });
    const answer: unknown = await response.json();
    return typeof answer === 'object' && answer !== null && 'result' in answer ? answer.result : undefined;
  } catch (error) {
    throw new ChainUnavailableError(method, { cause: error });
  }
}
