import { Transform } from 'class-transformer';
import { LessThan, type FindOperator } from 'typeorm';
import { firstIdAt, isId, type IdPrefix, type Sql, sql } from '#database';
import { Check, itself } from '../http/validation/checks';

/** One page of a list, newest first. */
export interface Page<T> {
  data: T[];
  /** Where the next page begins; null on the last one. */
  cursor: string | null;
  has_more: boolean;
}

/** The validated query of a list. `cursor` is decoded. */
export interface PageRequest {
  limit: number;
  /** The id that the previous page ended with. */
  cursor?: string;
}

/**
 * The base class of a list's query: `class ListKeysQuery extends pageQuery({ of: 'key' }) {}`.
 * Ids sort by age, so the id is the keyset, and rows that are added do not shift the pages.
 */
export function pageQuery({ of, size = 20, max = 100 }: { of: IdPrefix; size?: number; max?: number }): new () => PageRequest {
  return keysetQuery((key) => isId(of, key), { size, max });
}

/** As `pageQuery`, for rows that are listed by another key than an id. `isKey` recognizes the keys that the service puts into cursors. */
export function keysetQuery(isKey: (text: string) => boolean, { size = 20, max = 100 } = {}): new () => PageRequest {
  class PageQuery implements PageRequest {
    @Transform(({ value }: { value: unknown }) => (typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : value))
    @Check(
      (value) => (typeof value === 'number' && value >= 1 && value <= max ? [] : [itself(`must be a whole number from 1 to ${max}`)]),
      { type: 'integer', minimum: 1, maximum: max, default: size, description: 'The most entries of the page.' },
      { isOptional: true },
    )
    limit = size;

    @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? (decodeCursor(isKey, value) ?? NO_CURSOR) : value))
    @Check(
      (value) => (value === undefined || (typeof value === 'string' && isKey(value)) ? [] : [itself('is not a cursor of this list')]),
      { type: 'string', description: 'The `cursor` of the previous page. Omitted: the first page, which has the newest entries.' },
      { isOptional: true },
    )
    cursor?: string;
  }
  return PageQuery;
}

/** The value of an invalid cursor. It is not a key, so the check reports it. */
const NO_CURSOR = '';

/**
 * The `where`, `order` and `take` of a page, for a TypeORM find. It reads one row more than the limit, to see whether more follow.
 */
export function pageWindow(request: PageRequest): { where: { id?: FindOperator<string> }; order: { id: 'DESC' }; take: number } {
  return { where: request.cursor === undefined ? {} : { id: LessThan(request.cursor) }, order: { id: 'DESC' }, take: request.limit + 1 };
}

/** The moments between which a list's rows were created: after `since`, and until `until`, in ISO 8601. */
export interface TimeBounds {
  since?: string;
  until?: string;
}

/**
 * An id's time and its row's `created_at` differ by this much at most: they are read one after the other, and the ids of a process
 * never go back when its clock does.
 */
const ID_TIME_TOLERANCE_MS = 5 * 60_000;

/** The conditions of a page between two moments, on `id` and `created_at`. The ids bound the scan of the index, and `created_at` is exact. */
export function pageConditions(of: IdPrefix, { cursor, since, until }: Pick<PageRequest, 'cursor'> & TimeBounds): Sql[] {
  const [from, to] = [since, until].map((moment) => (moment === undefined ? undefined : new Date(moment)));
  return [
    ...(cursor === undefined ? [] : [sql`id < ${cursor}`]),
    ...(from ? [sql`id >= ${firstIdAt(of, new Date(from.getTime() - ID_TIME_TOLERANCE_MS))} AND created_at > ${from}`] : []),
    ...(to ? [sql`id < ${firstIdAt(of, new Date(to.getTime() + ID_TIME_TOLERANCE_MS))} AND created_at <= ${to}`] : []),
  ];
}

/** Builds a page from the rows that were read with `pageWindow`. */
export function toPage<Row extends { id: string }, View>(rows: Row[], request: PageRequest, view: (row: Row) => View): Page<View> {
  const shown = rows.slice(0, request.limit);
  const last = shown.at(-1);
  const hasMore = rows.length > request.limit && last !== undefined;
  return { data: shown.map(view), cursor: hasMore ? encodeCursor(last.id) : null, has_more: hasMore };
}

export function encodeCursor(id: string): string {
  return Buffer.from(id).toString('base64url');
}

/** The key in a cursor, or undefined if the service has issued no such cursor for this kind of list. */
function decodeCursor(isKey: (text: string) => boolean, cursor: string): string | undefined {
  const key = Buffer.from(cursor, 'base64url').toString();
  return isKey(key) && encodeCursor(key) === cursor ? key : undefined;
}
