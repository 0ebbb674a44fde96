/** Shares a busy process among its callers, so that one with many requests at once does not keep another's away. */
import { TooManyAtOnce } from './rate-limit';

/** The most requests of one caller that begin at once. */
const MOST_AT_WORK = 64;
/** The fewest, however busy the process is. */
const LEAST_AT_WORK = 1;
/** A request that takes longer waits for the chain or a provider, and has no more part in what keeps the process busy. */
const AT_WORK_MS = 100;
/** An authentication takes a millisecond or two. One that takes this long waited for the event loop, a connection or the database. */
const BUSY_MS = 25;
/** A refusal is made at once. While the process is busy it holds its caller's turn so long, so that a flood of them is slowed down. */
const REFUSAL_MS = 20;
/** How often the share changes. */
const ADJUST_EVERY_MS = 100;
/** A caller is alone if no other has had a request for this long. */
const ALONE_AFTER_MS = 2_000;
/** How long a request waits for its turn. */
const MAX_WAIT_MS = 30_000;

/** The most requests of one caller that wait. */
const MAX_WAITING = 1_000;

/** The requests of one caller. */
interface Line {
  atWork: number;
  waiting: (() => void)[];
}

/**
 * Limits how many requests of each caller are at work while the process is busy and callers compete. The share of each is halved as long as
 * authentications are slow, and grows by one otherwise. A caller alone has the whole process.
 */
export class FairShare {
  private readonly lines = new Map<string, Line>();
  private share = MOST_AT_WORK;
  private adjustedAt = 0;
  private slowestMs = 0;
  private latest = '';
  private competedAt = -Infinity;

  constructor(private readonly now = () => performance.now()) {}

  /** Reports how long an authentication took, in milliseconds: the measure of how busy the process and its database are. */
  note(tookMs: number): void {
    this.slowestMs = Math.max(this.slowestMs, tookMs);
    const now = this.now();
    if (now - this.adjustedAt < ADJUST_EVERY_MS) return;
    this.adjustedAt = now;
    const isBusy = this.slowestMs > BUSY_MS;
    this.share = isBusy ? Math.max(LEAST_AT_WORK, Math.floor(this.share / 2)) : Math.min(MOST_AT_WORK, this.share + 1);
    this.slowestMs = 0;
    if (!isBusy) for (const line of this.lines.values()) this.admit(line);
  }

  /**
   * Waits until a request of a caller may begin. Returns what ends its turn, which may be called again.
   * @throws TooManyAtOnce if too many of the caller's requests are before it.
   */
  async enter(caller: string, atWorkMs = AT_WORK_MS): Promise<() => void> {
    const line = this.lines.get(caller) ?? { atWork: 0, waiting: [] };
    this.lines.set(caller, line);
    if (this.lines.size > 1 || (caller !== this.latest && this.latest !== '')) this.competedAt = this.now();
    this.latest = caller;
    if (line.waiting.length > 0 || line.atWork >= this.limit()) await this.turn(line);
    else line.atWork++;
    let hasEnded = false;
    const end = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      line.atWork--;
      this.admit(line);
      if (line.atWork === 0 && line.waiting.length === 0) this.lines.delete(caller);
    };
    const timer = setTimeout(end, atWorkMs);
    return end;
  }

  /** Waits until a request without a valid key may be refused: while the process is busy, one after another. @throws TooManyAtOnce */
  async pace(address: string): Promise<void> {
    if (this.limit() < MOST_AT_WORK) await this.enter(address, REFUSAL_MS);
  }

  private limit(): number {
    const isAlone = this.lines.size <= 1 && this.now() - this.competedAt > ALONE_AFTER_MS;
    return isAlone ? MOST_AT_WORK : this.share;
  }

  private turn(line: Line): Promise<void> {
    if (line.waiting.length >= MAX_WAITING) throw tooMany();
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        line.waiting.splice(line.waiting.indexOf(begin), 1);
        reject(tooMany());
      }, MAX_WAIT_MS);
      line.waiting.push(begin);
    });
  }

  private admit(line: Line): void {
    while (line.atWork < this.limit()) {
      const begin = line.waiting.shift();
      if (!begin) return;
      line.atWork++;
      begin();
    }
  }
}

function tooMany(): TooManyAtOnce {
  return new TooManyAtOnce('Too many requests of this caller are under way: repeat the request when one has ended.');
}
