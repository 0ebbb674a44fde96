/** Shares a busy process among its callers, so that one with many requests at once does not keep another's away. */
import { LRUCache } from 'lru-cache';
import { Load } from './load';
import { TooManyAtOnce } from './rate-limit';

/** The most requests of one caller that begin at once. */
const MOST_AT_WORK = 64;
/** The fewest, however busy the process is. */
const LEAST_AT_WORK = 1;
/** A request that takes longer waits for the chain or a provider, and has no more part in what keeps the process busy. */
const AT_WORK_MS = 100;
/** A refusal is made at once. While the process is busy it holds its caller's turn so long, so that a flood of them is slowed down. */
const REFUSAL_MS = 20;
/** In a process that is not busy, refusals of a flood hold their turns so long: one of `MOST_AT_WORK` ends every 5 ms. */
const FLOOD_REFUSAL_MS = 320;
/**
 * A caller that begins more requests than this while the load is judged once sends many, even if each has ended before the next one begins. One
 * that waits for a transfer before it begins the next has 10 on a fast machine.
 */
const MANY_BEGUN = 20;
/** The shortest rest of a caller after one of its requests: each has cost some milliseconds before it began. */
const LEAST_REST_MS = 10;
/** The longest rest of a caller after one of its requests: it begins five a second, however busy the process is. */
const MOST_REST_MS = 160;
/** A caller is alone if no other has had a request for this long. */
const ALONE_AFTER_MS = 2_000;
/** A caller of single requests is beside one of many until this long after one of its requests has ended. */
const OUTNUMBERED_MS = 300;
/** How often a busy process asks whether its callers compete with callers of other processes. */
const ASK_EVERY_MS = 500;
/** How long a request waits for its turn. */
const MAX_WAIT_MS = 30_000;

/** The most requests of one caller that wait. */
const MAX_WAITING = 1_000;

/** Callers of this process are known for this long, and so many of them. */
export const KNOWN_MS = 120_000;
const MAX_KNOWN = 1_000;

/** The requests of one caller. */
interface Line {
  atWork: number;
  waiting: (() => void)[];
  /** The most requests at once since the line was last empty. */
  most: number;
}

/** Whether callers other than those known here have used other processes on the same database within `KNOWN_MS`. */
export type OthersElsewhere = (known: string[]) => Promise<boolean>;

/**
 * Limits how many requests of each caller are at work while the process is busy and callers compete. The share of each is halved as long as
 * the process is overloaded, and doubled otherwise. If one caller sends request after request beside another that sends many, the share is
 * halved as soon as requests are slowed, and grows by one otherwise. At the fewest at once, a caller with more then rests after each request.
 * A caller alone has the whole process.
 */
export class FairShare {
  private readonly lines = new Map<string, Line>();
  /** How many requests of each caller have begun since the load was judged, and how many had before that. */
  private begun = new Map<string, number>();
  private begunBefore = this.begun;
  private readonly known = new LRUCache<string, true>({ max: MAX_KNOWN, ttl: KNOWN_MS });
  private share = MOST_AT_WORK;
  /** Whether the fewest requests at once are still too many. */
  private areResting = false;
  private latest = '';
  private competedAt = -Infinity;
  private outnumberedUntil = -Infinity;
  private askedAt = -Infinity;

  constructor(
    private readonly othersElsewhere: OthersElsewhere,
    private readonly now = () => performance.now(),
    private readonly load = new Load(now),
  ) {}

  /** Reports how long an authentication took, in milliseconds: a measure of how busy the process and its database are. */
  note(tookMs: number): void {
    this.load.note(tookMs);
    this.adjust();
  }

