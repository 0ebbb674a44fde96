/**
 * `npm run archive -- --before 2026-03 --to <folder>`: moves the months before one into files of a folder. `-- --restore <file>` writes the
 * newest of them back. `-- --verify <file>` says what a file holds. Prints a line of JSON for each file.
 */
import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module';
import { ArchiveService, type MovedMonth, readArchive } from '../archive';
import { takeEnvironment } from '../runtime/config-loader';
import { ServiceLogger } from '../runtime/observability/logger';
import { runningSettings } from '../sandbox';
import { MONTH_NAME } from '../statements';

const USAGE = 'Usage: npm run archive -- --before <year-month> --to <folder> | --restore <file> | --verify <file>';

async function run(): Promise<void> {
  const options = { before: { type: 'string' }, to: { type: 'string' }, restore: { type: 'string' }, verify: { type: 'string' } } as const;
  const { before, to, restore, verify } = parseArgs({ options }).values;
  if (verify !== undefined) print({ path: verify, ...(await readArchive(verify)) });
  else if (restore !== undefined) await withService(async (archive) => print(await archive.restore(restore)));
  else if (before !== undefined && to !== undefined && MONTH_NAME.test(before))
    await withService(async (archive) => {
      for await (const month of archive.archive(new Date(`${before}-01T00:00:00Z`), to)) print(month);
    });
  else throw new Error(USAGE);
}

async function withService(use: (archive: ArchiveService) => Promise<void>): Promise<void> {
  const config = runningSettings(await takeEnvironment());
  const app = await NestFactory.createApplicationContext(AppModule.for(config), { abortOnError: false, logger: new ServiceLogger('warn') });
  try {
    await use(app.get(ArchiveService));
  } finally {
    await app.close();
  }
}

function print({ path, month, archived_at, sha256, rows }: MovedMonth): void {
  console.log(JSON.stringify({ path, month, archived_at, sha256, rows }));
}

run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
