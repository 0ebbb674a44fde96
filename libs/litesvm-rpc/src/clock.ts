/** The chain's clock: wall time plus skipped time. It never goes backwards. */

export interface ClockState {
  offsetSeconds: number;
  latest: number;
}

export class Clock {
  constructor(readonly state: ClockState) {}

  /** Unix seconds. */
  get now(): number {
    return this.state.latest;
  }

  /** Advances to this wall time. */
  advance(nowMs: number): void {
    this.moveTo(Math.floor(nowMs / 1_000) + this.state.offsetSeconds);
  }

  /** Skips time, permanently. */
  skip(seconds: number): void {
    this.state.offsetSeconds += seconds;
    this.moveTo(this.now + seconds);
  }

  /** Advances to a time that was reached before. */
  moveTo(seconds: number): void {
    this.state.latest = Math.max(this.state.latest, seconds);
  }
}
