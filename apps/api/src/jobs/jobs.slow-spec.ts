import { setTimeout as delay } from 'node:timers/promises';
import { Global, Logger, Module, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { getQueueToken } from '@nestjs/bullmq';
import type { Queue } from 'bullmq';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database';
import { EndingPostgres } from '../../../../test/support/ending-postgres';
import { eventually } from '../../../../test/support/eventually';
import { Chain, ChainUnavailableError } from '#chain';
import { Config } from '../runtime/config';
import { JOBS_QUEUE, JobsProcessor } from './jobs.processor';
import { JobsService, type RecurringJob } from './jobs.service';
import { Metrics } from '../runtime/observability/metrics';
import { WorkerModule } from './worker.module';

let database: TestDatabase;
const workers: TestingModule[] = [];
beforeEach(async () => void (database = await createTestDatabase()));
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
  await database.drop();
});

@Global()
@Module({ providers: [Metrics], exports: [Metrics] })
class MetricsModule {}

async function startWorker(jobs: RecurringJob[], imports: Type[] = [], databaseUrl = database.url): Promise<TestingModule> {
  const config = Object.assign(new Config(), { DATABASE_URL: databaseUrl });
  const worker = await Test.createTestingModule({ imports: [MetricsModule, WorkerModule.for(config), ...imports] }).compile();
  worker.useLogger(false);
  for (const job of jobs) worker.get(JobsService).register(job);
  workers.push(worker);
  return worker.init();
}

test('the shutdown after a start that failed before the workers passes', async () => {
  const config = Object.assign(new Config(), { DATABASE_URL: database.url });
  const worker = await Test.createTestingModule({ imports: [MetricsModule, WorkerModule.for(config)] }).compile();
  await expect(worker.get(JobsProcessor, { strict: false }).beforeApplicationShutdown()).resolves.toBeUndefined();
  await worker.close();
});

test('a recurring job runs again and again, also after it failed', async () => {
  let runs = 0;
  await startWorker([
    {
      name: 'counting',
      everyMs: 100,
      run: async () => {
        if (++runs % 2) throw new Error('odd');
      },
    },
  ]);
  await eventually(() => expect(runs).toBeGreaterThan(5));
});

test('jobs that cannot reach the chain log one warning when it becomes unavailable and one when it is available again', async () => {
  let [runs, isDown] = [0, true];
  @Global()
  @Module({ providers: [{ provide: Chain, useValue: { isReachable: async () => !isDown } }], exports: [Chain] })
  class ChainModule {}
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  const error = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  const run = async (): Promise<void> => {
    runs++;
    if (isDown) throw new ChainUnavailableError('no node answers');
  };
  await startWorker(
    [
      { name: 'one', everyMs: 50, run },
      { name: 'two', everyMs: 50, run },
    ],
    [ChainModule],
  );
  await eventually(() => expect(runs).toBeGreaterThan(10));
  isDown = false;
  await eventually(() => expect(warn).toHaveBeenCalledWith('The chain is available again.'), { timeoutMs: 60_000 });
  expect(warn.mock.calls).toEqual([
    ['Background work waits for the chain: the chain is unavailable: no node answers'],
    ['The chain is available again.'],
  ]);
  expect(error).not.toHaveBeenCalled();
  jest.restoreAllMocks();
}, 90_000);

test('three workers share one scheduler and leave no jobs in the queue', async () => {
  let runs = 0;
  const job = { name: 'shared', everyMs: 200, run: async () => void runs++ };
  const [first] = await Promise.all([1, 2, 3].map(() => startWorker([job])));
  await eventually(() => expect(runs).toBeGreaterThan(0));
  runs = 0;
  const began = performance.now();
  await eventually(() => expect(runs).toBeGreaterThanOrEqual(8));
  // With a scheduler each there would be three times as many.
  expect(runs).toBeLessThanOrEqual((performance.now() - began) / job.everyMs + 2);
  const queue = first?.get<Queue>(getQueueToken(JOBS_QUEUE), { strict: false });
  const { waiting, completed, failed } = (await queue?.getJobCounts('waiting', 'completed', 'failed')) ?? {};
  expect({ waiting, completed, failed }).toEqual({ waiting: 0, completed: 0, failed: 0 });
});

