/** What a global set-up started, for the global tear-down to stop. */
export const running: (() => Promise<void>)[] = [];

export async function stopAll(): Promise<void> {
  for (const stop of running.splice(0).reverse()) await stop();
}
