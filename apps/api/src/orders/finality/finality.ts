import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, sql } from '#database';
import { ChainUnavailableError } from '#chain';
import { Clock } from '../../runtime/clock';

/** Finality takes about 13 seconds: what settled is looked at again after this. */
const LOOK_AFTER_MS = 20_000;
/** The moment back to which the first look goes. */
const FIRST_LOOK_BACK_MS = 60 * 60_000;
const BATCH = 1_000;

/** Something that settled. */
export interface Settled {
  id: string;
  settledAt: Date;
}

/** The verdict of the finalized chain on facts. It has those in neither list. */
export interface Judged<T> {
  /** No longer on the chain. */
  reversed: T[];
  /** Confirmed and not finalized yet, or unknown to the chain. */
  pending: T[];
}

/** A kind of fact that settles. */
export interface SettledFacts<T extends Settled> {
  /** In the order of their settlement, from a time to another, both included. */
  between(from: Date, to: Date, limit: number): Promise<T[]>;
  /** @throws ChainUnavailableError */
  judge(facts: T[]): Promise<Judged<T>>;
  /** Undoes a fact that is reversed, and has it made again. */
  reverse(fact: T): Promise<void>;
}

/**
 * The second look at what settled. `confirmed` is two thirds of the stake's word, and can be taken back; `finalized` cannot. A mark for each
 * kind says how far the look has come, so that no row is written for what is as it should be.
 */
@Injectable()
export class Finality {
  private readonly logger = new Logger('Finality');

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Looks at the next facts of a kind. */
  async look<T extends Settled>(what: string, facts: SettledFacts<T>): Promise<void> {
    const now = this.clock.now().getTime();
    const to = new Date(now - LOOK_AFTER_MS);
    for (let from = await this.mark(what, new Date(now - FIRST_LOOK_BACK_MS)); from < to; ) {
      const batch = await facts.between(from, to, BATCH);
      const { reversed, pending } = batch.length === 0 ? { reversed: [], pending: [] } : await this.judge(facts, batch);
      // The newest first: a top-up before the opening of its session.
      for (const fact of reversed.toReversed()) {
        this.logger.warn(`${fact.id} had settled, and the finalized chain does not have it: it is made again`);
        await facts.reverse(fact);
      }
      const next = pending[0]?.settledAt ?? (batch.length < BATCH ? to : (batch.at(-1)?.settledAt ?? to));
      await this.advance(what, next);
      if (pending.length > 0 || batch.length < BATCH) return;
      from = next;
    }
  }

  private async judge<T extends Settled>(facts: SettledFacts<T>, batch: T[]): Promise<Judged<T>> {
    try {
      return await facts.judge(batch);
    } catch (error) {
      if (!(error instanceof ChainUnavailableError)) throw error;
      return { reversed: [], pending: batch };
    }
  }

  private async mark(what: string, first: Date): Promise<Date> {
    const [row] = await execute(this.database, sql`SELECT checked_until FROM finality_marks WHERE what = ${what}`);
    return row?.checked_until instanceof Date ? row.checked_until : first;
  }

  private async advance(what: string, until: Date): Promise<void> {
    await execute(
      this.database,
      sql`INSERT INTO finality_marks (what, checked_until) VALUES (${what}, ${until})
          ON CONFLICT (what) DO UPDATE SET checked_until = GREATEST(finality_marks.checked_until, EXCLUDED.checked_until)`,
    );
  }
}
