/** The chain's time: the wall clock's, plus what it was told to skip, and never backwards. */

export interface ClockState {
  offsetSeconds: number;
  latest: number;
}

export class Clock {
  constructor(readonly state: ClockState) {}

  /** Seconds since 1970. */
  get now(): number {
    return this.state.latest;
  }

  /** Moves on to this moment. */
  advance(nowMs: number): void {
    this.moveTo(Math.floor(nowMs / 1_000) + this.state.offsetSeconds);
  }

  /** Skips time, for good. */
  skip(seconds: number): void {
    this.state.offsetSeconds += seconds;
    this.moveTo(this.now + seconds);
  }

  /** Moves on to a time known to have been reached. */
  moveTo(seconds: number): void {
    this.state.latest = Math.max(this.state.latest, seconds);
  }
}
