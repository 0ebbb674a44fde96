import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acquireFileLock, LockHeldError, type LockHolder } from './file-lock';
import { signalAndWait, startTimeOf } from './process-table';

describe('acquireFileLock', () => {
  const directory = mkdtempSync(join(tmpdir(), 'file-lock-'));
  const children: ChildProcess[] = [];
  let file: string;
  let tests = 0;

  beforeEach(() => (file = join(directory, `lock-${++tests}`)));
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });

  /** A child process that holds nothing but is written into the lock file as its holder. */
  async function holder(overrides: Partial<LockHolder> = {}): Promise<number> {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    children.push(child);
    await once(child, 'spawn');
    const pid = child.pid!;
    writeFileSync(file, JSON.stringify({ pid, parent: process.pid, began: startTimeOf(pid), id: 'other', ...overrides }));
    return pid;
  }
  const holderInFile = (): LockHolder => JSON.parse(readFileSync(file, 'utf8')) as LockHolder;

  test('records this process in the file and removes the file on release', async () => {
    const release = await acquireFileLock(file);
    expect(holderInFile()).toMatchObject({ pid: process.pid, parent: process.ppid, began: startTimeOf(process.pid) });
    release();
    expect(existsSync(file)).toBe(false);
  });

  test('throws LockHeldError with the holder while a running process holds the lock', async () => {
    const pid = await holder();
    const error = await acquireFileLock(file).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LockHeldError);
    expect((error as LockHeldError).holder).toMatchObject({ pid, parent: process.pid, id: 'other' });
  });

  test('is not reentrant: a second acquisition by the holding process throws', async () => {
    const release = await acquireFileLock(file);
    await expect(acquireFileLock(file)).rejects.toBeInstanceOf(LockHeldError);
    release();
  });

  test('waits for the holder to exit, within waitMs', async () => {
    const pid = await holder();
    const acquired = acquireFileLock(file, { waitMs: 60_000 });
    await signalAndWait(pid, 'SIGKILL', 10_000);
    (await acquired)();
  });

  test('takes the lock after onHeld has ended the holder', async () => {
    const pid = await holder();
    const release = await acquireFileLock(file, { onHeld: async (held) => void (await signalAndWait(held.pid, 'SIGKILL', 10_000)) });
    expect(holderInFile().pid).not.toBe(pid);
    release();
  });

  test.each([
    ['a holder that has exited', { pid: 2 ** 22 + 1, began: 'x', id: 'x' }],
    ['a process with the holder’s id that started at another time', { pid: process.pid, began: 'another time', id: 'x' }],
    ['a file of another format', { owner: 1 }],
  ])('replaces the lock of %s', async (_, content) => {
    writeFileSync(file, JSON.stringify(content));
    const release = await acquireFileLock(file);
    expect(holderInFile().pid).toBe(process.pid);
    release();
  });

  test('treats a holder without a start time as running while its process id is in use', async () => {
    await holder({ began: '' });
    await expect(acquireFileLock(file)).rejects.toBeInstanceOf(LockHeldError);
  });

  test('release leaves the lock of a later holder alone', async () => {
    const release = await acquireFileLock(file);
    await holder();
    release();
    expect(holderInFile().id).toBe('other');
  });

  test('lets one of ten concurrent acquisitions succeed and leaves no drafts behind', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => acquireFileLock(file)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(readdirSync(directory).filter((name) => name.startsWith(`lock-${tests}.`))).toEqual([]);
  });
});
