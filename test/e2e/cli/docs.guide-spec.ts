import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ChainKeyHolder } from '../../support/chain-keys';
import { blocksOf } from '../../support/documentation';
import { newOperatorKey } from '../../support/operators';
import { sharedService } from '../../support/service';
import { anAccount, bodyOf, operator } from '../../support/world';

jest.setTimeout(240_000);

const ROOT = join(__dirname, '..', '..', '..');
const run = promisify(execFile);

const [install = '', ...walk] = blocksOf('docs/cli.md', 'sh');
/** Runs a script in the project or another directory. Returns what it prints. */
const shell = async (script: string, { cwd = ROOT, variables = {} } = {}): Promise<string> =>
  (await run('bash', ['--norc', '-euo', 'pipefail', '-c', script], { cwd, env: { ...env, ...variables } })).stdout;

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
    expect(stdout).toMatch(/^balance spend_left find_service quote /);
    expect(stdout).toContain("balance_usdc: '3.000000'");
  },
);

describe('docs/guides/own-chain-key.md', () => {
  const page = 'docs/guides/own-chain-key.md';
  /** Runs blocks as an operator of its own. */
  const shellOf = async (language: string, variables: Record<string, string> = {}): Promise<string> => {
    const { sandbox, dataDir } = sharedService();
    const OPERATOR_KEY = await newOperatorKey({ sandbox, dataDir });
    return shell(blocksOf(page, language).join('\n'), { cwd: directory, variables: { OPERATOR_KEY, ...variables } });
  };

  test('its shell blocks for aps work in order: switch, sign later and at once, and go back', async () => {
    const stdout = await shellOf('sh');
    expect([...stdout.matchAll(/^held_by +(.+)$/gm)].map(([, by]) => by)).toEqual(['the service', 'you', 'the service']);
    expect(stdout).toContain('exit code 7');
    expect([...stdout.matchAll(/^(max_daily_spend|escalation_threshold) +(\S+)$/gm)].map(([line]) => line.replace(/ +/, ' '))).toEqual([
      'max_daily_spend 50',
      'max_daily_spend 50',
      'escalation_threshold 5',
    ]);
  });

  test('its programs with @solana/web3.js accept the accounts by curl and sign a policy change', async () => {
    for (const name of ['accept.mjs', 'sign.mjs'])
      writeFileSync(join(directory, name), blocksOf(page, 'js').find((block) => block.startsWith(`// ${name}`)) ?? '');
    const { keypair, address } = new ChainKeyHolder();
    writeFileSync(join(directory, 'held.json'), JSON.stringify([...keypair.secretKey]));
    const lines = (await shellOf('bash', { KEYPAIR: 'held.json' })).trim().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ chain_key: address, chain_key_custody: 'external' });
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ version: 2, max_daily_spend: 50 });
  });
});
