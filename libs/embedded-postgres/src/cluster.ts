/** The database directory, initialized atomically. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chooseSystemUser, ownerIds } from './system-user';

const INITDB_TIMEOUT_MS = 60_000;

/** A directory that `initdb` has filled, and its password. */
export interface Cluster {
  directory: string;
  password: string;
}

/** Opens the cluster under `dataDir`, or initializes it. Removes what an interrupted initialization left. */
export async function openCluster(options: { dataDir: string; initdb: string }): Promise<Cluster> {
  const directory = join(options.dataDir, 'postgres');
  const passwordFile = join(options.dataDir, 'postgres.password');
  if (!existsSync(join(directory, 'PG_VERSION'))) {
    mkdirSync(options.dataDir, { recursive: true, mode: 0o755 });
    await create({ ...options, directory, passwordFile });
  }
  return { directory, password: readFileSync(passwordFile, 'utf8').trim() };
}

async function create(options: { initdb: string; directory: string; passwordFile: string }): Promise<void> {
  const unfinished = `${options.directory}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  rmSync(options.passwordFile, { force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(options.passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  const ids = ownerIds(unfinished);
  if (ids) for (const path of [unfinished, options.passwordFile]) chownSync(path, ids.uid, ids.gid);
  await runInitdb({ ...options, directory: unfinished });
  renameSync(unfinished, options.directory);
}

function runInitdb(options: { initdb: string; directory: string; passwordFile: string }): Promise<void> {
  const user = chooseSystemUser({ directory: options.directory, binary: options.initdb });
  const [command = '', ...words] = [
    ...user.prefix,
    options.initdb,
    `--pgdata=${options.directory}`,
    '--username=postgres',
    `--pwfile=${options.passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    '--no-sync',
  ];
  return new Promise((resolve, reject) => {
    let output = '';
    const child = spawn(command, words, {
      ...user.ids,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: INITDB_TIMEOUT_MS,
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`initdb failed (${code ?? 'killed'}): ${output.slice(-2_000)}`));
    });
  });
}
