import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { TooManyAtOnce } from '../../http/limits/rate-limit';
import { Config } from '../../runtime/config';

/** How long a call waits for others to end: many short ones go one after another. */
const ROOM_WAIT_MS = 3_000;
const ROOM_POLL_MS = 20;
/** The most calls without room that ask the database at once whether they repeat an earlier one. */
const MAX_LOOK_UPS = 4;

/** A call of a provider that is counted. */
export interface CallUnderWay {
  /** Its answer takes no memory any more: it is passed on as it comes. */
  release: () => void;
  end: () => void;
}

/** Counts the payments of this process that call a provider, so that silent and talkative providers hold neither memory nor connections without bound. */
@Injectable()
export class ProviderCalls {
  private readonly byKey = new Map<string, number>();
  private all = 0;
  private bytes = 0;
  private lookUps = 0;

  constructor(private readonly config: Config) {}

  /** Whether a key may begin another call now, whose answer has at most `bytes`. */
  hasRoom(keyId: string, bytes: number): boolean {
    const { PROVIDER_CALLS, PROVIDER_CALLS_PER_KEY, PROVIDER_ANSWER_BYTES } = this.config;
    const hasPlace = this.all < PROVIDER_CALLS && (this.byKey.get(keyId) ?? 0) < PROVIDER_CALLS_PER_KEY;
    return hasPlace && this.bytes + bytes <= PROVIDER_ANSWER_BYTES;
  }

  /** Counts a call of a key until it ends. Waits a moment for room. @throws TooManyAtOnce, and then nothing has begun. */
  async during<T>(keyId: string, bytes: number, call: () => Promise<T>): Promise<T> {
    const { end } = await this.begin(keyId, bytes);
    try {
      return await call();
    } finally {
      end();
    }
  }

  /** Like `during`, for a call that goes on after it is answered. Its end, and that its answer is in memory no more, may be said twice. */
  async begin(keyId: string, bytes: number): Promise<CallUnderWay> {
    const until = performance.now() + ROOM_WAIT_MS;
    while (!this.hasRoom(keyId, bytes)) {
      if (performance.now() > until)
        throw new TooManyAtOnce('Too many calls of providers are under way: repeat the request when one has ended.');
      await setTimeout(ROOM_POLL_MS);
    }
    this.count(keyId, 1);
    this.bytes += bytes;
    const release = once(() => void (this.bytes -= bytes));
    const leave = once(() => this.count(keyId, -1));
    return {
      release,
      end: () => {
        release();
        leave();
      },
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

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}
