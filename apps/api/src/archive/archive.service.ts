import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { access, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DataSource, type EntityManager } from 'typeorm';
import { type Row, sql } from '#database';
import { ArchivedMonths, LedgerSums, monthOf, SumsComparison } from '../ledger';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { nameOf } from '../statements';
import { type ArchiveContent, readArchive, writeArchive } from './archive-file';
import { noteTransactions, pickedRows, pickRows, removePicked, run, writeRows } from './archived-rows';

/** How long ago a month has ended before it is archived: longer than the limits of 30 days, and than a session lasts. */
const MIN_AGE_DAYS = 90;
const DAY_MS = 86_400_000;
/** Accounts that are compared at once. */
const PAGE = 1_000;
/** How often a month is tried while its sums are behind, or its rows change. */
const MAX_ATTEMPTS = 100;
/** SQLSTATE of a statement that met a row which changed after the snapshot of its transaction. */
const SERIALIZATION_FAILURE = '40001';

/** A month that was archived, or restored. */
export interface MovedMonth extends ArchiveContent {
  path: string;
}

/** A month that cannot be archived or restored now. Nothing was changed. */
class ArchiveRefused extends Error {}

/**
 * Moves what ended in old months into files, a month a transaction: the file is whole and on the disk before the rows are deleted. Sums,
 * accounts, policies and the newest entry of each audit log stay. An order stays as long as something that stays belongs to it. A file that
 * no month names is left by an attempt that ended before its transaction.
 */
@Injectable()
export class ArchiveService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly sums: LedgerSums,
    private readonly comparison: SumsComparison,
    private readonly archived: ArchivedMonths,
  ) {}

  /**
   * Archives every month before one, oldest first, each into a file of the folder. Yields what was archived.
   * @throws ArchiveRefused for a month that ended less than 90 days ago, or whose sums are not those of its records
   */
  async *archive(before: Date, folder: string): AsyncGenerator<MovedMonth> {
    const kept = Math.max(MIN_AGE_DAYS * DAY_MS, this.config.IDEMPOTENCY_TTL_SECONDS * 1000);
    if (before.getTime() > this.clock.now().getTime() - kept)
      throw new ArchiveRefused(`A month is archived ${kept / DAY_MS} days after its end at the earliest.`);
    await mkdir(folder, { recursive: true });
    for (;;) {
      const month = await this.oldest();
      if (month === undefined || month >= before) return;
      yield await this.archiveMonth(month, await freePath(folder, `aps-${nameOf(month)}`));
    }
  }

  /**
   * Writes the rows of the newest archived month back into the database.
   * @throws ArchiveRefused for another month or file; BrokenArchive for a file that is not whole
   */
  async restore(path: string): Promise<MovedMonth> {
    const content = await readArchive(path);
    const newest = await this.archived.newest();
    if (!newest) throw new ArchiveRefused('No month is archived.');
    if (nameOf(newest.month) !== content.month)
      throw new ArchiveRefused(`${nameOf(newest.month)} must be restored first, from ${newest.file}: ${path} has ${content.month}.`);
    if (newest.sha256 !== content.sha256)
      throw new ArchiveRefused(`${path} is not the file that was archived: its SHA-256 is ${content.sha256}, not ${newest.sha256}.`);
    const end = monthOf(newest.month, 1);
    await this.whileSummed(end, async (manager) => {
      await run(manager, sql`DELETE FROM archived_transactions WHERE month = ${newest.month}`);
      const { rowCount } = await run(manager, sql`DELETE FROM archived_months WHERE month = ${newest.month}`);
      if (rowCount !== 1) throw new ArchiveRefused(`${content.month} is being restored already.`);
      await writeRows(manager, path);
    });
    return { ...content, path };
  }

  /** The next month to archive: the oldest with rows, or the one after the archived months if rows of theirs stayed. */
  private async oldest(): Promise<Date | undefined> {
    const end = await this.archived.end();
    const [row]: Row[] = await this.database.query(
      `SELECT min(at) AS at FROM (SELECT min(created_at) AS at FROM ledger_entries UNION ALL SELECT min(final_at) FROM orders
         UNION ALL SELECT min(final_at) FROM payments) AS first`,
    );
    const first = row?.at instanceof Date ? monthOf(row.at) : undefined;
    return first && end && first < end ? end : first;
  }

  private async archiveMonth(month: Date, path: string): Promise<MovedMonth> {
    const end = monthOf(month, 1);
    return this.whileSummed(end, async (manager) => {
      await this.compare(manager, month, end);
      await pickRows(manager, end);
      const head = { month: nameOf(month), archived_at: this.clock.now().toISOString() };
      const content = await writeArchive(path, head, pickedRows(manager));
      const total = Object.values(content.rows).reduce((sum, count) => sum + count, 0);
      await run(
        manager,
        sql`INSERT INTO archived_months (month, file, sha256, rows, archived_at)
            VALUES (${month}, ${basename(path)}, ${content.sha256}, ${total}, ${head.archived_at})`,
      );
      await noteTransactions(manager, month);
      await removePicked(manager);
      return { ...content, path };
    });
  }

  /**
   * Runs steps in one transaction on one snapshot, again if a row changed meanwhile. What the steps delete or insert before `end` is in the
   * sums and stays there: the notes of it are removed.
   */
  private async whileSummed<T>(end: Date, steps: (manager: EntityManager) => Promise<T>): Promise<T> {
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
      await this.sums.fold();
      const transaction = this.database.transaction('REPEATABLE READ', async (manager) => {
        await run(manager, sql`SELECT pg_advisory_xact_lock(hashtext('archive'))`);
        const { rows } = await run(manager, sql`SELECT 1 FROM unsummed_ledger_entries WHERE created_at < ${end} LIMIT 1`);
        if (rows.length > 0) return undefined;
        const moved = await steps(manager);
        await run(manager, sql`DELETE FROM unsummed_ledger_entries WHERE created_at < ${end}`);
        return { moved };
      });
      const result = await transaction.catch((error: unknown) => {
        if (isChangedMeanwhile(error)) return undefined;
        throw error;
      });
      if (result) return result.moved;
    }
    throw new ArchiveRefused('The sums of the ledger are not up to date, or old rows change all the time. Try again later.');
  }

  /** @throws ArchiveRefused if the sums of a month are not those of its records, so that they could not be made again */
  private async compare(manager: EntityManager, from: Date, to: Date): Promise<void> {
    const { rows } = await run(
      manager,
      sql`SELECT DISTINCT account_id FROM ledger_entries WHERE created_at >= ${from} AND created_at < ${to}`,
    );
    const accounts = rows.map(({ account_id }) => String(account_id));
    for (let first = 0; first < accounts.length; first += PAGE) {
      const [wrong] = await this.comparison.wrong(accounts.slice(first, first + PAGE), { from, to });
      if (wrong !== undefined)
        throw new ArchiveRefused(
          `The sums of ${wrong} in ${nameOf(from)} are not those of its records. npm run reconcile shows where they differ.`,
        );
    }
  }
}

function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === SERIALIZATION_FAILURE;
}

/** A path at which no file is, so that none is ever overwritten: one of an attempt that failed, or of another database. */
async function freePath(folder: string, name: string): Promise<string> {
  for (let count = 1; ; count++) {
    const path = join(folder, `${name}${count === 1 ? '' : `.${count}`}.jsonl.gz`);
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (!isThere) return path;
  }
}
