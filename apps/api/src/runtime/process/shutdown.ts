import { isAlive, npmAncestors } from '#processes';

/** How long everything may take to stop. Longer than a request may wait for its settlement, so that none is cut off. */
const STOP_WITHIN_MS = 60_000;
/** npm forwards a signal that the terminal has sent to this process too. Only a signal that comes later counts as a second one. */
const SECOND_SIGNAL_AFTER_MS = 1_000;
const PARENT_POLL_MS = 500;

/** Stops what was started, in the opposite order: on Ctrl-C, on SIGTERM, when npm has died, and when the start fails. */
export class Shutdown {
  private readonly stops: { name: string; stop: () => Promise<void> }[] = [];
  private stopping: Promise<void> | undefined;

  add(name: string, stop: () => Promise<void>): void {
    this.stops.push({ name, stop });
  }

  /** Handles SIGINT and SIGTERM. A second signal ends the process at once. */
  listen(): void {
    let first = 0;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (first === 0) {
          first = Date.now();
          void this.exit(0);
        } else if (Date.now() - first > SECOND_SIGNAL_AFTER_MS) process.exit(1);
      });
    }
    if (process.env.npm_lifecycle_event !== undefined) this.watchParent();
  }

  /** Stops everything and ends the process. */
  async exit(code: number): Promise<void> {
    await this.stop();
    process.exit(code);
  }

  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  private async stopAll(): Promise<void> {
    let stopping = '';
    setTimeout(() => {
      console.error(`${stopping} did not stop within ${STOP_WITHIN_MS / 1_000} s.`);
      process.exit(1);
    }, STOP_WITHIN_MS).unref();
    for (let next = this.stops.pop(); next; next = this.stops.pop()) {
      const { name, stop } = next;
      stopping = name;
      await stop().catch((error: unknown) => console.error(`${name} did not stop cleanly: ${String(error)}`));
    }
  }

  /** Exits when npm has died: a killed npm forwards no signal, and its shell lives on between it and this process. */
  private watchParent(): void {
    const ancestors = npmAncestors();
    setInterval(() => {
      if (process.ppid !== ancestors[0] || !ancestors.every(isAlive)) void this.exit(0);
    }, PARENT_POLL_MS).unref();
  }
}
