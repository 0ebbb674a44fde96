import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { TooManyAtOnce } from '../http/rate-limit';
import { Config } from '../runtime/config';

/** How long a call waits for others to end: many short ones go one after another. */
const ROOM_WAIT_MS = 3_000;
const ROOM_POLL_MS = 20;
/** The most calls without room that ask the database at once whether they repeat an earlier one. */
const MAX_LOOK_UPS = 4;

/** Counts the payments of this process that call a provider, so that silent providers hold neither memory nor connections without bound. */
@Injectable()
export class ProviderCalls {
  private readonly byKey = new Map<string, number>();
  private all = 0;
  private lookUps = 0;

  constructor(private readonly config: Config) {}

  /** Whether a key may begin another call now. */
  hasRoom(keyId: string): boolean {
    return this.all < this.config.PROVIDER_CALLS && (this.byKey.get(keyId) ?? 0) < this.config.PROVIDER_CALLS_PER_KEY;
  }

  /** Counts a call of a key until it ends. Waits a moment for room. @throws TooManyAtOnce, and then nothing has begun. */
  async during<T>(keyId: string, call: () => Promise<T>): Promise<T> {
    const end = await this.begin(keyId);
    try {
      return await call();
    } finally {
      end();
    }
  }

  /** Like `during`, for a call that goes on after it is answered. Returns what ends it, which may be called again. */
  async begin(keyId: string): Promise<() => void> {
    const until = performance.now() + ROOM_WAIT_MS;
    while (!this.hasRoom(keyId)) {
      if (performance.now() > until)
        throw new TooManyAtOnce('Too many calls of providers are under way: repeat the request when one has ended.');
      await setTimeout(ROOM_POLL_MS);
    }
    this.count(keyId, 1);
    let isOver = false;
    return () => {
      if (!isOver) this.count(keyId, -1);
      isOver = true;
    };
  }

  /** Looks something up for a call without room, a few at a time: refusals must not take the database's connections from others. */
  async lookUp<T>(look: () => Promise<T>): Promise<T | undefined> {
    if (this.lookUps >= MAX_LOOK_UPS) return undefined;
    this.lookUps++;
    try {
      return await look();
    } finally {
      this.lookUps--;
    }
  }

  private count(keyId: string, change: 1 | -1): void {
    this.all += change;
    const ofKey = (this.byKey.get(keyId) ?? 0) + change;
    if (ofKey > 0) this.byKey.set(keyId, ofKey);
    else this.byKey.delete(keyId);
  }
}
