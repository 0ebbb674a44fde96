/** A cache of the latest blockhash. */
import type { Rpc } from './client';

export interface Blockhash {
  blockhash: string;
  lastValidBlockHeight: number;
}

/** A blockhash is valid for about a minute. */
const MAX_AGE_MS = 2_000;
/** Blocks after which a blockhash has expired. */
const LIFETIME_BLOCKS = 150;

export class Blockhashes {
  private latest: Promise<Blockhash> | undefined;
  private requestedAt = 0;

  constructor(private readonly rpc: Rpc) {}

  /** A blockhash at most `MAX_AGE_MS` old. Concurrent callers share one request. */
  recent(now = performance.now()): Promise<Blockhash> {
    if (!this.latest || now - this.requestedAt > MAX_AGE_MS) {
      this.requestedAt = now;
      const request = this.rpc.read('no blockhash', (connection) => connection.getLatestBlockhash('confirmed'));
      this.latest = request;
      request.catch(() => {
        if (this.latest === request) this.latest = undefined;
      });
    }
    return this.latest;
  }

  /**
   * A blockhash that a seller proposes; null if our node does not know it. It is no newer than the newest, so its last valid height is at
   * most that of a new one.
   */
  async known(blockhash: string): Promise<Blockhash | null> {
    const { value: isKnown } = await this.rpc.read('no validity of a blockhash', (connection) =>
      connection.isBlockhashValid(blockhash, { commitment: 'confirmed' }),
    );
    if (!isKnown) return null;
    const { height } = await this.rpc.height('confirmed');
    return { blockhash, lastValidBlockHeight: height + LIFETIME_BLOCKS };
  }

  /** Empties the cache, after a transaction expired or the chain was restarted. */
  forget(): void {
    this.latest = undefined;
  }
}
