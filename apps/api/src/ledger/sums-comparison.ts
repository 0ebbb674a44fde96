import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, type Sql, sql } from '#database';
import { ArchivedMonths } from './archived-months';
import { inSpan } from './usage-sources';

/** Compares the sums of the ledger with its entries. */
@Injectable()
export class SumsComparison {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly archived: ArchivedMonths,
  ) {}

  /**
   * The accounts among these whose sums are not those of their entries, in whole months from a month to another: those that are not archived
   * if none are given. Reads all their entries.
   */
  async wrong(accountIds: string[], months?: { from: Date; to: Date }): Promise<string[]> {
    const { from, to } = months ?? { from: await this.archived.end(), to: null };
    const within = (column: Sql): Sql => inSpan(column, { from, to });
    const rows = await execute(
      this.database,
      sql`WITH entry AS (
            SELECT account_id, created_at AS at, direction, type, provider, category, rejection_reason, micro_usdc
            FROM ledger_entries WHERE account_id = ANY(${accountIds}) ${within(sql`created_at`)}),
          note AS (
            SELECT account_id, created_at AS at, direction, type, provider, category, rejection_reason, micro_usdc, entries
            FROM unsummed_ledger_entries WHERE account_id = ANY(${accountIds}) ${within(sql`created_at`)}),
          detail AS (
            SELECT account_id, span, date_trunc(span, at, 'UTC') AS at, type, provider, category, rejection_reason, micro_usdc, 1 AS entries
            FROM entry CROSS JOIN (VALUES ('hour'), ('day'), ('month')) AS each (span) WHERE direction = 'out'
            UNION ALL
            SELECT account_id, span, date_trunc(span, at, 'UTC'), type, provider, category, rejection_reason, -micro_usdc, -entries
            FROM note CROSS JOIN (VALUES ('hour'), ('day'), ('month')) AS each (span) WHERE direction = 'out'
            UNION ALL
            SELECT account_id, span, starts_at, type, provider, category, rejection_reason, -micro_usdc, -entries
            FROM ledger_sums WHERE account_id = ANY(${accountIds}) ${within(sql`starts_at`)}),
          total AS (
            SELECT account_id, date_trunc('month', at, 'UTC') AS at, CASE direction WHEN 'in' THEN micro_usdc ELSE -micro_usdc END AS net
              FROM entry WHERE type <> 'rejection'
            UNION ALL
            SELECT account_id, date_trunc('month', at, 'UTC'), CASE direction WHEN 'in' THEN -micro_usdc ELSE micro_usdc END FROM note
              WHERE type <> 'rejection'
            UNION ALL
            SELECT account_id, month, -net_micro_usdc FROM ledger_account_nets WHERE account_id = ANY(${accountIds}) ${within(sql`month`)})
          SELECT account_id FROM detail GROUP BY account_id, span, at, type, provider, category, rejection_reason
            HAVING sum(micro_usdc) <> 0 OR sum(entries) <> 0
          UNION SELECT account_id FROM total GROUP BY account_id, at HAVING sum(net) <> 0
          ORDER BY 1`,
    );
    return rows.map(({ account_id }) => String(account_id));
  }
}
