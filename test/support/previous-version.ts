import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The version that a rolling upgrade starts from. Moved at each release, and where a change of the accounts' layout ends all older versions. */
const PREVIOUS_COMMIT = 'd990747922f4256d8e9ef1e0372f63e360adcb91';
const ROOT = join(__dirname, '..', '..');
const PROGRAM = join('libs', 'chain', 'program', 'agent_policy.so');

const run = promisify(execFile);

export interface PreviousVersion {
  /** Starts its server. */
  command: string[];
  /** Removes its directory. */
  remove: () => void;
}

/** Builds the previous version in a new directory, with this version's program, because an upgrade deploys the program first. */
export async function buildPreviousVersion(): Promise<PreviousVersion> {
  const directory = mkdtempSync(join(tmpdir(), 'aps-previous-'));
  const archive = join(directory, 'sources.tar');
  await run('git', ['archive', '--output', archive, PREVIOUS_COMMIT], { cwd: ROOT });
  await run('tar', ['-xf', archive, '-C', directory]);
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  await run(process.execPath, ['scripts/compile.mjs'], { cwd: directory });
  copyFileSync(join(ROOT, PROGRAM), join(directory, PROGRAM));
  return {
    command: [process.execPath, join(directory, 'dist', 'apps', 'api', 'src', 'bin', 'server.js')],
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
