/** Measurements of a benchmark beside its own times: CPU of processes, counters of PostgreSQL, and a CPU profile. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const { Client } = require('pg');

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Parent, command line and CPU ticks of a process, with those of its children that have ended; undefined if it has ended itself. */
function processOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, one) => sum + Number(one), 0);
    return { pid, parent: Number(fields[1]), ticks, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8') };
  } catch {
    return undefined;
  }
}

/** The processes that a process has started, and those that they have. */
function descendants(root) {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .map(processOf)
    .filter(Boolean);
  const below = (parent) => all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)]);
  return below(root);
}

/** CPU milliseconds that the processes of a service have used: its own, PostgreSQL's and the chain's. `chainPid`: a chain that it did not start. */
export function cpuOf(servicePid, chainPid) {
  const started = descendants(servicePid);
  const isDatabase = ({ command }) => command.includes('postgres');
  const isChain = ({ pid, command }) => pid === chainPid || command.includes('litesvm-rpc');
  const chain = chainPid === undefined ? started.filter(isChain) : [processOf(chainPid)];
  return { api: cpuOfOne(servicePid), database: cpuMs(started.filter(isDatabase)), chain: cpuMs(chain) };
}

/** CPU milliseconds that one process has used. */
export function cpuOfOne(pid) {
  return cpuMs([processOf(pid)]);
}

/** CPU milliseconds of processes. */
function cpuMs(processes) {
  return (processes.reduce((ticks, one) => ticks + one.ticks, 0) * 1_000) / TICKS_PER_SECOND;
}

/** CPU milliseconds of this process. */
export function ownCpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * The counters of a database: commits, flushes of the write-ahead log to the disk, changed rows, bytes of write-ahead log, and the size of
 * tables and indexes.
 */
export async function databaseCounters(url) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    // Sessions report their counters at most once a second, and when they are idle.
    await client.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await client.query(
      `SELECT xact_commit AS commits, tup_inserted AS inserted, tup_updated AS updated, tup_fetched AS fetched,
              pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal, pg_database_size(datname) AS size,
              (SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal') AS flushes, (SELECT wal_fpi FROM pg_stat_wal) AS images,
              (SELECT sum(n_tup_hot_upd) FROM pg_stat_user_tables) AS hot
       FROM pg_stat_database WHERE datname = current_database()`,
    );
    return Object.fromEntries(Object.entries(rows[0]).map(([name, value]) => [name, Number(value)]));
  } finally {
    await client.end();
  }
}

/** The functions with the greatest own time in a profile of `node --cpu-prof`, as shares of the time that the process was active. */
export function profileLines(directory, count = 15) {
  const [file] = readdirSync(directory).filter((name) => name.endsWith('.cpuprofile'));
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(directory, file), 'utf8'));
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const own = new Map();
  let active = 0;
  samples.forEach((id, index) => {
    const { functionName, url, lineNumber } = frames.get(id);
    if (functionName === '(idle)' || functionName === '(program)') return;
    const place = url.includes('/node_modules/') ? url.replace(/^.*\/node_modules\//, '') : url.replace(/^.*\/dist\//, 'dist/');
    const name = `${functionName || '(anonymous)'} ${place}${place ? `:${lineNumber + 1}` : ''}`;
    active += timeDeltas[index];
    own.set(name, (own.get(name) ?? 0) + timeDeltas[index]);
  });
  const packageOf = (name) => /^\S+ ((?:@[^/]+\/)?[^/:]+)/.exec(name)?.[1] ?? '(engine)';
  const packages = new Map();
  for (const [name, time] of own) packages.set(packageOf(name), (packages.get(packageOf(name)) ?? 0) + time);
  const largest = (shares) =>
    [...shares]
      .sort((one, other) => other[1] - one[1])
      .slice(0, count)
      .map(([name, time]) => `${((100 * time) / active).toFixed(1)} %  ${name}`);
  return { functions: largest(own), packages: largest(packages) };
}
