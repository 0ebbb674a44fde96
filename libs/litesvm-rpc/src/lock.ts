/** One process at a time writes a chain directory. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, endsAfter, isAlive, parentOf } from '#processes';

const ORPHAN_ENDS_MS = 5_000;
const KILLED_ENDS_MS = 5_000;

interface Holder {
  pid: number;
  owner: number;
}

/**
 * Takes the directory for this process. A server whose owner has died is on its way out, and is waited for; one whose
 * owner lives keeps the directory, and this throws.
 */
export async function takeLock(directory: string): Promise<() => void> {
  const file = join(directory, 'lock.json');
  const holder = holderOf(file);
  if (holder && holder.pid !== process.pid && isAlive(holder.pid) && commandLine(holder.pid).includes(directory)) {
    if (parentOf(holder.pid) === holder.owner) {
      throw new Error(`The chain under ${directory} is in use by process ${holder.owner}.`);
    }
    const ended = (await endsAfter(holder.pid, 0, ORPHAN_ENDS_MS)) || (await endsAfter(holder.pid, 'SIGKILL', KILLED_ENDS_MS));
    if (!ended) throw new Error(`The chain server ${holder.pid} does not stop.`);
  }
  writeFileSync(file, JSON.stringify({ pid: process.pid, owner: process.ppid } satisfies Holder));
  return () => rmSync(file, { force: true });
}

function holderOf(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch {
    return undefined; // None, or cut short by the end of a process that never came to write.
  }
}
