/** The bodies of answers, as far as they are read. */
import type { Dispatcher } from 'undici';
import { EgressError, failureOf } from './egress.errors';

/** The chunks of a body up to its limit. Calls `end` once, after the last one. @throws EgressError if it is longer, ends early, or takes too long. */
export async function* bounded(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
  end: (isWhole: boolean) => void,
): AsyncGenerator<Buffer> {
  let rest = maxBytes;
  let isWhole = false;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (rest > 0) yield chunk.subarray(0, rest);
      rest -= chunk.length;
      if (rest < 0) throw new EgressError('The answer is longer than what is read of it');
    }
    isWhole = true;
  } catch (error) {
    throw error instanceof EgressError ? error : failureOf(error);
  } finally {
    end(isWhole);
  }
}

/** A body that ends early, is longer than its limit or takes too long is truncated, and not an error. */
export async function readWhole(body: AsyncIterable<Buffer>): Promise<{ body: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let truncated = false;
  try {
    for await (const chunk of body) chunks.push(chunk);
  } catch {
    truncated = true;
  }
  return { body: Buffer.concat(chunks), truncated };
}
