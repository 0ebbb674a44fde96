import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, sql } from '#database';
import { JobsService } from '../../jobs/jobs.service';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import type { Payment, SealedAnswer } from '../payment.entity';
import { answerColumns } from '../payment.sql';

/** Requests and answers are kept this long after a payment is final. */
const KEPT_MS = 24 * 60 * 60_000;
const FORGET_EVERY_MS = 10_000;
const FORGET_BATCH = 500;

/** The SQL of the answers that are kept of providers: how much, and for how long. */
@Injectable()
export class KeptAnswers implements OnModuleInit {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'payment-answers', everyMs: FORGET_EVERY_MS, run: () => this.forgetAll() });
  }

  /** Stores the body of an answer whose head is stored. */
  async keepBody({ id }: Payment, answer: SealedAnswer): Promise<void> {
    await execute(this.database, sql`UPDATE payments SET ${answerColumns(answer)} WHERE id = ${id} AND response_status IS NOT NULL`);
  }

  /** How much is kept of the answers to an account's payments, in bytes. */
  async keptBytes(accountId: string): Promise<number> {
    const [row] = await execute(
      this.database,
      sql`SELECT COALESCE(sum(response_bytes), 0) AS bytes FROM payments WHERE account_id = ${accountId} AND response_sealed IS NOT NULL`,
    );
    return Number(row?.bytes);
  }

  private async forgetAll(): Promise<void> {
    while ((await this.forget(FORGET_BATCH)) >= FORGET_BATCH);
  }

  /** Deletes requests and answers that were kept for a day, and answers of free payments after their time. Returns how many. */
  private async forget(limit: number): Promise<number> {
    const before = (ms: number): Date => new Date(this.clock.now().getTime() - ms);
    const kept = sql`(response_sealed IS NOT NULL OR request_sealed IS NOT NULL) AND final_at <= ${before(KEPT_MS)}`;
    const free = sql`response_sealed IS NOT NULL AND status = 'free' AND final_at <= ${before(this.config.FREE_ANSWER_SECONDS * 1000)}`;
    const rows = await execute(
      this.database,
      sql`UPDATE payments SET response_sealed = NULL, response_bytes = NULL, response_status = NULL, request_sealed = NULL WHERE id IN (
            (SELECT id FROM payments WHERE ${kept} LIMIT ${limit}) UNION (SELECT id FROM payments WHERE ${free} LIMIT ${limit})) RETURNING id`,
    );
    return rows.length;
  }
}
