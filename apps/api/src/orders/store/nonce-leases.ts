/** Nonces of one account that a process keeps: about as many as orders that it places at once. The others become gaps. */
const MOST_OF_ACCOUNT = 16;
const MOST_ACCOUNTS = 10_000;

/**
 * The nonces that this process has allocated and no order has yet. An order that has its nonce before it is stored is signed before it is
 * stored, and needs one statement less. A crash loses them, which leaves gaps and nothing else. One that has grown old meanwhile is not
 * taken: the statement that stores the order checks it against the account's counter.
 */
export class NonceLeases {
  private readonly free = new Map<string, bigint[]>();

  /** A nonce that only the caller has from now on. Undefined if none is left. */
  take(accountId: string): bigint | undefined {
    return this.free.get(accountId)?.shift();
  }

  /** Keeps a nonce that was allocated for an account. */
  keep(accountId: string, seq: bigint): void {
    const kept = this.free.get(accountId) ?? [];
    if (kept.length < MOST_OF_ACCOUNT) kept.push(seq);
    if (this.free.size >= MOST_ACCOUNTS) this.free.clear();
    this.free.set(accountId, kept);
  }

  /** Drops the nonces of an account: one of them was too old, or its window is full. */
  forget(accountId: string): void {
    this.free.delete(accountId);
  }
}