  /**
   * Waits until a request of a caller may begin. Returns what ends its turn, which may be called again.
   * @throws TooManyAtOnce if too many of the caller's requests are before it.
   */
  async enter(caller: string, atWorkMs = AT_WORK_MS): Promise<() => void> {
    const line = this.lines.get(caller) ?? { atWork: 0, waiting: [], most: 0 };
    this.lines.set(caller, line);
    this.compare(caller, line);
    if (line.waiting.length > 0 || line.atWork >= this.limit()) await this.turn(line);
    else line.atWork++;
    const beganAt = this.now();
    let hasEnded = false;
    const leave = (): void => {
      line.atWork--;
      this.admit(line);
      if (line.atWork > 0 || line.waiting.length > 0) return;
      this.lines.delete(caller);
      if (!this.sendsMany(caller, line) && this.isBesideMany()) this.noteOutnumbered(OUTNUMBERED_MS);
    };
    const end = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      if (this.areResting && line.waiting.length > 0 && !this.isAlone()) setTimeout(leave, this.restAfter(this.now() - beganAt));
      else leave();
    };
    const timer = setTimeout(end, atWorkMs);
    return end;
  }

  /**
   * Waits until a request of an address or key may be refused: while the process is busy, one after another, and a flood of them beside other
   * callers always slowly, since they may need the processors. @throws TooManyAtOnce
   */
  async pace(caller: string): Promise<void> {
    this.adjust();
    if (this.limit() < MOST_AT_WORK) await this.enter(caller, REFUSAL_MS);
    else if (this.isFloodBesideOthers(caller)) await this.enter(caller, FLOOD_REFUSAL_MS);
    else this.count(caller);
  }

  private isFloodBesideOthers(caller: string): boolean {
    if (!this.hasBegunMany(caller)) return false;
    this.meet(caller);
    this.askElsewhere();
    return !this.isAlone();
  }

  /** Counts a request, and notes with whom its caller competes. */
  private compare(caller: string, line: Line): void {
    this.known.set(caller, true);
    this.count(caller);
    this.meet(caller);
    line.most = Math.max(line.most, line.atWork + line.waiting.length + 1);
  }

  /** Notes whether a caller competes with another one of this process. */
  private meet(caller: string): void {
    if (this.lines.size > 1 || (caller !== this.latest && this.latest !== '')) this.competedAt = this.now();
    this.latest = caller;
  }

  private count(caller: string): void {
    // The load is judged when a caller authenticates or is refused: until then the addresses of public requests are kept up to a bound.
    if (this.begun.size < MAX_KNOWN || this.begun.has(caller)) this.begun.set(caller, (this.begun.get(caller) ?? 0) + 1);
  }

  /** Whether a caller sends many requests, at once or in quick succession. */
  private sendsMany(caller: string, { most }: Line): boolean {
    return most > 1 || this.hasBegunMany(caller);
  }

  private hasBegunMany(caller: string): boolean {
    return [this.begunBefore, this.begun].some((begun) => (begun.get(caller) ?? 0) > MANY_BEGUN);
  }

  private isBesideMany(): boolean {
    return [...this.lines.values()].some(({ most }) => most > 1) || [...this.begunBefore.values()].some((count) => count > MANY_BEGUN);
  }

  private noteOutnumbered(forMs: number): void {
    this.outnumberedUntil = Math.max(this.outnumberedUntil, this.now() + forMs);
  }

  private adjust(): void {
    const span = this.load.ended();
    if (!span) return;
    this.begunBefore = this.begun;
    this.begun = new Map();
    const isOutnumbered = this.now() <= this.outnumberedUntil;
    if (isOutnumbered ? span.isSlowed : span.isOverloaded) this.shrink(isOutnumbered);
    else this.grow(isOutnumbered);
    if (span.isSlowed) this.askElsewhere();
  }

  private shrink(isOutnumbered: boolean): void {
    if (this.share > LEAST_AT_WORK) this.share = Math.max(LEAST_AT_WORK, Math.floor(this.share / 2));
    else this.areResting = isOutnumbered;
  }

  private grow(isOutnumbered: boolean): void {
    if (this.areResting) this.areResting = false;
    else this.share = Math.min(MOST_AT_WORK, isOutnumbered ? this.share + 1 : this.share * 2);
    for (const line of this.lines.values()) this.admit(line);
  }

  private askElsewhere(): void {
    const now = this.now();
    if (now - this.askedAt < ASK_EVERY_MS) return;
    this.askedAt = now;
    this.othersElsewhere([...this.known.keys()]).then(
      (areAny) => {
        if (!areAny) return;
        this.competedAt = this.now();
        this.noteOutnumbered(2 * ASK_EVERY_MS);
      },
      // Without an answer the caller stays alone.
      () => undefined,
    );
  }

  /**
   * How long a caller rests after a request of this length: as long, for each caller that has requests now. The process works for a request
   * before its turn and after its answer too, so that this leaves the others of one process about half of their throughput.
   */
  private restAfter(tookMs: number): number {
    return Math.min(MOST_REST_MS, Math.max(LEAST_REST_MS, tookMs * this.lines.size));
  }

  private limit(): number {
    return this.isAlone() ? MOST_AT_WORK : this.share;
  }

  private isAlone(): boolean {
    return this.lines.size <= 1 && this.now() - this.competedAt > ALONE_AFTER_MS;
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
