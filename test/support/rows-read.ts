/** How many rows the database reads for the lists of a service, by the plans that it really runs. */
import type { DataSource } from 'typeorm';

interface Plan {
  'Node Type': string;
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
        if (/^\s*\(?(SELECT|WITH)\b/.test(query) && new RegExp(`\\b${table}\\b`).test(query))
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
    return read(row?.['QUERY PLAN'][0]?.Plan ?? { 'Node Type': '', 'Actual Rows': Infinity, 'Actual Loops': 1 });
  }
}

/** The rows of the scans of tables: what the nodes above them pass on was read already. */
function read(plan: Plan): number {
  const children = plan.Plans ?? [];
  if (children.length > 0 && plan['Node Type'] !== 'Bitmap Heap Scan') return children.reduce((sum, child) => sum + read(child), 0);
  return (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
}
