import { DataSource } from 'typeorm';
import { migrations } from './migrations';

/** Any number, the same in every process: who holds this lock migrates. */
const MIGRATION_LOCK = 7_215_530_901;
const LOCK_WAIT = '120s';

/** Brings the schema up to date. Many processes may do so at once: one migrates, and the others wait and find it done. */
export async function migrate(url: string): Promise<void> {
  await locked(url, async (database) => {
    await database.runMigrations();
  });
}

/** Takes all migrations back, newest first: for tests, which thereby prove that each `down` is exact. */
export async function revertMigrations(url: string): Promise<void> {
  await locked(url, async (database) => {
    for (let index = 0; index < migrations.length; index++) await database.undoLastMigration();
  });
}

/** A connection of its own, without a statement time-out: a migration of a large table may take its time. */
async function locked(url: string, work: (database: DataSource) => Promise<void>): Promise<void> {
  const database = new DataSource({
    type: 'postgres',
    url,
    applicationName: 'migrations',
    poolSize: 2,
    migrations,
    migrationsTableName: 'migrations',
  });
  await database.initialize();
  try {
    // The lock belongs to this one session, so a process that dies frees it.
    const session = database.createQueryRunner();
    try {
      await session.query(`SET lock_timeout = '${LOCK_WAIT}'`);
      await session.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
      await work(database);
    } finally {
      await session.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
      await session.query('RESET lock_timeout');
      await session.release();
    }
  } finally {
    await database.destroy();
  }
}
