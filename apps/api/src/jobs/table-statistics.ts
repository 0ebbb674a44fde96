import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { JobsService } from './jobs.service';

const EVERY_MS = 2_000;

/** Tables with rows that were never analyzed: reltuples is -1 then, https://www.postgresql.org/docs/current/catalog-pg-class.html */
const UNKNOWN_TABLES = `
  SELECT quote_ident(relname) AS name FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND reltuples < 0 AND pg_relation_size(oid) > 0`;

/**
 * Gives PostgreSQL its first statistics of each table. Without them it looks an idempotency key up among all orders of the operator, and an
 * account among all of its accounts. Autovacuum comes within minutes only: after a restored backup, or a first start under load, every transfer
 * would read thousands of rows until then.
 */
@Injectable()
export class TableStatistics implements OnModuleInit {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'table-statistics', everyMs: EVERY_MS, run: () => this.analyzeUnknown() });
  }

  /** Analyzes the tables that have rows and no statistics. A table that another process analyzes is passed over. */
  async analyzeUnknown(): Promise<void> {
    const unknown: { name: string }[] = await this.database.query(UNKNOWN_TABLES);
    for (const { name } of unknown) await this.database.query(`ANALYZE (SKIP_LOCKED) ${name}`);
  }
}
