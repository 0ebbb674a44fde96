// Checks the Anchor program with rustfmt and clippy. Skips with a message on a machine without Rust.
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const steps = [
  ['fmt', '--check'],
  ['fmt', '--check', '--manifest-path', 'programs/agent-policy/fuzz/Cargo.toml'],
  ['clippy', '--all-targets', '--', '-D', 'warnings'],
];

if (spawnSync('cargo', ['--version'], { stdio: 'ignore' }).error) {
  console.log('cargo is not on the PATH: the program is not checked.');
} else {
  for (const args of steps) {
    const { status } = spawnSync('cargo', args, { cwd: root, stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  }
}
