/** How many rows the database reads for the lists of a service, by the plans that it really runs. */
import type { DataSource } from 'typeorm';

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** The statements of a data source on one table, and what the latest of them read. */
export class ReadRows {
  readonly statements: { query: string; parameters: unknown[] }[] = [];

  constructor(
    private readonly database: DataSource,
    table: string,
  ) {
    const ignore = (): void => undefined;
    database.logger = {
      logQuery: (query, parameters) => {
        if (query.startsWith('SELECT') && query.includes(`"${table}"`))
          this.statements.push({ query, parameters: Array.isArray(parameters) ? parameters : [] });
      },
      logQueryError: ignore,
      logQuerySlow: ignore,
      logSchemaBuild: ignore,
      logMigration: ignore,
      log: ignore,
    };
  }

  /** The rows that the latest statement reads, with those that a filter removes. @throws Error without a statement */
  async ofLatest(): Promise<number> {
    const latest = this.statements.at(-1);
    if (!latest) throw new Error('no statement was recorded');
    const [row]: { 'QUERY PLAN': { Plan: Plan }[] }[] = await this.database.query(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${latest.query}`,
      latest.parameters,
    );
    return read(row?.['QUERY PLAN'][0]?.Plan ?? { 'Actual Rows': Infinity, 'Actual Loops': 1 });
  }
}

function read(plan: Plan): number {
  const own = plan['Actual Rows'] * plan['Actual Loops'] + (plan['Rows Removed by Filter'] ?? 0) * plan['Actual Loops'];
  return own + (plan.Plans ?? []).reduce((sum, child) => sum + read(child), 0);
}
