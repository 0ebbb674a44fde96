import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sharedService } from '../../support/service';

jest.setTimeout(240_000);

const ROOT = join(__dirname, '..', '..', '..');

test('the shell block of docs/cli.md works, and its second run of the payouts pays nothing', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'aps-cli-docs-'));
  const [, block = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(readFileSync(join(ROOT, 'docs', 'cli.md'), 'utf8')) ?? [];
  const { baseUrl: BASE_URL, operatorKey: OPERATOR_KEY } = sharedService();
  const env = { PATH: process.env.PATH, HOME: directory, XDG_CONFIG_HOME: directory, TMPDIR: directory, BASE_URL, OPERATOR_KEY };
  try {
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', block], { cwd: ROOT, env });
    expect(stdout).toContain('declined: exit code 3');
    expect(stdout.match(/^3 (already )?settled$/gm)).toEqual(['3 settled', '3 already settled']);
    expect(stdout).toMatch(/^id,account_id,/m);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
