import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processesIn } from '../../support/processes-in';
import { Service, sharedService } from '../../support/service';

jest.setTimeout(600_000);

const operatorCommand = join(__dirname, '..', '..', '..', 'dist', 'apps', 'api', 'src', 'bin', 'operator.js');

describe('a service that was started on an empty directory', () => {
  const service = sharedService();

  test('the service keeps sandbox.json and its keys in files that only their owner can read', () => {
    expect(service.sandbox).toMatchObject({
      base_url: service.baseUrl,
      operator_key: expect.stringMatching(/^aps_op_/),
      rpc_url: expect.stringMatching(/^http/),
    });
    for (const file of ['sandbox.json', ...readdirSync(join(service.dataDir, 'keys')).map((name) => join('keys', name))]) {
      expect([file, statSync(join(service.dataDir, file)).mode & 0o777]).toEqual([file, 0o600]);
    }
    expect(readdirSync(join(service.dataDir, 'keys'))).toEqual(
      expect.arrayContaining(['fee-payer.json', 'key-encryption-key', 'operator-key-encryption-key']),
    );
  });

  test('npm run operator uses the running service’s database', () => {
    const run = (...words: string[]): ReturnType<typeof spawnSync> =>
      spawnSync(process.execPath, [operatorCommand, ...words], {
        env: { PATH: process.env.PATH, DATA_DIR: service.dataDir },
        encoding: 'utf8',
      });
    const created = String(run('create', '--name', 'Acme').stdout);
    const [, id] = /^OPERATOR_ID=(op_\w+)\nOPERATOR_KEY=aps_op_\w+\n$/.exec(created) ?? [];
    expect(String(run('key', '--operator', String(id)).stdout)).toMatch(/^OPERATOR_KEY=aps_op_\w+\n$/);
    expect(run('key', '--operator', 'op_unknown')).toMatchObject({ status: 1, stderr: 'There is no such operator.\n' });
    for (const words of [
      ['create', '--name', ' '],
      ['create', '--shoe', '9'],
    ]) {
      expect(run(...words)).toMatchObject({ status: 1, stderr: expect.stringMatching(/^Usage: /) });
    }
  });
});

test('npm run provider names the folder in which it looked for a service', () => {
  const run = spawnSync(process.execPath, [join(__dirname, '..', '..', '..', 'scripts', 'demo', 'provider.mjs')], {
    env: { PATH: process.env.PATH, DATA_DIR: '/nowhere' },
    encoding: 'utf8',
  });
  expect(run).toMatchObject({ status: 1, stderr: expect.stringMatching(/^There is no \/nowhere\/sandbox\.json: start the service first/) });
});

describe('a start with invalid settings', () => {
  const started: string[] = [];
  const failingStart = (variables: Record<string, string>): Promise<void> => {
    const dataDir = mkdtempSync(join(tmpdir(), 'aps-e2e-'));
    started.push(dataDir);
    return new Service(dataDir, { variables }).start();
  };
  afterAll(() => started.forEach((dataDir) => rmSync(dataDir, { recursive: true, force: true })));

  test('an invalid setting is reported in a sentence without a stack', async () => {
    await expect(failingStart({ PORT: 'eighty', LOG_LEVEL: 'loud' })).rejects.toThrow(
      /It said:\nPORT must be a whole number from 0 to 65535\.\nLOG_LEVEL must be [^\n]*\n$/,
    );
  });

  test('missing keys for a real chain are named', async () => {
    await expect(failingStart({ SOLANA_RPC_URL: 'http://127.0.0.1:9' })).rejects.toThrow(
      /KEY_ENCRYPTION_KEY is missing.*\nOPERATOR_KEY_ENCRYPTION_KEY is missing.*\nFEE_PAYER_KEY is missing/,
    );
  });

  test('a port in use is reported, and nothing is left running', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    await expect(failingStart({ PORT: port })).rejects.toThrow(`Port ${port} is in use`);
    server.close();
    expect(processesIn(String(started.at(-1)))).toEqual([]);
  });
});
