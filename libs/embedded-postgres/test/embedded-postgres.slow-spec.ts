/** The embedded PostgreSQL keeps its data and its clients' access, however the process that started it ends. */
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { eventually } from '../../../test/support/eventually';
import { startEmbeddedPostgres } from '../src';

describe('the embedded PostgreSQL', () => {
  const root = mkdtempSync(join(tmpdir(), 'embedded-postgres-'));
  chmodSync(root, 0o755);
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('embedded PostgreSQL keeps its data after a stop and a start', async () => {
    const dataDir = join(root, 'kept');
    const first = await startEmbeddedPostgres({ dataDir });
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    const second = await startEmbeddedPostgres({ dataDir });
    expect(await query(second.url, 'SELECT answer, current_database() AS name FROM kept')).toEqual([
      { answer: 42, name: 'agent_payments' },
    ]);
    await second.stop();
  });

  it.each([
    ['over a Unix socket', join(root, 'a "quoted", name'), null],
    ['over TCP if the path of a socket would be too long', join(root, 'long'.repeat(20)), '127.0.0.1'],
  ])('embedded PostgreSQL is reached %s', async (_way, dataDir, address) => {
    const server = await startEmbeddedPostgres({ dataDir });
    expect(await query(server.socketUrl, 'SELECT inet_client_addr() AS address')).toEqual([{ address }]);
    await server.stop();
  });

  it('embedded PostgreSQL ends when its owner is killed, and the next start finds its data', async () => {
    const dataDir = join(root, 'kept');
    const url = await startInProcessAndKill(dataDir);
    await eventually(() => expect(query(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED'));
    const server = await startEmbeddedPostgres({ dataDir });
    expect(await query(server.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    await server.stop();
  });

  it('embedded PostgreSQL throws while another server’s owner is running', async () => {
    const dataDir = join(root, 'kept');
    const server = await startEmbeddedPostgres({ dataDir });
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(`in use by process ${process.pid}`);
    expect(await query(server.url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
    await server.stop();
  });

  it('embedded PostgreSQL initializes the database again after initdb was interrupted', async () => {
    const dataDir = join(root, 'unfinished');
    mkdirSync(join(dataDir, 'postgres.unfinished', 'base'), { recursive: true });
    writeFileSync(join(dataDir, 'postgres.password'), 'left over\n');
    const server = await startEmbeddedPostgres({ dataDir });
    expect(await query(server.url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
    await server.stop();
  });

  it('embedded PostgreSQL is waited for while it answers no connection', async () => {
    const dataDir = join(root, 'kept');
    const starting = startEmbeddedPostgres({ dataDir });
    const pid = await eventually(() => {
      const [line = ''] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
      expect(line).toMatch(/^\d+$/);
      return Number(line);
    });
    process.kill(pid, 'SIGSTOP');
    setTimeout(() => process.kill(pid, 'SIGCONT'), 7_000); // longer than one connection is tried
    const server = await starting;
    expect(await query(server.url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
    await server.stop();
  });

  it('embedded PostgreSQL rejects a wrong password', async () => {
    const server = await startEmbeddedPostgres({ dataDir: join(root, 'kept') });
    await expect(query(server.url.replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1')).rejects.toThrow('password');
    await server.stop();
  });

  const asRoot = process.getuid?.() === 0 && spawnSync('setpriv', ['--version']).status === 0 ? it : it.skip;
  asRoot('embedded PostgreSQL runs for root below a directory that is closed to other users', async () => {
    const closed = join(root, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const server = await startEmbeddedPostgres({ dataDir: join(closed, 'a', 'b') });
    expect(await query(server.url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
    await server.stop();
  });
});

/** Starts the server in another process and kills that process, so that the server outlives its owner. */
async function startInProcessAndKill(dataDir: string): Promise<string> {
  const library = join(__dirname, '../../../dist/libs/embedded-postgres/src/index.js');
  const script = `setInterval(() => {}, 1000); require(process.argv[1]).startEmbeddedPostgres({ dataDir: process.argv[2] }).then(({ url }) => process.send(url))`;
  const owner = fork('-e', [], { execArgv: ['-e', script, library, dataDir] });
  const [url] = (await once(owner, 'message')) as [string];
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  return url;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  // The server may end between the answer and the end of the connection: without a listener that is an uncaught exception.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
