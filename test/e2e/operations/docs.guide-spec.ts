import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blocksOf } from '../../support/documentation';
import { api, type Api } from '../../support/api';
import { startBrowser } from '../../support/browser';
import { sharedBrowser } from '../../support/shared-browser';
import { ExampleProvider } from '../../support/example-provider';
import { startService, type Service } from '../../support/service';
import { anAccount, bodyOf } from '../../support/world';

jest.setTimeout(300_000);

const ROOT = join(__dirname, '..', '..', '..');

let service: Service;
let operator: Api;
let folder: string;
beforeAll(async () => {
  service = await startService();
  operator = api(service.baseUrl, service.operatorKey);
  folder = mkdtempSync(join(tmpdir(), 'aps-docs-'));
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command in the project. Returns what it prints. @throws Error with its output if it fails */
async function run(command: string[], variables: Record<string, string>, cwd = ROOT): Promise<string> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd, env: { PATH: process.env.PATH, HOME: process.env.HOME, ...variables } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const status = await new Promise((resolve) => child.once('close', resolve));
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}:\n${output}`);
  return output;
}

const shell = (page: string, variables: Record<string, string>): Promise<string> =>
  run(['bash', '--norc', '-euo', 'pipefail', '-c', blocksOf(`docs/${page}`, 'sh').join('\n')], { BASE_URL: service.baseUrl, ...variables });

test('every shell block of the operators’ quick start works, in order, in one shell', async () => {
  const output = await shell('start/operators.md', { OPERATOR_KEY: service.operatorKey });
  const answers = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(answers).toMatchObject([
    { balance_usdc: '50.000000' },
    { dry_run: true, changes: expect.any(Array) },
    { max_daily_spend: 25, version: 2 },
    { status: 'settled', amount_usdc: '2.500000' },
    { status: 'settled', amount_usdc: '7.000000' },
    { type: 'agent', key: expect.stringMatching(/^aps_ag_/) },
    { paused: true },
    { paused: false },
  ]);
});

describe('the quick start for agent developers', () => {
  let provider: ExampleProvider;
  let variables: Record<string, string>;
  beforeAll(async () => {
    provider = new ExampleProvider(service.sandbox, {});
    await provider.start();
    const [agent, recipient] = await Promise.all([
      anAccount({ by: operator, usdc: '20', policy: { max_daily_spend: 15 } }),
      anAccount({ by: operator }),
    ]);
    const { key } = bodyOf(await operator.post('/v1/api_keys', { type: 'agent', account_ids: [agent.id] }), 201);
    variables = { KEY: key, RECIPIENT: recipient.id, ACCOUNT: agent.id, AGENT_DIRECTORY: folder, PROVIDER_URL: provider.url };
  });
  afterAll(() => provider.stop());

  test('its shell blocks work in order and install the client', async () => {
    const { ACCOUNT: account, ...given } = variables;
    const output = await shell('start/agents.md', given);
    expect(output).toContain(`"account_id":"${account}"`);
    expect(output).toContain('"status":"settled"');
  });

  test.each([
    ['transfer.mjs', /^settled \w+\nmax_daily_spend .* does not fit into max_daily_spend, 15\.000000 USDC/],
    ['pay.mjs', /^200 \{"forecast"/],
  ])('%s does with the installed client what the page says', async (name, expected) => {
    const block = blocksOf('docs/start/agents.md', 'js').find((one) => one.startsWith(`// ${name}`));
    writeFileSync(join(folder, name), block ?? '');
    expect(await run([process.execPath, name], { BASE_URL: service.baseUrl, ...variables }, folder)).toMatch(expected);
  });

  test('the shell block of the providers’ quick start shows the 402', async () => {
    expect(await shell('start/providers.md', variables)).toMatch(/^HTTP\/1\.1 402/);
  });
});

test('every link of the documentation site leads to a page of this host', async () => {
  const seen = new Map<string, number>();
  const open = ['/docs'];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const response = await fetch(new URL(path, service.baseUrl));
    seen.set(path, response.status);
    if (!path.startsWith('/docs') || !response.headers.get('Content-Type')?.startsWith('text/html')) continue;
    for (const [, link = ''] of (await response.text()).matchAll(/<a [^>]*href="([^"#]+)/g)) {
      const url = new URL(link, response.url);
      if (url.origin === service.baseUrl && !seen.has(url.pathname) && !open.includes(url.pathname)) open.push(url.pathname);
    }
  }
  expect([...seen].filter(([, status]) => status !== 200)).toEqual([]);
  expect(seen.size).toBeGreaterThan(20);
});

const found = sharedBrowser();
(found ? test : test.skip)('a page of the site draws its diagrams and breaks no rule of its content security policy', async () => {
  const browser = await startBrowser(found as NonNullable<typeof found>);
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(`${service.baseUrl}/docs/concepts`);
  await page.locator('.drawing img').nth(1).waitFor();
  await browser.close();
  expect(complaints).toEqual([]);
});
