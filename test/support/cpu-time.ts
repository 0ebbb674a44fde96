import { readFileSync } from 'node:fs';

/** The unit of the times in /proc/<pid>/stat on Linux, of which a second has 100. */
const TICK_MS = 10;

/** The CPU time that a process has used so far, in user and system mode, in milliseconds. @throws Error on other systems than Linux */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
