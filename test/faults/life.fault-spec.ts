import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { api } from '../support/api';
import { eventually } from '../support/eventually';
import { processesIn } from '../support/processes-in';
import { Service, startService, startServiceFromNothing } from '../support/service';

jest.setTimeout(600_000);

const root = join(__dirname, '..', '..');

describe('npm start on an empty directory', () => {
  let service: Service;
  beforeAll(async () => void (service = await startServiceFromNothing()));
  afterAll(() => service.stop());

  test('the service prints its URL, its operator key and ready, each on its own line, ready last', () => {
    expect(service.output).toMatch(/^BASE_URL=http:\/\/127\.0\.0\.1:\d+$/m);
    expect(service.output).toMatch(/^OPERATOR_KEY=aps_op_\w+$/m);
    expect(service.output).toMatch(/\nready\n$/);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)('the service finds its keys after %s and prints none', async (signal) => {
    const { key_id } = (await api(service.baseUrl, service.operatorKey).post('/v1/api_keys', { type: 'operator', name: signal })).body;
    const before = service.operatorKey;
    await service.restart({ signal });
    expect(service.operatorKey).toBe(before);
    expect(service.output).not.toMatch(/^OPERATOR_KEY=/m);
    const { body } = await api(service.baseUrl, service.operatorKey).get('/v1/api_keys');
    expect(body.data.map((key: { key_id: string }) => key.key_id)).toContain(key_id);
  });

  test('a second service on the same directory fails to start', async () => {
    const second = new Service(service.dataDir, {});
    await expect(second.start()).rejects.toThrow(/Another instance \(process \d+\) is running on/);
    expect((await api(service.baseUrl).get('/ready')).status).toBe(200);
  });

  test('a service that waits for the directory starts when the other one stops', async () => {
    const first = service;
    const second = new Service(first.dataDir, { dataDir: first.dataDir });
    const starting = second.start();
    await first.kill('SIGTERM');
    await starting;
    expect((await api(second.baseUrl, second.operatorKey).get('/v1/api_keys')).status).toBe(200);
    await second.stop();
    await first.start();
  });

  test('the service prints a new operator key if sandbox.json was lost', async () => {
    const [other] = [(await api(service.baseUrl, service.operatorKey).post('/v1/api_keys', { type: 'operator' })).body];
    const [{ key_id: first }] = (await api(service.baseUrl, other.key).get('/v1/api_keys')).body.data.slice(-1);
    await api(service.baseUrl, other.key).delete(`/v1/api_keys/${first}`);
    rmSync(join(service.dataDir, 'sandbox.json'));
    await service.restart();
    expect(service.output).toContain(`OPERATOR_KEY=${service.operatorKey}`);
    expect((await api(service.baseUrl, service.operatorKey).get('/v1/api_keys')).body.data.length).toBeGreaterThan(1);
  });
});

describe('stopping the service', () => {
  test('stopping the service stops its child processes', async () => {
    const service = await startService();
    expect(processesIn(service.dataDir).length).toBeGreaterThan(1);
    await service.kill('SIGINT');
    await eventually(() => expect(processesIn(service.dataDir)).toEqual([]));
    await service.stop();
  });

  test('killing the service stops its PostgreSQL', async () => {
    const service = await startService();
    await service.kill('SIGKILL');
    await eventually(() => expect(processesIn(service.dataDir)).toEqual([]));
    await service.start();
    await service.stop();
  });

  test('stopping the service completes the request in progress', async () => {
    const service = await startService();
    const body = JSON.stringify({ type: 'operator' });
    const agent = new (await import('node:http')).Agent({ keepAlive: true });
    const { request } = await import('node:http');
    const answer = new Promise<number | undefined>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${service.operatorKey}`, 'Content-Type': 'application/json', 'Content-Length': body.length };
      const sent = request(new URL('/v1/api_keys', service.baseUrl), { method: 'POST', headers, agent }, (response) =>
        resolve(response.resume().statusCode),
      ).on('error', reject);
      sent.write(body.slice(0, 5));
      void eventually(() =>
        fetch(new URL('/health', service.baseUrl)).then(
          () => {
            throw new Error('still open');
          },
          () => undefined,
        ),
      ).then(() => sent.end(body.slice(5)), reject);
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const ended = service.kill('SIGTERM');
    expect(await answer).toBe(201);
    await ended;
    await service.stop();
  });

  test('the service stops when the npm that started it was killed', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'aps-npm-'));
    const npm = spawn('npm', ['start', '--ignore-scripts'], {
      cwd: root,
      env: { ...process.env, PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    await saysReady(npm);
    npm.kill('SIGKILL');
    await eventually(() => expect(processesIn(dataDir)).toEqual([]), { timeoutMs: 30_000 });
    rmSync(dataDir, { recursive: true, force: true });
  });
});

describe('a separate worker', () => {
  const workerCommand = join(root, 'dist', 'apps', 'api', 'src', 'bin', 'worker.js');

  test('a worker without a database fails to start', () => {
    const { status, stderr } = spawnSync(process.execPath, [workerCommand], { env: { PATH: process.env.PATH }, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^DATABASE_URL is missing/)]);
  });

  test('a separate worker serves an API without one, and stops on SIGTERM', async () => {
    const service = await startService({ variables: { WORKER: 'apart' } });
    const key = (name: string): string => readFileSync(join(service.dataDir, 'keys', name), 'utf8').trim();
    const { rpc_url, ws_url, usdc_mint, program_id, database_url } = service.sandbox;
    const variables = {
      DATABASE_URL: database_url,
      SOLANA_RPC_URL: rpc_url,
      SOLANA_WS_URL: ws_url,
      USDC_MINT: usdc_mint,
      PROGRAM_ID: program_id,
      KEY_ENCRYPTION_KEY: key('key-encryption-key'),
      OPERATOR_KEY_ENCRYPTION_KEY: key('operator-key-encryption-key'),
      FEE_PAYER_KEY: join(service.dataDir, 'keys', 'fee-payer.json'),
    };
    const worker = spawn(process.execPath, [workerCommand], {
      env: { PATH: process.env.PATH, ...variables },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await saysReady(worker);
    const ended = new Promise((resolve) => worker.once('exit', (code) => resolve(code)));
    worker.kill('SIGTERM');
    expect(await ended).toBe(0);
    await service.stop();
  });
});

test('a lock file left by a killed process does not block a start', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'aps-e2e-'));
  writeFileSync(join(dataDir, 'lock'), JSON.stringify({ pid: 1, began: 'another time', id: 'x' }));
  const service = await startService({ dataDir });
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function saysReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => /^ready$/m.test((output += chunk.toString())) && resolve());
    child.once('exit', () => reject(new Error(`It ended: ${output}`)));
  });
}
