import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blocksOf } from '../../support/documentation';
import { eventually } from '../../support/eventually';
import { api, type Body } from '../../support/api';
import { anAccount, bodyOf } from '../../support/world';

jest.setTimeout(600_000);

const ROOT = join(__dirname, '..', '..', '..');
const START_TIMEOUT_MS = 120_000;

/** The pages whose shell blocks run, in this order, in one shell. */
const PAGES = ['README.md', 'docs/payments.md', 'docs/events.md'] as const;

/** The last lines of a command's output, or all of it if it fails. */
interface Finished {
  status: number | null;
  stdout: string;
  stderr: string;
}

describe('shell blocks of the documentation, on a fresh checkout', () => {
  /** The project with its own .data. */
  let folder: string;
  const servers: ChildProcess[] = [];
  const said: Record<string, string> = {};

  const run = (script: string, variables: Record<string, string>): ChildProcess =>
    spawn('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });

  /** Runs a block that serves until it is stopped. Returns when it prints `ready`, and keeps the NAME=value lines that it prints. */
  async function serve(block: string): Promise<void> {
    const child = run(block, { PORT: '0', LOG_LEVEL: 'warn' });
    servers.push(child);
    let output = '';
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${block} is not ready: ${output}`)), START_TIMEOUT_MS);
      const read = (chunk: Buffer): void => {
        output += chunk.toString();
        if (!/^ready$/m.test(output)) return;
        clearTimeout(timer);
        resolve();
      };
      child.stdout?.on('data', read);
      child.stderr?.on('data', read);
      child.once('close', (code) => reject(new Error(`${block} ended with ${code}: ${output}`)));
    });
    for (const [, name = '', value = ''] of output.matchAll(/^([A-Z_]+)=(.+)$/gm)) said[name] = value;
  }

  async function finish(child: ChildProcess): Promise<Finished> {
    const finished: Finished = { status: null, stdout: '', stderr: '' };
    child.stdout?.on('data', (chunk: Buffer) => (finished.stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (finished.stderr += chunk.toString()));
    finished.status = await new Promise((resolve) => child.once('close', resolve));
    return finished;
  }

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'aps-readme-'));
    for (const name of readdirSync(ROOT).filter((entry) => entry !== '.data')) symlinkSync(join(ROOT, name), join(folder, name));
  });
  afterAll(async () => {
    for (const child of servers.reverse()) {
      const ended = finish(child);
      // As Ctrl-C does: to every process of the command.
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  test('every shell block of the README, docs/payments.md and docs/events.md works, in order, in one shell', async () => {
    const [readme, payments, events] = PAGES.map((page) => blocksOf(page, 'sh'));
    const [start = '', tests, walk, ...moreOfReadme] = readme ?? [];
    const [provider = '', session, dryRun, demo, ...moreOfPayments] = payments ?? [];
    const [webhook, ...moreOfEvents] = events ?? [];
    expect([start, tests, provider, demo]).toEqual(['npm start', 'npm test', 'npm run provider', 'npm run demo:mpp']);
    expect([...moreOfReadme, ...moreOfPayments, ...moreOfEvents]).toEqual([]);
    await serve(start);
    expect(said.DASHBOARD_URL).toBe(`${said.BASE_URL}/dashboard`);
    expect((await fetch(said.DASHBOARD_URL ?? '')).status).toBe(200);
    await serve(provider);
    const script = [walk, session, dryRun, demo, webhook].join('\necho "=== next block"\n');
    const addresses = { BASE_URL: said.BASE_URL ?? '', PROVIDER_URL: said.PROVIDER_URL ?? '' };
    const shell = await finish(run(script, { ...addresses, DEMO_PAYMENTS: '50' }));
    expect(shell).toMatchObject({ status: 0 });
    const [walked = '', paid = '', forecast = '', demonstrated = '', hooked = ''] = shell.stdout.split('=== next block\n');
    const answers = (text: string): Body[] =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Body);

    const [faucet, policy, first, again, tooMuch, spending] = answers(walked);
    expect(faucet.balance_usdc).toBe('100.000000');
    expect(policy).toMatchObject({ max_single_transfer: 5, max_daily_spend: 8, version: 2 });
    expect(first).toMatchObject({ status: 'settled', amount_usdc: '4.500000', memo: 'first', tx_signature: expect.any(String) });
    expect(again).toEqual(first);
    expect(tooMuch).toMatchObject({
      error: 'policy_violation',
      policy: { rule: 'max_daily_spend', remaining_usdc: '3.500000', available_at: expect.any(String) },
    });
    expect(spending).toMatchObject({ balance_usdc: '95.500000', spent_usdc: '4.500000', remaining_usdc: '3.500000' });

    const [allowed, payment, closed] = answers(paid);
    expect(allowed.allowed_counterparties).toEqual([expect.stringMatching(/^acct_/), said.PAYEE]);
    expect(payment).toMatchObject({ status: 'paid', amount_usdc: '0.000100', response: { status: 200 } });
    expect(closed).toMatchObject({ settled_usdc: '0.000100', returned_usdc: '0.999900' });

    expect(answers(forecast)).toMatchObject([{ dry_run: true, allowed: false, quotes: [{ method: 'voucher', amount_usdc: '0.000100' }] }]);

    expect(demonstrated).toContain('Every micro-USDC is accounted for.');
    expect(answers(hooked)).toMatchObject([{ webhook_id: expect.any(String), status: 'active', secret: expect.stringMatching(/^whsec_/) }]);
  });

  test.each<[string, (name: string, value: string) => RequestInit['headers']]>([
    ['an object', (name, value) => ({ [name]: value })],
    ['an array', (name, value) => [[name, value]]],
    ['a Headers', (name, value) => new Headers({ [name]: value })],
  ])('payingFetch pays the example provider and keeps headers that are given as %s', async (_what, headers) => {
    const [block = ''] = blocksOf('docs/payments.md', 'js').filter((one) => one.includes('function payingFetch'));
    const sent: Headers[] = [];
    const recordingFetch: typeof fetch = (url, init) => {
      sent.push(new Headers(init?.headers));
      return fetch(url, init);
    };
    const make = new Function('fetch', `${block}\nreturn payingFetch;`) as (real: typeof fetch) => (options: Body) => typeof fetch;

    const operator = api(said.BASE_URL ?? '', said.OPERATOR_KEY);
    const { id } = await anAccount({ usdc: '1', by: operator });
    const { session_id } = bodyOf(
      await operator.post('/v1/sessions', {
        account_id: id,
        provider: said.PROVIDER_URL,
        payee: said.PAYEE,
        cap: '0.5',
        idempotency_key: randomUUID(),
      }),
      201,
    );
    const pay = make(recordingFetch)({
      baseUrl: said.BASE_URL,
      key: said.OPERATOR_KEY,
      accountId: id,
      maxAmount: '0.01',
      sessionId: session_id,
    });
    const answer = await pay(`${said.PROVIDER_URL}/quote`, { headers: headers('X-Trace', 'trace-1') });

    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ symbol: 'SOL' })]);
    const toProvider = sent.filter((one) => one.has('X-Trace'));
    expect(toProvider.map((one) => one.has('Authorization'))).toEqual([false, true]);
  });

  test('payingFetch pays a route of the example provider by x402 and reports the receipt', async () => {
    const [block = ''] = blocksOf('docs/payments.md', 'js').filter((one) => one.includes('function payingFetch'));
    const make = new Function(`${block}\nreturn payingFetch;`) as () => (options: Body) => typeof fetch;
    const operator = api(said.BASE_URL ?? '', said.OPERATOR_KEY);
    const { id } = await anAccount({ usdc: '1', by: operator });
    const pay = make()({ baseUrl: said.BASE_URL, key: said.OPERATOR_KEY, accountId: id, maxAmount: '0.01' });
    const answer = await pay(`${said.PROVIDER_URL}/forecast`);
    expect(answer.status).toBe(200);
    await eventually(async () => {
      const [entry] = bodyOf(await operator.get(`/v1/accounts/${id}/transactions?limit=1`), 200).data;
      expect(entry).toMatchObject({ type: 'transfer', amount_usdc: '0.001000', direction: 'out' });
    });
  });
});
