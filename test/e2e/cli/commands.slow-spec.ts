import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cli } from '../../support/cli';
import { eventually } from '../../support/eventually';
import { startReceiver } from '../../support/receiver';
import { anAccount, operator, order, type TestAccount } from '../../support/world';
import { verifyWebhook } from '#client';

jest.setTimeout(180_000);

let cli: Cli;
let from: TestAccount;
let to: TestAccount;
beforeAll(async () => {
  cli = new Cli();
  [from, to] = await Promise.all([anAccount({ usdc: '100' }), anAccount()]);
});
afterAll(() => cli.remove());

test('aps hosts binds an account to hosts, and aps keys create --host a key', async () => {
  const { id } = await anAccount();
  expect((await cli.run(['hosts', 'show', id])).stdout).toBe('any\n');
  expect(await cli.json('hosts', 'set', id, 'API.example.com,*.example.org')).toMatchObject({
    hosts: ['api.example.com', '*.example.org'],
  });
  expect((await cli.run(['hosts', 'set', id, 'none'])).stdout).toBe('none\n');
  const { key_id } = await cli.json('keys', 'create', '--account', id, '--host', 'api.example.com', '--host', '*.example.org');
  const { data } = (await operator().get('/v1/api_keys')).body as { data: { key_id: string; allowed_hosts: string[] }[] };
  expect(data.find((key) => key.key_id === key_id)?.allowed_hosts).toEqual(['api.example.com', '*.example.org']);
});

test('aps accounts reap lists and closes what is empty and idle, and nothing that holds money or is younger', async () => {
  const label = `reap-${Date.now()}`;
  const [empty, full] = [await anAccount(), await anAccount({ usdc: '1' })];
  for (const { id } of [empty, full]) await operator().patch(`/v1/accounts/${id}`, { labels: [label] });
  const reap = (...more: string[]) => cli.json('accounts', 'reap', '--label', label, ...more);
  expect(await reap('--idle', '1h', '--dry-run')).toEqual({ closed: [], idle: [] });
  expect(await reap('--idle', '0h', '--dry-run')).toMatchObject({ closed: [], idle: [{ account_id: empty.id }] });
  expect(await reap('--idle', '0h', '--yes')).toMatchObject({ closed: [empty.id] });
  expect(await reap('--idle', '0h', '--yes')).toEqual({ closed: [], idle: [] });
  expect((await cli.run(['accounts', 'reap', '--idle', 'soon'])).code).toBe(2);
});

test('aps services lists what an account could pay now, and sets the catalogues', async () => {
  expect(await cli.json('services', 'catalogues', 'https://catalogue.example.com/list.json')).toMatchObject({
    urls: ['https://catalogue.example.com/list.json'],
  });
  expect((await cli.run(['services', 'catalogues', '--none'])).stdout).toBe('None.\n');
  expect((await cli.run(['services', 'find', 'weather', '--account', from.id])).stdout).toBe('None.\n');
});

describe('aps policy', () => {
  const policyOf = async ({ id }: TestAccount) => (await operator().get(`/v1/accounts/${id}/policy`)).body;

  test('policy set says what changes and changes it after a yes', async () => {
    const account = await anAccount();
    const { code, stderr } = await cli.run(['policy', 'set', account.id, '--max-single-transfer', '5'], 'y\n');
    expect([code, (await policyOf(account)).max_single_transfer]).toEqual([0, 5]);
    expect(stderr).toContain('The limit of a single transfer changes from none to 5 USDC.');
  });

  test('policy set takes lists, and resets limits by none and lists by any', async () => {
    const account = await anAccount({ policy: { max_daily_spend: 7, categories: ['data'] } });
    const set = (...options: string[]) => cli.json('policy', 'set', account.id, '--yes', ...options);
    const { policy } = await set(
      '--allowed-counterparties',
      to.id,
      '--max-daily-spend',
      'none',
      '--categories',
      'any',
      '--require-memo',
      'yes',
    );
    expect(policy).toMatchObject({ allowed_counterparties: [to.id], max_daily_spend: null, categories: null, require_memo: true });
    expect((await set('--allowed-counterparties', 'none')).policy.allowed_counterparties).toEqual([]);
  });

  test('policy set changes nothing without a yes, and policy check never does', async () => {
    const account = await anAccount();
    expect(await cli.run(['policy', 'set', account.id, '--paused', 'yes'], 'n\n')).toMatchObject({ code: 1 });
    const { stdout } = await cli.run(['policy', 'check', account.id, '--paused', 'yes']);
    expect([stdout, (await policyOf(account)).paused]).toEqual(['The account is paused: it pays nothing.\n', false]);
  });

  test('policy set changes nothing when the policy was changed while it asked', async () => {
    const account = await anAccount();
    const asking = cli.start('policy', 'set', account.id, '--max-single-transfer', '5');
    await eventually(() => expect(asking.stderr).toContain('[y/N]'));
    await operator().put(`/v1/accounts/${account.id}/policy`, { max_daily_spend: 7 });
    asking.type('y\n');
    const { code, stderr } = await asking.ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('changed meanwhile')]);
    expect(await policyOf(account)).toMatchObject({ max_single_transfer: null, max_daily_spend: 7 });
  });
});

