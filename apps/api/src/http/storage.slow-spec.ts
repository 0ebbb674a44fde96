import { Client } from 'pg';
import type { QueryRunner } from 'typeorm';
import { startApp, type TestApp } from '../../../../test/support/app';

let service: TestApp;
beforeAll(async () => void (service = await startApp()));
afterAll(() => service.close());

async function onServer(work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: process.env.TEST_DATABASE_URL });
  await client.connect();
  await work(client).finally(() => client.end());
}

const name = (): string => new URL(service.config.DATABASE_URL).pathname.slice(1);
const endSessions = (client: Client) => client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name()]);

test('requests and GET /ready are 503 while the database is unavailable, and the pool reconnects', async () => {
  await onServer(async (client) => {
    await endSessions(client);
    await client.query(`ALTER DATABASE ${name()} RENAME TO ${name()}_away`);
  });
  for (const [method, path, body] of [
    ['get', '/v1/api_keys', undefined],
    ['post', '/v1/webhooks', { url: 'https://example.com/' }],
  ] as const) {
    const answer = await service.send(method, path).send(body).expect(503);
    expect([answer.body.error, answer.headers['retry-after']]).toEqual(['storage_unavailable', '2']);
    expect(answer.body.message).toContain('The database is not available right now.');
  }
  expect((await service.send('get', '/ready', null).expect(503)).body).toMatchObject({ status: 'unavailable', database: 'down' });
  await service.send('get', '/health', null).expect(200);

  await onServer((client) => client.query(`ALTER DATABASE ${name()}_away RENAME TO ${name()}`));
  await service.send('get', '/v1/api_keys').expect(200);
  expect((await service.send('get', '/ready', null).expect(200)).body.database).toBe('up');
});

test('a request whose database connection is terminated does not crash the process, and the next one succeeds', async () => {
  await service.send('get', '/v1/api_keys').expect(200);
  await onServer(endSessions);
  await service.send('get', '/health', null).expect(200);
  expect([200, 503]).toContain((await service.send('get', '/v1/api_keys')).status);
  await service.send('get', '/v1/api_keys').expect(200);
});

test('a burst of requests that exhausts the connection pool is answered by 503 with Retry-After, and the next request succeeds', async () => {
  const runners: QueryRunner[] = Array.from({ length: service.database.options.poolSize ?? 0 }, () => service.database.createQueryRunner());
  await Promise.all(runners.map((runner) => runner.connect()));
  const routes = [
    ['get', '/v1/api_keys', undefined],
    ['get', '/v1/events', undefined],
    ['get', '/v1/audit_log', undefined],
    ['get', '/dashboard/data/overview', undefined],
    ['post', '/v1/webhooks', { url: 'https://example.com/' }],
    ['post', '/v1/api_keys', { type: 'operator' }],
  ] as const;
  const burst = Array.from({ length: 50 }, () => routes.map(([method, path, body]) => service.send(method, path).send(body))).flat();
  const answers = await Promise.all(burst);
  expect(new Set(answers.map(({ status, body, headers }) => `${status} ${body.error} ${headers['retry-after']}`))).toEqual(
    new Set(['503 storage_unavailable 2']),
  );
  await Promise.all(runners.map((runner) => runner.release()));
  await service.send('get', '/v1/api_keys').expect(200);
});
