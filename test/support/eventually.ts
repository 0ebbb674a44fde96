const POLL_MS = 20;

/** Repeats a check until it passes; throws its last error after the time-out. Replaces sleeping. */
export async function eventually<T>(check: () => T | Promise<T>, { timeoutMs = 30_000 } = {}): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
