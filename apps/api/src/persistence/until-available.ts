import { setTimeout as pause } from 'node:timers/promises';

/** How often failed work is tried, and the pause before the next try: together as long as a database takes to start. */
const TRIES = 300;
const RETRY_MS = 200;

/** Repeats work that may be done twice until it succeeds. @throws the error of the last try. */
export async function untilAvailable<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries >= TRIES) throw error;
      await pause(RETRY_MS);
    }
  }
}
