/** The servers that a global set-up started, for the global tear-down to stop. */
export const running: (() => Promise<void>)[] = [];

/** A set-up that stops what it started where it fails: Jest tears nothing down then. */
export function orStopped(setUp: () => Promise<void>): () => Promise<void> {
  return async () => {
    try {
      await setUp();
    } catch (error) {
      await stopAll();
      throw error;
    }
  };
}

export async function stopAll(): Promise<void> {
  for (const stop of running.splice(0).reverse()) await stop();
}
