// Installs the pinned Python tools of scripts/python-tools.txt into a virtual environment under node_modules/.cache, once for each list.
// Prints the folder of its programs. Needs Python with venv, 3.11 or newer: an older one gets the tools that run on it, and the suites of
// the stock MPP session seller are skipped there. Suites run at once and find it installed: the commands that run them install it first.
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const list = join(root, 'scripts', 'python-tools.txt');
const hash = createHash('sha256').update(readFileSync(list)).digest('hex').slice(0, 16);
const home = join(root, 'node_modules', '.cache', 'python', hash);

/** The folder of the programs, installed. @throws Error if Python is missing or a package cannot be installed. */
export function pythonTools() {
  const bin = join(home, 'bin');
  const stamp = join(home, 'installed');
  if (existsSync(stamp)) return bin;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(dirname(home), { recursive: true });
  run(newPython(), ['-m', 'venv', home]);
  // Python compiles what a suite imports, which is little of it.
  run(join(bin, 'python'), ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-compile', '--requirement', list]);
  writeFileSync(stamp, '');
  return bin;
}

/** The first Python here that all tools run on; `python3` if there is none. */
function newPython() {
  const isNew = (program) => spawnSync(program, ['-c', 'import sys, venv; sys.exit(sys.version_info < (3, 11))']).status === 0;
  return ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11'].find(isNew) ?? 'python3';
}

function run(program, args) {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 2, 2] });
  if (error || status !== 0) throw new Error(`${program} ${args[1]} failed: ${error?.message ?? `it ended with ${status}`}.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(pythonTools());
