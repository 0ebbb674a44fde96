import { setTimeout } from 'node:timers/promises';

/**
 * Calls `probe` until it returns something other than undefined, at least once. Returns that, or undefined when `withinMs` milliseconds
 * have passed. Pauses `everyMs` milliseconds after each call. @throws the error of `probe`.
 */
export async function pollUntil<T>(
  probe: () => Promise<T | undefined>,
  { everyMs, withinMs }: { everyMs: number; withinMs: number },
): Promise<T | undefined> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await probe();
    if (found !== undefined || performance.now() >= deadline) return found;
    await setTimeout(everyMs);
  }
}
