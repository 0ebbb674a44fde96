import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { blocksOf } from '../../support/documentation';
import { sharedService } from '../../support/service';
import { anAccount, bodyOf, operator } from '../../support/world';

jest.setTimeout(240_000);

const ROOT = join(__dirname, '..', '..', '..');
const run = promisify(execFile);

const [install = '', ...walk] = blocksOf('docs/cli.md', 'sh');
/** Runs a script in the project. Returns what it prints. */
const shell = async (script: string): Promise<string> =>
  (await run('bash', ['--norc', '-euo', 'pipefail', '-c', script], { cwd: ROOT, env })).stdout;

/** A user's directory, into which npm installs globally. */
let directory: string;
let env: Record<string, string>;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'aps-cli-docs-'));
  const { baseUrl: BASE_URL, operatorKey: OPERATOR_KEY } = sharedService();
  const PATH = `${join(directory, 'bin')}:${process.env.PATH ?? ''}`;
  env = { PATH, HOME: directory, XDG_CONFIG_HOME: directory, TMPDIR: directory, npm_config_prefix: directory, BASE_URL, OPERATOR_KEY };
  await shell(install);
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('the shell blocks of docs/cli.md work with the aps that they install, and the second run of the payouts pays nothing', async () => {
  const stdout = await shell(walk.join('\n'));
  expect(stdout).toContain('declined: exit code 3');
  expect(stdout.match(/^3 (already )?settled$/gm)).toEqual(['3 settled', '3 already settled']);
  expect(stdout).toMatch(/^id,account_id,/m);
});

test.each([['over HTTP'], ['over stdio, by the installed aps', 'stdio']])(
  'mcp.mjs of docs/agents.md lists the tools and calls one %s',
  async (_how, ...args) => {
    const { id } = await anAccount({ usdc: '3' });
    const { key: KEY } = bodyOf(await operator().post('/v1/api_keys', { type: 'agent', account_ids: [id] }), 201);
    const block = blocksOf('docs/agents.md', 'js').find((one) => one.startsWith('// mcp.mjs')) ?? '';
    writeFileSync(join(directory, 'mcp.mjs'), block);
    const { stdout } = await run(process.execPath, ['mcp.mjs', ...args], { cwd: directory, env: { ...env, KEY } });
    expect(stdout).toMatch(/^balance spend_left quote /);
    expect(stdout).toContain("balance_usdc: '3.000000'");
  },
);
