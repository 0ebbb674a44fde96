import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The processes between npm and us, our parent first: npm itself, or a shell and then npm. */
export function npmAncestors(): number[] {
  const parent = describe(process.ppid);
  return parent !== undefined && /(^|\/)(ba|da|z|k|a)?sh$/.test(parent.name) ? [process.ppid, parent.parentId] : [process.ppid];
}

export function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // Somebody else's process lives too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A process's name and parent: from /proc on Linux, from ps on other Unixes, unknown elsewhere. */
function describe(id: number): { name: string; parentId: number } | undefined {
  try {
    const [name, parentId] = process.platform === 'linux' ? fromProc(id) : fromPs(id);
    return name !== undefined && Number.isInteger(Number(parentId)) ? { name, parentId: Number(parentId) } : undefined;
  } catch {
    return undefined;
  }
}

function fromProc(id: number): (string | undefined)[] {
  const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
  const end = stat.lastIndexOf(')');
  return [stat.slice(stat.indexOf('(') + 1, end), stat.slice(end + 2).split(' ')[1]];
}

function fromPs(id: number): (string | undefined)[] {
  const [, parentId, name] =
    /^\s*(\d+)\s+(.+?)\s*$/.exec(execFileSync('ps', ['-o', 'ppid=,comm=', '-p', String(id)], { encoding: 'utf8', timeout: 1_000 })) ?? [];
  return [name?.replace(/^-/, ''), parentId];
}