describe('aps listen', () => {
  test('listen forwards an event signed as a webhook’s delivery, and ends at Ctrl-C', async () => {
    const receiver = await startReceiver();
    const listening = cli.start('listen', '--account', from.id, '--forward-to', receiver.url);
    await eventually(() => expect(listening.stderr).toContain('Ready'));
    const secret = /whsec_\S+/.exec(listening.stderr)?.[0] ?? '';
    const { body } = await operator().post('/v1/transfers', order(from, to, '0.25'));
    const got = await eventually(() => {
      const found = receiver.received.find(({ event }) => event.type === 'transfer.settled');
      if (!found) throw new Error('no transfer.settled yet');
      return found;
    });
    expect(await verifyWebhook(got.raw, got.headers, secret)).toMatchObject({ data: { transfer_id: body.transfer_id } });
    await expect(verifyWebhook(`${got.raw} `, got.headers, secret)).rejects.toThrow('signature');
    await eventually(() => expect(listening.stdout).toContain('transfer.settled'));
    listening.kill('SIGINT');
    expect((await listening.ended).code).toBe(130);
    expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(receiver.received.length);
    receiver.close();
  });
});

describe('aps --json', () => {
  test.each([
    'status',
    'accounts list',
    'accounts show ACCOUNT',
    'accounts show acct_unknown',
    'policy show ACCOUNT',
    'policy check ACCOUNT --max-daily-spend 1',
    'policy set ACCOUNT --max-daily-spend none --yes',
    'transfer --from ACCOUNT --to OTHER --amount 1000000',
    'transfer --from ACCOUNT --to OTHER --amount 1 --dry-run',
    'transfer --amount nonsense',
    'transfers list --limit 2',
    'approvals list',
    'keys list',
    'webhooks list',
    'webhooks create nonsense',
    'sessions list',
    'purses list',
    'purses open --account ACCOUNT --amount 1000000',
    'export --account ACCOUNT',
    'completion bash',
    'nonsense',
  ])('`%s --json` prints one JSON value on stdout', async (line) => {
    const args = line.split(' ').map((word) => word.replace('ACCOUNT', from.id).replace('OTHER', to.id));
    expect(await cli.json(...args)).toEqual(expect.any(Object));
  });
});

describe('aps bulk', () => {
  test('a change of chosen accounts waits for the end of its job, and `jobs` shows it', async () => {
    const [one, other] = [await anAccount(), await anAccount()];
    const job = await cli.json('bulk', 'set-policy', one.id, other.handle, '--max-daily-spend', '50', '--yes');
    expect(job).toMatchObject({ action: 'set_policy', total: 2, done: 2, failed: 0, status: 'finished' });
    expect(await cli.json('policy', 'show', other.id)).toMatchObject({ max_daily_spend: 50 });
    expect(await cli.json('jobs', 'show', job.job_id)).toMatchObject({ job_id: job.job_id, failures: [] });
    expect((await cli.run(['jobs', 'list', '--limit', '1'])).stdout).toContain(job.job_id);
    expect((await cli.run(['jobs', 'cancel', job.job_id])).code).toBe(1);
  });

  test('labels are added, and select the accounts of a pause', async () => {
    const account = await anAccount();
    const label = `cli:${account.id.slice(-8)}`;
    expect(await cli.json('bulk', 'add-labels', account.id, '--name', label, '--yes')).toMatchObject({ done: 1 });
    expect(await cli.json('bulk', 'pause', '--label', label, '--yes')).toMatchObject({ total: 1, done: 1 });
    expect(await cli.json('accounts', 'show', account.id)).toMatchObject({ status: 'paused', labels: [label] });
  });

  test('an account that fails is exit code 6', async () =>
    expect(await cli.run(['bulk', 'pause', 'acct_00000000000000000000000000', '--yes'])).toMatchObject({ code: 6 }));

  test.each([[[]], [['acct_1', '--all']], [['--label', 'a', '--all']]])(
    'without exactly one selection (%j) is wrong usage',
    async (selection) => expect(await cli.run(['bulk', 'pause', ...selection, '--yes'])).toMatchObject({ code: 2 }),
  );

  test('a no to the question changes nothing', async () => {
    const { code, stderr } = await cli.run(['bulk', 'pause', from.id], 'n\n');
    expect([code, stderr.includes('Change 1 account?')]).toEqual([1, true]);
    expect(await cli.json('accounts', 'show', from.id)).toMatchObject({ status: 'active' });
  });
});

test('a statement is JSON or CSV, also in a file', async () => {
  const account = await anAccount({ usdc: '3' });
  expect(await cli.json('statement', account.id)).toMatchObject({ account_id: account.id, closing_balance_usdc: '3.000000' });
  const file = join(cli.directory, 'statement.csv');
  expect((await cli.run(['statement', account.id, '--output', file])).code).toBe(0);
  expect(readFileSync(file, 'utf8').trim().split('\r\n')).toHaveLength(4);
  expect((await cli.run(['statement', account.id, '--month', '2999-01'])).code).toBe(2);
});
