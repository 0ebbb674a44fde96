import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Installs the pinned Python tools, and returns the folder of their programs. */
export function pythonTools(): string {
  return execFileSync(process.execPath, [join(__dirname, '..', '..', 'scripts', 'python-tools.mjs')], { encoding: 'utf8' }).trim();
}

/** Whether a package of the list is installed: some do not run on an older Python. */
export function hasPythonPackage(name: string): boolean {
  const script = `import importlib.metadata as metadata; metadata.version('${name}')`;
  return spawnSync(join(pythonTools(), 'python'), ['-c', script], { stdio: 'ignore' }).status === 0;
}
