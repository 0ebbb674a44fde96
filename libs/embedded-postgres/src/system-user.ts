/** The user that PostgreSQL runs as: it refuses to run as root. */
import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** How to start a program as the user that PostgreSQL runs as. */
export interface SystemUser {
  /** Absent if this process is not root: the program then runs as the same user. */
  ids?: { uid: number; gid: number };
  /** Command and arguments to put before the program. */
  prefix: string[];
}

const NAME = 'postgres';

/**
 * Chooses the user: the owner of an existing database directory, else the user `postgres`, which is created if it does not
 * exist.
 *
 * Below a directory that is closed to others (a clone under /root) that user can read neither the programs nor the data. Instead
 * of opening the directory, the program is started by `setpriv` with the one capability that gives access.
 */
export function chooseSystemUser(options: { directory: string; binary: string }): SystemUser {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const ids = ownerOf(options.directory) ?? lookUp() ?? create();
  if (reaches(ids, options.binary) && reaches(ids, dirname(options.directory))) return { ids, prefix: [] };
  return { prefix: capableCommand(ids) };
}

/** The ids that must own PostgreSQL's files. */
export function ownerIds(directory: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return ownerOf(directory) ?? lookUp() ?? create();
}

function ownerOf(directory: string): { uid: number; gid: number } | undefined {
  const found = statSync(directory, { throwIfNoEntry: false });
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : undefined;
}

function lookUp(): { uid: number; gid: number } | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, NAME], { encoding: 'utf8' }));
  if (uid?.status !== 0 || gid?.status !== 0) return undefined;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

function create(): { uid: number; gid: number } {
  try {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', NAME]);
  } catch (cause) {
    throw new Error(`PostgreSQL cannot run as root, and no user "${NAME}" could be made: run as another user.`, {
      cause,
    });
  }
  const ids = lookUp();
  if (!ids) throw new Error(`The user "${NAME}" was made but cannot be found.`);
  return ids;
}

/** Whether the mode bits give this user access to a path and all its parents. */
function reaches(ids: { uid: number; gid: number }, path: string): boolean {
  for (let at = resolve(path); ; at = dirname(at)) {
    const { uid, gid, mode } = statSync(at);
    const executable = uid === ids.uid ? mode & 0o100 : gid === ids.gid ? mode & 0o010 : mode & 0o001;
    if (!executable) return false;
    if (at === dirname(at)) return true;
  }
}

function capableCommand(ids: { uid: number; gid: number }): string[] {
  const command = [
    'setpriv',
    `--reuid=${ids.uid}`,
    `--regid=${ids.gid}`,
    '--clear-groups',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    '--securebits=+no_setuid_fixup', // Without it access(2), by which PostgreSQL finds itself, ignores the capability.
  ];
  const [program = '', ...words] = command;
  if (spawnSync(program, [...words, 'true']).status === 0) return command;
  throw new Error(
    'PostgreSQL cannot run as root, and its user may not enter the directory of this project or of its data: ' +
      'set DATA_DIR to a directory open to others, run as another user, or set DATABASE_URL.',
  );
}
