import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, sql } from '#database';
import { Clock } from '../../../runtime/clock';
import type { Payment } from '../../payment.entity';

/** How long an answer is remembered. */
const REMEMBERED_MS = 24 * 60 * 60_000;

/** The last answer of a seller to a direct transfer. */
export interface SellerAnswer {
  takesTransfers: boolean;
  answeredAt: Date;
}

/** Answers of sellers to direct transfers, by operator and host. */
@Injectable()
export class SellerAnswers {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** The answer of a payment's seller in the last 24 hours. */
  async known({ operatorId, provider }: Payment): Promise<SellerAnswer | undefined> {
    const since = new Date(this.clock.now().getTime() - REMEMBERED_MS);
    const [row] = await execute(
      this.database,
      sql`SELECT takes_transfers, answered_at FROM seller_answers
          WHERE operator_id = ${operatorId} AND host = ${new URL(provider).host} AND answered_at > ${since}`,
    );
    return row && { takesTransfers: row.takes_transfers === true, answeredAt: row.answered_at as Date };
  }

  async note({ operatorId, provider }: Payment, takesTransfers: boolean): Promise<void> {
    await execute(
      this.database,
      sql`INSERT INTO seller_answers (operator_id, host, takes_transfers, answered_at)
          VALUES (${operatorId}, ${new URL(provider).host}, ${takesTransfers}, ${this.clock.now()})
          ON CONFLICT (operator_id, host) DO UPDATE SET takes_transfers = EXCLUDED.takes_transfers, answered_at = EXCLUDED.answered_at`,
    );
  }
}
