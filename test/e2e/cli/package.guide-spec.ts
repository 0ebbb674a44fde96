import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectMcp } from '../../support/mcp';
import { sharedService } from '../../support/service';

jest.setTimeout(240_000);

const ROOT = join(__dirname, '..', '..', '..');
const run = promisify(execFile);
const npm = (args: string[], cwd: string) => run('npm', [...args, '--no-audit', '--no-fund', '--offline', '--loglevel=error'], { cwd });

test('the packed command line installs `aps` and nothing else, calls the service and serves a model', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'aps-cli-package-'));
  try {
    await run(process.execPath, [join(ROOT, 'scripts', 'cli.mjs')], { cwd: ROOT });
    await npm(['pack', '--pack-destination', directory], join(ROOT, 'dist', 'cli'));
    const [tarball = ''] = readdirSync(directory).filter((name) => name.endsWith('.tgz'));
    writeFileSync(join(directory, 'package.json'), '{"name":"a-user","private":true}');
    await npm(['install', join(directory, tarball)], directory);
    expect(readdirSync(join(directory, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@agent-payment-service']);
    const { baseUrl: APS_BASE_URL, operatorKey: APS_KEY } = sharedService();
    const aps = join(directory, 'node_modules', '.bin', 'aps');
    const { stdout } = await run(aps, ['status', '--json'], { env: { PATH: process.env.PATH, APS_BASE_URL, APS_KEY } });
    expect(JSON.parse(stdout)).toMatchObject({ type: 'operator' });
    expect((await run(aps, ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await run(aps, ['transfer', '--help'])).stdout).toContain('--file <csv>');
    const mcp = await connectMcp('stdio', { baseUrl: APS_BASE_URL, key: APS_KEY, aps: realpathSync(aps) });
    expect((await mcp.client.listTools()).tools.map(({ name }) => name)).toContain('spend_left');
    await mcp.close();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
