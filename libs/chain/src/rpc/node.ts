/** An RPC node: its connection, how fast it answers, and whether it should be left alone for now. */
import { ConsecutiveBreaker, ExponentialBackoff, circuitBreaker, handleWhen, isBrokenCircuitError } from 'cockatiel';
import { Connection, SolanaJSONRPCError, type Commitment } from '@solana/web3.js';
import { CallBatches } from './transport/call-batches';
import { BusyError, TransportError, boundedFetch, type RpcCallNoted } from './transport/fetch';
import type { NodeAddress } from './transport/node-address';

/** Failures to answer in a row after which a node is left alone, and for how long at first and at most. */
const MAX_FAILURES = 5;
const OPEN_MS = 1_000;
const MAX_OPEN_MS = 5_000;
/** The share of the newest answer in the mean. */
const NEWEST_SHARE = 0.2;
/** A node this far behind the newest slot seen, about ten seconds, is asked after the others. */
const MAX_LAG_SLOTS = 25;
/** When another node is asked too: after this many times the mean of a node's answers, and never before so long. */
const HEDGE_FACTOR = 4;
const LEAST_HEDGE_MS = 100;

/** JSON-RPC codes of agave for a stale node: block not available, unhealthy, slot skipped, behind `minContextSlot`. */
const STALE_CODES = new Set([-32004, -32005, -32007, -32009, -32014, -32016]);

/** A node answers for another chain than at the start. Nothing is read from it or sent to it. */
export class WrongChainError extends Error {}

/** A node has answered from a slot before the one that was asked for. */
export class StaleNodeError extends Error {}

/** Whether the same call may succeed a moment later: the node is behind. */
export function isStale(error: unknown): boolean {
  if (error instanceof StaleNodeError) return true;
  return error instanceof SolanaJSONRPCError && typeof error.code === 'number' && STALE_CODES.has(error.code);
}

/** Whether the node was left alone or asked to be: another one answers, or this one later. */
export function isResting(error: unknown): boolean {
  return error instanceof BusyError || isBrokenCircuitError(error);
}

export class RpcNode {
  readonly calls: CallBatches;
  readonly connection: Connection;
  /** Whether the node has answered with the genesis hash since it was last unreachable. */
  private isVerified = false;
  /** Until when the node asked not to be called, by `performance.now()`. */
  private busyUntil = 0;
  private meanMs = 0;
  private slot = 0;
  private readonly breaker = circuitBreaker(
    handleWhen((error) => error instanceof TransportError && !(error instanceof BusyError)),
    {
      breaker: new ConsecutiveBreaker(MAX_FAILURES),
      halfOpenAfter: new ExponentialBackoff({ initialDelay: OPEN_MS, maxDelay: MAX_OPEN_MS }),
    },
  );

  constructor(
    address: NodeAddress,
    { commitment, timeoutMs }: { commitment: Commitment; timeoutMs: number },
    note: (call: RpcCallNoted) => void,
  ) {
    const fetch = boundedFetch(address, timeoutMs, note);
    const { url } = address;
    this.calls = new CallBatches(url, fetch);
    this.connection = new Connection(url, { commitment, disableRetryOnRateLimit: true, fetch });
  }

  /** The milliseconds for which the node has asked not to be called. */
  get busyMs(): number {
    return Math.max(0, this.busyUntil - performance.now());
  }

  /** The milliseconds without an answer after which another node is asked too. */
  get hedgeMs(): number {
    return Math.max(LEAST_HEDGE_MS, this.meanMs * HEDGE_FACTOR);
  }

  /** Nodes with a lower rank are asked first. Those that answer about equally fast have the same one. One that is broken refuses at once. */
  rank(newestSlot: number): number {
    const isBehind = newestSlot - this.slot > MAX_LAG_SLOTS;
    // Up to a millisecond 0, then one more each time that it doubles; 100 and 200 are above all of these.
    const speed = Math.max(0, Math.ceil(Math.log2(this.meanMs)));
    return (this.busyMs > 0 ? 200 : 0) + (isBehind ? 100 : 0) + speed;
  }

  /** The newest slot that the node has answered from. */
  get newestSlot(): number {
    return this.slot;
  }

  /** Notes the slot of an answer. */
  noteSlot(slot: number): void {
    this.slot = Math.max(this.slot, slot);
  }

  /**
   * Calls the node, once it is known to be of this chain.
   * @throws WrongChainError; BusyError, also without a call while the node has asked not to be called; what the call throws
   */
  async ask<T>(call: (node: RpcNode) => Promise<T>, genesisHash: string | undefined): Promise<T> {
    if (this.busyMs > 0) throw new BusyError(this.busyMs);
    try {
      if (!this.isVerified && genesisHash !== undefined) await this.verify(genesisHash);
      const from = performance.now();
      const answer = await call(this);
      this.meanMs += (performance.now() - from - this.meanMs) * NEWEST_SHARE;
      return answer;
    } catch (error) {
      if (error instanceof BusyError) this.busyUntil = performance.now() + error.retryAfterMs;
      else if (error instanceof TransportError) this.isVerified = false;
      throw error;
    }
  }

  /** As `ask`, but a node that has failed often is left alone for a while. @throws also BrokenCircuitError */
  askUnlessBroken<T>(call: (node: RpcNode) => Promise<T>, genesisHash: string | undefined): Promise<T> {
    return this.breaker.execute(() => this.ask(call, genesisHash));
  }

  private async verify(expected: string): Promise<void> {
    const hash = await this.connection.getGenesisHash();
    if (hash !== expected) throw new WrongChainError(`the node is of another chain: its genesis hash is ${hash}, not ${expected}`);
    this.isVerified = true;
  }
}
