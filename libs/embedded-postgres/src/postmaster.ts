/** A running PostgreSQL server: its owner, and how to stop it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, isAlive, parentOf, signalAndWait } from '#processes';

const FAST_STOP_MS = 10_000;
/** Its processes end at once, but for those that wait for a slow disk. */
const IMMEDIATE_STOP_MS = 30_000;

/** A custom setting of the server, which puts the id of the process that started it on its command line. */
export const OWNER_SETTING = 'embedded_postgres.owner_pid';

/** Stops a server whose owner has exited. Throws if its owner is running. */
export async function stopOrphan(directory: string): Promise<void> {
  const pid = recordedPid(directory);
  if (pid === undefined || !isAlive(pid)) return;
  const command = commandLine(pid);
  if (!command.includes(directory)) return; // Another program has this process id now.
  const owner = Number(new RegExp(`${OWNER_SETTING}=(\\d+)`).exec(command)?.[1]);
  if (parentOf(pid) === owner) throw new Error(`PostgreSQL under ${directory} is in use by process ${owner}.`);
  await stopServer(pid);
}

/** Stops a server: rolls back open transactions at once, and after a time-out shuts down as in a crash. */
export async function stopServer(pid: number): Promise<void> {
  if (await signalAndWait(pid, 'SIGINT', FAST_STOP_MS)) return;
  if (await signalAndWait(pid, 'SIGQUIT', IMMEDIATE_STOP_MS)) return;
  throw new Error(`The PostgreSQL server ${pid} does not stop.`);
}

function recordedPid(directory: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined; // No such file: the server was shut down, or never ran.
  }
}
