/** Pages of lists over one or many accounts, each read from indexes that end with the id. */
import { join, raw, type Sql, sql } from '#database';

/** Rows of each account that are read first, to find where the page ends. */
const HEAD_ROWS = 4;

/** A page of a list, newest first. */
export interface MergedList {
  table: string;
  /** The selected columns; all if omitted. */
  columns?: readonly string[];
  operatorId: string;
  /** The accounts whose rows are listed, all of this operator; null for all accounts of the operator. */
  accountIds: readonly string[] | null;
  /** The filters and the bounds of the ids: conditions without those of operator and account. */
  filters: readonly Sql[];
  /** Conditions of which each row meets exactly one, each with an index of its own. One part without a condition if omitted. */
  parts?: readonly Sql[];
  /**
   * Whether few rows meet the filters. Then they are read by an index of the filters and sorted. Without this the planner may expect more of
   * them than there are, for example by one amount far above all others, and read the index of ids to its end.
   */
  isRare?: boolean;
  /** The most rows. */
  limit: number;
}

/**
 * The statement of a page. It merges the parts of the accounts by their ids: from each it reads no more rows than may be on the page,
 * provided that an index has operator or account, the filters and the part before the id. Many accounts are read twice: the newest few rows
 * of each say which accounts are on the page and which id it ends with at the latest, and their rows down to that id are the page. So a
 * page of a hundred accounts reads little more than a few rows of each, whichever of them have the newest rows.
 */
export function mergedList({
  table,
  columns,
  operatorId,
  accountIds,
  filters,
  parts = [sql`true`],
  isRare = false,
  limit,
}: MergedList): Sql {
  const from = raw(table);
  const selected = columns ? raw(columns.join(', ')) : raw('*');
  const conditions = (part: Sql): Sql => join([part, ...filters], ' AND ');
  const union = (selects: Sql[]): Sql => join(selects, ' UNION ALL ');
  const page = (source: Sql): Sql => sql`SELECT ${selected} FROM ${source} ORDER BY id DESC LIMIT ${limit}`;
  if (accountIds?.length === 0) return sql`SELECT ${selected} FROM ${from} WHERE false`;
  if (accountIds === null || accountIds.length === 1) {
    const scope = accountIds === null ? sql`operator_id = ${operatorId}` : sql`account_id = ${accountIds[0]}`;
    // An expression is not a column of an index.
    const order = isRare ? sql`id || ''` : sql`id`;
    const selects = parts.map(
      (part) => sql`(SELECT ${selected} FROM ${from} WHERE ${scope} AND ${conditions(part)} ORDER BY ${order} DESC LIMIT ${limit})`,
    );
    return selects.length === 1 && selects[0] ? selects[0] : page(sql`(${union(selects)}) AS merged`);
  }
  const heads = parts.map(
    (part) => sql`(SELECT id FROM ${from} WHERE account_id = account.id AND ${conditions(part)} ORDER BY id DESC LIMIT ${HEAD_ROWS})`,
  );
  const ids = parts.map(
    (part) =>
      sql`(SELECT id FROM ${from} WHERE account_id = account.id AND id >= page_end.id AND ${conditions(part)} ORDER BY id DESC
          LIMIT ${limit})`,
  );
  return sql`
    WITH head AS MATERIALIZED (
           SELECT account.id AS account_id, head.id FROM unnest(${accountIds}::text[]) AS account (id)
             CROSS JOIN LATERAL (${union(heads)}) AS head
           ORDER BY head.id DESC LIMIT ${limit}),
         page_end AS MATERIALIZED (SELECT CASE WHEN count(*) = ${limit} THEN min(id) ELSE '' END AS id FROM head),
         account AS MATERIALIZED (SELECT DISTINCT account_id AS id FROM head),
         page AS MATERIALIZED (
           SELECT listed.id FROM page_end CROSS JOIN account CROSS JOIN LATERAL (${union(ids)}) AS listed ORDER BY listed.id DESC
             LIMIT ${limit})
    ${page(sql`${from} WHERE id = ANY (ARRAY(SELECT page.id FROM page))`)}`;
}

/** A part for each value of a column that has one of them in every row. Literals, so that the planner knows them. */
export function partsBy(column: string, values: readonly string[]): Sql[] {
  return values.map((value) => sql`${raw(`${column} = '${value}'`)}`);
}

/** A condition if a value is given, and nothing else. */
export function given<Value>(value: Value | undefined, condition: (value: Value) => Sql): Sql[] {
  return value === undefined ? [] : [condition(value)];
}
