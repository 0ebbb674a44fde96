const POLL_MS = 20;

/** Tries until a check holds or the time is up, and then says why it did not. Instead of a sleep, which is too short or too long. */
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
