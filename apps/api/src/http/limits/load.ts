/** How busy a process and its database are. */
import { performance } from 'node:perf_hooks';

/** Authentications are judged together for this long. */
const SPAN_MS = 100;
/** The event loop has little time left from this part of a span on: what comes waits as long as it works, or longer. */
const BUSY_PART = 0.6;
/** Authentications that take so many times as long as undisturbed ones waited for the event loop, a connection or the database. */
const SLOWED_TIMES = 3;
/** An authentication takes a millisecond or two. One that takes this long waited, whatever the machine. */
const SLOW_MS = 25;
/** A mean below this is fast, however fast undisturbed authentications are. */
const FAST_MS = 3;
/** The fastest span of this time, and of the one before, is what authentications take undisturbed. */
const GENERATION_MS = 300_000;

/** A span that has ended. */
export interface Span {
  /** A request waits longer in this process than it works. */
  isSlowed: boolean;
  /** An authentication took so long that the process has more to do than it can. */
  isOverloaded: boolean;
}

/** Measures the load of a process by the time that its authentications take and by how busy its event loop is. */
export class Load {
  private span = { beganAt: 0, sumMs: 0, count: 0, slowestMs: 0 };
  private fastest = { sinceMs: 0, present: Infinity, previous: Infinity };
  private loop = performance.eventLoopUtilization();

  constructor(
    private readonly now = () => performance.now(),
    private readonly utilization: (since: ReturnType<typeof performance.eventLoopUtilization>) => number = partSince,
  ) {}

  /** Adds an authentication, in milliseconds. */
  note(tookMs: number): void {
    this.span.sumMs += tookMs;
    this.span.count++;
    this.span.slowestMs = Math.max(this.span.slowestMs, tookMs);
  }

  /** The span that has ended just now, or undefined while the present one goes on. */
  ended(): Span | undefined {
    const now = this.now();
    const { beganAt, sumMs, count, slowestMs } = this.span;
    if (now - beganAt < SPAN_MS) return undefined;
    const part = this.utilization(this.loop);
    this.loop = performance.eventLoopUtilization();
    this.span = { beganAt: now, sumMs: 0, count: 0, slowestMs: 0 };
    const meanMs = count > 0 ? sumMs / count : 0;
    if (count > 0) this.learn(now, meanMs);
    const isOverloaded = slowestMs > SLOW_MS;
    const undisturbedMs = Math.min(this.fastest.present, this.fastest.previous);
    return { isOverloaded, isSlowed: isOverloaded || part > BUSY_PART || meanMs > Math.max(FAST_MS, SLOWED_TIMES * undisturbedMs) };
  }

  private learn(now: number, meanMs: number): void {
    const { sinceMs, present } = this.fastest;
    if (now - sinceMs > GENERATION_MS) this.fastest = { sinceMs: now, present: meanMs, previous: present };
    else this.fastest.present = Math.min(present, meanMs);
  }
}

function partSince(since: ReturnType<typeof performance.eventLoopUtilization>): number {
  return performance.eventLoopUtilization(since).utilization;
}
