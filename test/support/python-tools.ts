import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Installs the pinned Python tools, and returns the folder of their programs. */
export function pythonTools(): string {
  return execFileSync(process.execPath, [join(__dirname, '..', '..', 'scripts', 'python-tools.mjs')], { encoding: 'utf8' }).trim();
}
