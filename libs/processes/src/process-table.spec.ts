import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { findFreePort } from './free-port';
import { commandLine, isAlive, npmAncestors, parentOf, signalAndWait, startTimeOf, waitForExit } from './process-table';

const UNUSED_PID = 2 ** 22 + 1;

describe('process table', () => {
  const sleeper = () => spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', 'marker']);

  test('isAlive is true for a running process, false after its end and for an unused id', async () => {
    const child = sleeper();
    expect(isAlive(child.pid!)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isAlive(child.pid!)).toBe(false);
    expect(isAlive(UNUSED_PID)).toBe(false);
  });

  test('isAlive is false for a zombie', async () => {
    // A shell that starts a child and then becomes a program which never collects it.
    const shell = spawn('sh', ['-c', 'true & echo $!; exec sleep 1000']);
    const [line] = (await once(shell.stdout, 'data')) as [Buffer];
    expect(await waitForExit(Number(line.toString()), 10_000)).toBe(true);
    shell.kill('SIGKILL');
  });

  test('signalAndWait returns true once the process has ended, false if it ignores the signal', async () => {
    const deaf = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); console.log(1); setInterval(() => {}, 1000)"]);
    await once(deaf.stdout, 'data');
    expect(await signalAndWait(deaf.pid!, 'SIGTERM', 100)).toBe(false);
    expect(await signalAndWait(deaf.pid!, 'SIGKILL', 10_000)).toBe(true);
  });

  test('a process is described by its parent, command line and start time', async () => {
    const child = sleeper();
    await once(child, 'spawn');
    expect(parentOf(child.pid!)).toBe(process.pid);
    expect(commandLine(child.pid!)).toContain('marker');
    expect(startTimeOf(child.pid!)).toMatch(/./);
    expect(startTimeOf(child.pid!)).not.toBe(startTimeOf(process.pid));
    child.kill('SIGKILL');
  });

  test('npmAncestors starts with the parent of this process', () => expect(npmAncestors()[0]).toBe(process.ppid));

  test('findFreePort returns a port that can be bound', async () => {
    const server = createServer().listen(await findFreePort(), '127.0.0.1');
    await once(server, 'listening');
    server.close();
  });
});
