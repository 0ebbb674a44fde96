import { readFileSync, readdirSync } from 'node:fs';

/** The processes that name a directory on their command line or in their environment: a service and its children. */
export function processesIn(directory: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => ['cmdline', 'environ'].some((file) => textOf(`/proc/${pid}/${file}`).includes(directory)))
    .map(Number);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It ended meanwhile.
    return '';
  }
}
