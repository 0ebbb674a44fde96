import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../support/eventually';
import { processesIn } from '../../support/processes-in';

jest.setTimeout(900_000);

const ROOT = join(__dirname, '..', '..', '..');
const TIMEOUT_MS = 600_000;

describe('npm start in a fresh clone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'aps-clone-'));
  let service: ChildProcess;
  let output = '';

  beforeAll(async () => {
    execFileSync('git', ['clone', '--quiet', ROOT, folder]);
    service = spawn('npm', ['start'], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [service.stdout, service.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await eventually(() => expect(output).toMatch(/^ready$/m), { timeoutMs: TIMEOUT_MS });
  });
  afterAll(async () => {
    // As Ctrl-C does: to the whole group.
    process.kill(-Number(service.pid), 'SIGINT');
    await eventually(() => expect(processesIn(folder)).toEqual([]));
    rmSync(folder, { recursive: true, force: true });
  });

  test('the service listens before its documentation is built, and serves the documentation afterwards', async () => {
    const docs = `${/^BASE_URL=(.+)$/m.exec(output)?.[1] ?? ''}/docs/`;
    expect(existsSync(join(folder, 'dist', 'docs', 'built.txt'))).toBe(false);
    const early = await fetch(docs);
    expect([early.status, early.headers.get('retry-after'), await early.text()]).toEqual([
      503,
      '3',
      expect.stringContaining('The documentation is being built.'),
    ]);
    await eventually(async () => expect((await fetch(docs)).status).toBe(200), { timeoutMs: TIMEOUT_MS });
  });
});
