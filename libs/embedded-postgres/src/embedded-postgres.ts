/** Starts and stops the embedded PostgreSQL. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { findFreePort } from '#processes';
import { findPostgresBinaries } from './binaries';
import { openCluster, type Cluster } from './cluster';
import { OWNER_SETTING, stopOrphan, stopServer } from './postmaster';
import { chooseSystemUser } from './system-user';

const DATABASE = 'agent_payments';
const START_TIMEOUT_MS = 60_000;
const START_ATTEMPTS = 3;
const POLL_MS = 20;
/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const CANNOT_CONNECT_NOW = '57P03';
/** The name of a socket file, before its port: https://www.postgresql.org/docs/current/runtime-config-connection.html */
const SOCKET_PREFIX = '.s.PGSQL.';
/** The longest path of a socket in bytes: `sun_path` has 104 on macOS with its last zero, and 108 on Linux. */
const MAX_SOCKET_PATH = 103;

/** Settings of a small server for development on one machine: loopback only. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  max_connections: '100',
  shared_buffers: '64MB',
  io_method: 'sync',
  jit: 'off',
  // Run ANALYZE early: without statistics the planner chooses sequential scans.
  autovacuum_naptime: '10s',
  // Run it again when half of a table has changed. By default a tenth is enough, which a new database reaches every few seconds; and after
  // each ANALYZE every connection plans its statements again.
  autovacuum_analyze_scale_factor: '0.5',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
};

interface Server {
  child: ChildProcess;
  port: number;
  logFile: string;
}

/** A running server. */
export interface EmbeddedPostgres {
  /** The URL of its database over TCP. */
  url: string;
  /** The URL over a Unix socket, on which a statement costs less; that over TCP if the path of a socket in the cluster would be too long. */
  socketUrl: string;
  stop(): Promise<void>;
}

/** Starts PostgreSQL under `dataDir`/postgres, and initializes it the first time. The default port is a free loopback port. */
export async function startEmbeddedPostgres(options: { dataDir: string; port?: number }): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const binaries = findPostgresBinaries();
  await stopOrphan(join(dataDir, 'postgres'));
  const cluster = await openCluster({ dataDir, initdb: binaries.initdb });
  removeSockets(cluster);
  const server = await startServer({ dataDir, cluster, binary: binaries.postgres, port: options.port });
  const endWithUs = () => void server.child.kill('SIGINT');
  process.once('exit', endWithUs);
  const guardian = startGuardian(server.child);
  const database = { cluster, port: server.port, database: DATABASE };
  return {
    url: urlOf(database),
    socketUrl: hasSocket(cluster) ? urlOf({ ...database, host: encodeURIComponent(cluster.directory) }) : urlOf(database),
    stop: async () => {
      process.removeListener('exit', endWithUs);
      if (isRunning(server.child)) await stopServer(server.child.pid!);
      guardian.kill();
    },
  };
}

/** Sends SIGINT to the server when the pipe to this process closes: when this process has ended, however it did. */
const GUARDIAN = `process.stdin.on('end', () => { try { process.kill(Number(process.argv[1]), 'SIGINT'); } catch {} }).resume();`;

/** Starts a process that stops the server when this process is killed. It ends with the server. */
function startGuardian(server: ChildProcess): ChildProcess {
  const guardian = spawn(process.execPath, ['-e', GUARDIAN, String(server.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  });
  guardian.on('error', () => undefined); // Without a guardian the next start stops the server.
  guardian.unref();
  (guardian.stdin as Socket | null)?.unref();
  // If the server has ended, its process id may become another's.
  server.once('exit', () => guardian.kill('SIGKILL'));
  return guardian;
}

/** Whether the server has a socket, which is in the directory of its cluster. */
function hasSocket({ directory }: Cluster): boolean {
  return Buffer.byteLength(join(directory, `${SOCKET_PREFIX}65535`)) <= MAX_SOCKET_PATH;
}

/** Removes the sockets that killed servers left. */
function removeSockets({ directory }: Cluster): void {
  for (const name of readdirSync(directory)) if (name.startsWith(SOCKET_PREFIX)) rmSync(join(directory, name), { force: true });
}

/** Retries with another port if another process binds it first. */
async function startServer(options: { dataDir: string; cluster: Cluster; binary: string; port?: number }): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const server = spawnServer({ ...options, port: options.port ?? (await findFreePort()) });
    try {
      await createDatabase({ server, cluster: options.cluster });
      return server;
    } catch (cause) {
      if (isRunning(server.child)) await stopServer(server.child.pid!);
      const log = readFileSync(server.logFile, 'utf8').slice(-2_000);
      if (attempt < START_ATTEMPTS && log.includes('could not bind')) continue;
      throw new Error(`PostgreSQL did not start: ${log || String(cause)}`, { cause });
    }
  }
}

function spawnServer(options: { dataDir: string; cluster: Cluster; binary: string; port: number }): Server {
  const { directory } = options.cluster;
  const user = chooseSystemUser({ directory, binary: options.binary });
  const settings = {
    ...SETTINGS,
    port: String(options.port),
    unix_socket_directories: hasSocket(options.cluster) ? `"${directory.replaceAll('"', '""')}"` : '',
    [OWNER_SETTING]: String(process.pid),
  };
  const [command = '', ...words] = [
    ...user.prefix,
    options.binary,
    '-D',
    directory,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const logFile = join(options.dataDir, 'postgres.log');
  const log = openSync(logFile, 'w', 0o600);
  // In its own process group: Ctrl-C in the terminal is for this process, which stops the database last.
  const child = spawn(command, words, {
    ...user.ids,
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  });
  child.on('error', () => undefined); // isRunning reports it.
  child.unref();
  closeSync(log);
  return { child, port: options.port, logFile };
}

async function createDatabase(options: { server: Server; cluster: Cluster }): Promise<void> {
  const client = await connectWhenReady(options);
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

async function connectWhenReady(options: { server: Server; cluster: Cluster }): Promise<Client> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  const connectionString = urlOf({ cluster: options.cluster, port: options.server.port, database: 'postgres' });
  for (;;) {
    const client = new Client({ connectionString, connectionTimeoutMillis: 5_000 });
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (!isRunning(options.server.child) || !isStarting(error) || Date.now() > deadline) throw error;
      await delay(POLL_MS);
    }
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

/** Whether a connection failed because the server does not accept any yet: refused, cut, timed out on a slow machine, or told to wait. */
function isStarting(error: unknown): boolean {
  return !(error instanceof DatabaseError) || error.code === CANNOT_CONNECT_NOW;
}

function urlOf(options: { cluster: Cluster; port: number; database: string; host?: string }): string {
  const { cluster, port, database, host = '127.0.0.1' } = options;
  return `postgresql://postgres:${cluster.password}@${host}:${port}/${database}`;
}
