import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Cli } from '../../support/cli';
import { startExampleProvider, type ExampleProvider } from '../../support/example-provider';
import { startReceiver } from '../../support/receiver';
import { sharedService } from '../../support/service';
import { anAccount, bodyOf, operator, pay, type TestAccount } from '../../support/world';

jest.setTimeout(180_000);

let cli: Cli;
let from: TestAccount;
let to: TestAccount;
let provider: ExampleProvider;
beforeAll(async () => {
  cli = new Cli();
  [from, to, provider] = await Promise.all([anAccount({ usdc: '100' }), anAccount(), startExampleProvider()]);
});
afterAll(async () => {
  cli.remove();
  await provider.stop();
});

describe('aps login', () => {
  let home: Cli;
  beforeEach(() => (home = new Cli({})));
  afterEach(() => home.remove());
  const path = () => join(home.directory, 'aps', 'config.json');

  test('login stores the key from stdin in a file of mode 0600, which later commands use', async () => {
    const { baseUrl, operatorKey } = sharedService();
    const { code, stdout, stderr } = await home.run(['login', '--base-url', baseUrl], `${operatorKey}\n`);
    expect([code, statSync(path()).mode & 0o777]).toEqual([0, 0o600]);
    expect(stdout + stderr).not.toContain(operatorKey);
    expect(await home.json('status')).toMatchObject({ type: 'operator', base_url: baseUrl });
  });

  test('login stores nothing when the service does not know the key', async () => {
    const unknown = `aps_op_${'1'.repeat(44)}`;
    const { code } = await home.run(['login', '--base-url', sharedService().baseUrl], `${unknown}\n`);
    expect(code).toBe(1);
    expect(() => statSync(path())).toThrow('ENOENT');
  });

  test('a command without a key exits with 2 and says how to log in', async () => {
    expect(await home.run(['status'])).toMatchObject({ code: 2, stderr: expect.stringContaining('aps login') });
  });
});

describe('aps transfer', () => {
  test('a transfer prints its settled outcome and exits with 0', async () => {
    const { code, stdout } = await cli.run(['transfer', '--from', from.id, '--to', to.id, '--amount', '1.5', '--memo', 'by hand']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^status +settled$/m);
    expect(stdout).toMatch(/^amount_usdc +1.500000$/m);
  });

  test('transfers list shows names and relative times, without colours in a pipe, and --json the ids and exact times', async () => {
    const nameOf = async ({ id }: TestAccount): Promise<string> => bodyOf(await operator().get(`/v1/accounts/${id}`), 200).name;
    const [first] = await cli.json('transfers', 'list', '--limit', '1', '--account', from.id);
    expect(first).toMatchObject({ from: from.id, to: to.id, created_at: expect.stringMatching(/Z$/) });
    const { stdout } = await cli.run(['transfers', 'list', '--limit', '1', '--account', from.id]);
    const [head = '', row = ''] = stdout.split('\n');
    expect(head).toMatch(/^from +to +amount +status +reason +memo +created +transfer$/);
    expect(row.startsWith(await nameOf(from))).toBe(true);
    expect(row).toMatch(/ settled .* (just now|\d+ min\. ago) +tr_\w+$/);
    expect(row).not.toContain('acct_');
  });

  test('a transfer that is repeated with its idempotency key moves nothing', async () => {
    const args = ['transfer', '--from', from.id, '--to', to.id, '--amount', '1', '--idempotency-key', 'of the command line'];
    const [one, other] = [await cli.json(...args), await cli.json(...args)];
    expect(other.transfer_id).toBe(one.transfer_id);
  });

  test('a decline exits with 3 and prints the rule, its numbers and when to try again', async () => {
    const account = await anAccount({ usdc: '10', policy: { max_daily_spend: 2 } });
    await pay(account, to, '1.5');
    const { code, stdout, stderr } = await cli.run(['transfer', '--from', account.id, '--to', to.id, '--amount', '1']);
    expect([code, stdout]).toEqual([3, '']);
    for (const line of [/rule: +max_daily_spend/, /limit: +2.000000/, /remaining: +0.500000/, /try again: +20\d\d-/])
      expect(stderr).toMatch(line);
  });

  test('a dry run of a decline exits with 3 and leaves no transfer', async () => {
    const account = await anAccount({ usdc: '1' });
    expect(await cli.run(['transfer', '--from', account.id, '--to', to.id, '--amount', '2', '--dry-run'])).toMatchObject({ code: 3 });
    expect(await cli.json('transfers', 'list', '--account', account.id)).toEqual([]);
  });

  test('an agent’s transfer needs no --from, and wrong usage exits with 2', async () => {
    const { key } = await cli.json('keys', 'create', '--account', from.id);
    const agent = new Cli({ APS_BASE_URL: sharedService().baseUrl, APS_KEY: key });
    expect(await agent.json('transfer', '--to', to.id, '--amount', '0.5')).toMatchObject({ status: 'settled', from: from.id });
    expect(await agent.run(['transfer', '--to', to.id])).toMatchObject({ code: 2 });
    agent.remove();
  });

  test('a service that cannot be reached exits with 5', async () => {
    const closed = await startReceiver();
    closed.close();
    const away = new Cli({ APS_BASE_URL: new URL(closed.url).origin, APS_KEY: sharedService().operatorKey });
    const { code, stderr } = await away.run(['accounts', 'list']);
    expect([code, stderr]).toEqual([5, `The service at ${new URL(closed.url).origin} cannot be reached: ECONNREFUSED.\n`]);
    away.remove();
  });
});

describe('aps approvals', () => {
  test('a transfer that waits exits with 4, is listed, and settles when it is approved', async () => {
    const account = await anAccount({ usdc: '10', policy: { escalation_threshold: 5 } });
    const waiting = await cli.run(['transfer', '--from', account.id, '--to', to.id, '--amount', '6', '--json']);
    const { transfer_id: id } = JSON.parse(waiting.stdout);
    expect([waiting.code, await cli.json('approvals', 'list')]).toEqual([4, expect.arrayContaining([expect.objectContaining({ id })])]);
    expect(await cli.json('approvals', 'approve', id)).toMatchObject({ transfer_id: id, status: 'settled' });
  });

  test('a denied transfer keeps the reason of the denial', async () => {
    const account = await anAccount({ usdc: '10', policy: { escalation_threshold: 5 } });
    const { transfer_id: id } = await cli.json('transfer', '--from', account.id, '--to', to.id, '--amount', '6');
    await cli.json('approvals', 'deny', id, '--reason', 'too much');
    expect(await cli.json('transfers', 'show', id)).toMatchObject({ status: 'rejected', denial_reason: 'too much' });
  });
});

describe('aps export', () => {
  test('export writes the CSV of the API to stdout and to a file', async () => {
    await pay(from, to, '0.75', { memo: 'of the export' });
    const { stdout } = await cli.run(['export', '--account', from.id]);
    expect(stdout).toMatch(/^id,account_id,type,.*\r?\n/);
    expect(stdout).toContain('of the export');
    await cli.run(['export', '--account', from.id, '--output', 'records.csv']);
    expect(readFileSync(join(cli.directory, 'records.csv'), 'utf8')).toBe(stdout);
  });
});

describe('aps pay', () => {
  test('pay prints the response of a paid API, and a dry run its prices', async () => {
    const args = ['pay', `${provider.url}/report`, '--account', from.id, '--max-amount', '0.05'];
    const { quotes } = await cli.json(...args, '--dry-run');
    expect(quotes).toContainEqual(expect.objectContaining({ chosen: true }));
    const { code, stdout } = await cli.run(args);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ report: 'All is well.' })]);
  });
});