test('a job that takes longer than its period does not run twice at once', async () => {
  let [atOnce, most, runs] = [0, 0, 0];
  await startWorker([
    {
      name: 'slow',
      everyMs: 50,
      run: async () => {
        most = Math.max(most, ++atOnce);
        await delay(300);
        atOnce--;
        runs++;
      },
    },
  ]);
  await eventually(() => expect(runs).toBeGreaterThan(2));
  expect(most).toBe(1);
});

test('a job runs again and again beside one of the same period that hangs', async () => {
  let runs = 0;
  const hanging = { name: 'hanging', everyMs: 50, run: () => delay(2_000) };
  await startWorker([hanging, { name: 'quick', everyMs: 50, run: async () => void runs++ }]);
  await eventually(() => expect(runs).toBeGreaterThan(5));
});

test('the scheduler that an earlier version had for each job is removed', async () => {
  const worker = await startWorker([{ name: 'renamed', everyMs: 100, run: async () => undefined }]);
  const queue = worker.get<Queue>(getQueueToken(JOBS_QUEUE), { strict: false });
  await queue.upsertJobScheduler('renamed', { every: 100 }, { name: 'renamed' });
  await eventually(async () => expect((await queue.getJobSchedulers()).map(({ key }) => key)).toEqual(['every-100-ms']));
});

test('a job runs again after the queue has lost its scheduler', async () => {
  let runs = 0;
  await startWorker([{ name: 'lost', everyMs: 100, run: async () => void runs++ }]);
  await eventually(() => expect(runs).toBeGreaterThan(0));
  await emptyQueue();
  await delay(500);
  const before = runs;
  await eventually(() => expect(runs).toBeGreaterThan(before + 2), { timeoutMs: 20_000 });
});

test('a worker whose new connections PostgreSQL ends as soon as they are ready runs its jobs again afterwards', async () => {
  const postgres = await EndingPostgres.start(database.url);
  let runs = 0;
  await startWorker([{ name: 'cut', everyMs: 100, run: async () => void runs++ }], [], postgres.url);
  await eventually(() => expect(runs).toBeGreaterThan(0));
  postgres.isEnding = true;
  await endConnections();
  await eventually(() => expect(postgres.ended).toBeGreaterThan(3));
  postgres.isEnding = false;
  runs = 0;
  await eventually(() => expect(runs).toBeGreaterThan(2), { timeoutMs: 60_000 });
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
  await postgres.stop();
}, 90_000);

test('an idle worker uses less than a tenth of a processor', async () => {
  await startWorker([{ name: 'idle', everyMs: 2_000, run: async () => undefined }]);
  await delay(500);
  const before = process.cpuUsage();
  await delay(3_000);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 3_000_000).toBeLessThan(0.1);
});

test('a worker that is closed waits for its running job', async () => {
  let [isBegun, isEnded] = [false, false];
  const worker = await startWorker([
    {
      name: 'ending',
      everyMs: 100,
      run: async () => {
        isBegun = true;
        await delay(400);
        isEnded = true;
      },
    },
  ]);
  await eventually(() => expect(isBegun).toBe(true));
  await worker.close();
  expect(isEnded).toBe(true);
  workers.length = 0;
});

/** Ends all connections to the database. */
async function endConnections(): Promise<void> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await client.end();
}

/** As FLUSHALL empties a Redis. */
async function emptyQueue(): Promise<void> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ tablename: string }>(
    `SELECT tablename FROM pg_tables WHERE schemaname = 'bullmq' AND tablename NOT LIKE '%migration%'`,
  );
  for (const { tablename } of rows) await client.query(`TRUNCATE bullmq."${tablename}" CASCADE`);
  await client.end();
}
