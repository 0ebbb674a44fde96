/** The latest blockhash, asked for at most every few seconds. */
import type { Rpc } from './client';

export interface Blockhash {
  blockhash: string;
  lastValidBlockHeight: number;
}

/** A blockhash lives about a minute; one that is two seconds old still has all the time it needs. */
const MAX_AGE_MS = 2_000;

export class Blockhashes {
  private latest: Promise<Blockhash> | undefined;
  private askedAt = 0;

  constructor(private readonly rpc: Rpc) {}

  /** Callers at the same time share one question. */
  recent(now = performance.now()): Promise<Blockhash> {
    if (!this.latest || now - this.askedAt > MAX_AGE_MS) {
      this.askedAt = now;
      const asked = this.rpc.read('no blockhash', (connection) => connection.getLatestBlockhash('confirmed'));
      this.latest = asked;
      asked.catch(() => {
        if (this.latest === asked) this.latest = undefined;
      });
    }
    return this.latest;
  }

  /** After an expiry, or a chain that was restarted: ask anew. */
  forget(): void {
    this.latest = undefined;
  }
}
