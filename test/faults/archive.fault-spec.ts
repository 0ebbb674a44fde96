import { randomUUID } from 'node:crypto';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Client } from 'pg';
import type { Body } from '../support/api';
import { rewriteAuditLog } from '../support/audit-chain';
import { Cli } from '../support/cli';
import { eventually } from '../support/eventually';
import { settingsOf } from '../support/operators';
import { PurseStage } from '../support/purses';
import { startRogueProvider, type RogueProvider } from '../support/rogue-provider';
import { createAssociatedTokenAccount } from '../support/wallets';
import { anAccount, bodyOf, everyRow, pay, query, type TestAccount } from '../support/world';

jest.setTimeout(300_000);

const COMMANDS = join(__dirname, '..', '..', 'dist', 'apps', 'api', 'src', 'bin');
/** The tables whose rows move. */
const TABLES = ['sessions', 'orders', 'order_attempts', 'purses', 'payments', 'channels', 'ledger_entries'];
const monthOf = (date: Date): string => date.toISOString().slice(0, 7);
const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);
const monthAfter = (date: Date): string => monthOf(new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)));
/** The first month that stays: the one after the newest of the old records. */
const BEFORE = monthAfter(daysAgo(200));

let stage: PurseStage;
let provider: RogueProvider;
let session: Body;
let account: TestAccount;
let folder: string;

const sql = <Row extends object = Body>(text: string, values: unknown[] = []): Promise<Row[]> =>
  query<Row>(text, values, stage.service.sandbox.database_url);

/** A digest of every row that may move, without the kept requests and responses, which the service deletes meanwhile. */
async function everything(): Promise<string[]> {
  const shown = `to_jsonb(t) - '{request_sealed,response_sealed,response_bytes,response_status}'::text[]`;
  const rows = await sql<{ row: string }>(
    `${TABLES.map((table) => `SELECT '${table} ' || md5((${shown})::text) AS row FROM ${table} t`).join(' UNION ALL ')} ORDER BY 1`,
  );
  return rows.map(({ row }) => row);
}

/** Runs as `npm run archive`, or another command. */
async function run(command: string, ...options: string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, DATA_DIR: stage.service.dataDir };
  return promisify(execFile)(process.execPath, [join(COMMANDS, `${command}.js`), ...options], { env }).catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );
}

/** The months that the command moved, and its complaint. */
async function archive(...options: string[]): Promise<{ months: Body[]; error: string }> {
  const { stdout, stderr } = await run('archive', ...options);
  const lines = stdout.split('\n').filter(Boolean);
  return { months: lines.map((line) => JSON.parse(line) as Body), error: stderr.trim() };
}

const archiveAll = async (): Promise<Body[]> => (await archive('--before', BEFORE, '--to', folder)).months;

/** The archived months come back, newest first. */
async function restoreAll(months: Body[]): Promise<void> {
  for (const { path } of months.toReversed()) expect(await archive('--restore', path)).toMatchObject({ months: [{ path }], error: '' });
}

/** Ledger, sums and chain agree, and nothing had to be repaired. */
async function expectAgreement(...options: string[]): Promise<void> {
  const { drifts, repaired, unexplained, sums } = JSON.parse((await run('reconcile', ...options)).stdout) as Body;
  expect({ drifts, repaired, unexplained, sums }).toEqual({ drifts: [], repaired: [], unexplained: [], sums: [] });
}

/** All records so far, as if they had been written these days ago. */
async function age(days: number): Promise<void> {
  for (const table of TABLES) {
    const columns = await sql<{ column_name: string }>(
      `SELECT column_name FROM information_schema.columns WHERE table_name = $1 AND data_type LIKE 'timestamp%'`,
      [table],
    );
    const shifted = columns.map(({ column_name: name }) => `${name} = ${name} - interval '${days} days'`);
    await sql(`UPDATE ${table} SET ${shifted.join(', ')} ${table === 'sessions' ? `WHERE state <> 'open'` : ''}`);
  }
}

const payFrom = (more: Body): Promise<Body> =>
  stage.by
    .post('/v1/payments', { account_id: account.id, idempotency_key: randomUUID(), max_amount: '0.01', ...more })
    .then((answer) => bodyOf(answer, 200));

async function openSession(): Promise<Body> {
  const order = { account_id: account.id, provider: provider.url, payee: provider.payee, cap: '1', idempotency_key: randomUUID() };
  return bodyOf(await stage.by.post('/v1/sessions', order), 201);
}

const inSession = (paid: Body): Promise<Body> => payFrom({ session_id: paid.session_id, request: { method: 'GET', url: provider.url } });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'aps-archive-'));
  stage = await PurseStage.start();
  const { sandbox } = stage.service;
  const wallet = await createAssociatedTokenAccount(sandbox, settingsOf(stage.service).FEE_PAYER_KEY ?? '');
  provider = await startRogueProvider(wallet.owner);
  provider.price = 10_000n;
  provider.behave({
    unpaid: provider.asks(() =>
      provider.session({ request: { currency: sandbox.usdc_mint }, methodDetails: { channelProgram: sandbox.program_id } }),
    ),
  });
  account = await anAccount({ usdc: '20', policy: { max_single_transfer: 5 }, by: stage.by });
  // One of each kind, all ended: a transfer, a declined one, a charge, a purse and a session with payments.
  bodyOf(await pay(account, stage.payee, '3', {}, stage.by), 200);
  await age(40);
  bodyOf(await pay(account, stage.payee, '6', {}, stage.by), 402);
  bodyOf(await stage.pay(account), 200);
  const purse = await stage.open(account, '1');
  bodyOf(await stage.pay(account, { purse_id: purse.purse_id }), 200);
  bodyOf(await stage.by.post(`/v1/purses/${purse.purse_id}/close`, {}), 200);
  await stage.closed(purse);
  const ended = await openSession();
  await inSession(ended);
  bodyOf(await stage.by.post(`/v1/sessions/${ended.session_id}/close`, {}), 200);
  await eventually(async () => expect(bodyOf(await stage.by.get(`/v1/sessions/${ended.session_id}`), 200).status).toBe('settled'), {
    timeoutMs: 60_000,
  });
  // This one goes on.
  session = await openSession();
  await inSession(session);
  await eventually(() => expectAgreement(), { timeoutMs: 60_000 });
  await age(200);
  bodyOf(await pay(account, stage.payee, '1', {}, stage.by), 200);
});
afterAll(async () => {
  provider.stop();
  await stage.stop();
  rmSync(folder, { recursive: true });
});

afterEach(async () => {
  const archived = await sql<{ file: string }>('SELECT file FROM archived_months ORDER BY month');
  await restoreAll(archived.map(({ file }) => ({ path: join(folder, file) })));
});

test('old months move into a file each and come back as they were, while balance, limits and usage stay', async () => {
  const before = await everything();
  const figures = async (): Promise<Body> => {
    const { as_of: _asOf, ...spending } = bodyOf(await stage.by.get(`/v1/accounts/${account.id}/spending`), 200);
    const { to: _to, ...statement } = bodyOf(await stage.by.get(`/v1/accounts/${account.id}/statement`), 200);
    return { spending, statement, usage: bodyOf(await stage.by.get('/v1/usage?group_by=day'), 200) };
  };
  const shown = await figures();
  const months = await archiveAll();
  expect(months.map(({ month }) => month)).toEqual([monthOf(daysAgo(240)), monthOf(daysAgo(200))]);
  expect(await figures()).toEqual(shown);
  expect((await everyRow(`/v1/accounts/${account.id}/transactions`, stage.by)).map(({ amount_usdc }) => amount_usdc)).toEqual(['1.000000']);
  await expectAgreement();

  const kept = months.flatMap(({ path }) => gunzipSync(readFileSync(path)).toString().trimEnd().split('\n').slice(1, -1));
  expect(kept.length + (await everything()).length).toBe(before.length);
  await restoreAll(months);
  expect(await everything()).toEqual(before);
  await expectAgreement();
});

test('an open session stays with its order and its payments, and is paid from and settled after its month is archived', async () => {
  await archiveAll();
  expect(await sql('SELECT id FROM sessions')).toEqual([{ id: session.session_id }]);
  expect(await inSession(session)).toMatchObject({ status: 'paid' });
  expect((await everyRow(`/v1/payments?session_id=${session.session_id}`, stage.by)).length).toBeGreaterThanOrEqual(2);
});

test('archived transactions are not recorded again when the chain is read from its start, or the database is restored', async () => {
  await archiveAll();
  const records = await sql('SELECT id FROM ledger_entries ORDER BY id');
  await sql(`UPDATE accounts SET read_signature = NULL, read_micro_usdc = 0, read_ledger_entry = NULL WHERE id = $1`, [account.id]);
  const unread = () => sql('SELECT id FROM accounts WHERE read_signature IS NULL AND id = $1', [account.id]);
  await eventually(async () => expect(await unread()).toEqual([]), { timeoutMs: 60_000 });
  await sql('DELETE FROM examined_nonces');
  await expectAgreement('--restored');
  expect(await sql('SELECT id FROM ledger_entries ORDER BY id')).toEqual(records);
});

test('the statement of an archived month and a part of one of its hours are refused with the reason', async () => {
  await archiveAll();
  const month = monthOf(daysAgo(200));
  expect(await stage.by.get(`/v1/accounts/${account.id}/statement?month=${month}`)).toMatchObject({
    status: 404,
    body: { error: 'not_found', message: expect.stringContaining('are archived') },
  });
  expect(await stage.by.get(`/v1/usage?group_by=account&since=${month}-01T10:30:00Z`)).toMatchObject({
    status: 400,
    body: { details: [{ field: 'since', message: 'must begin an hour: the records of its month are archived' }] },
  });
  bodyOf(await stage.by.get(`/v1/usage?group_by=account&since=${month}-01T10:00:00Z`), 200);
});

test('a running month is refused, so is one whose sums are not those of its records, and nothing changes', async () => {
  const before = await everything();
  expect((await archive('--before', monthOf(new Date()), '--to', folder)).error).toContain('90 days after its end');
  await sql(`UPDATE ledger_account_nets SET net_micro_usdc = net_micro_usdc + 1 WHERE account_id = $1`, [account.id]);
  expect((await archive('--before', BEFORE, '--to', folder)).error).toContain(`The sums of ${account.id}`);
  await sql(`UPDATE ledger_account_nets SET net_micro_usdc = net_micro_usdc - 1 WHERE account_id = $1`, [account.id]);
  expect(await everything()).toEqual(before);
});

test('a file that was cut, changed or is of an earlier month is not restored', async () => {
  const [first, last] = (await archiveAll()) as [Body, Body];
  expect((await archive('--restore', first.path)).error).toContain(`${last.month} must be restored first`);
  const file = join(folder, 'other.jsonl.gz');
  const text = gunzipSync(readFileSync(last.path)).toString();
  for (const [content, complaint] of [
    [gzipSync(text.replace('"micro_usdc": 10000,', '"micro_usdc": 10001,')), 'is not the file that was archived'],
    [gzipSync(text.split('\n').slice(0, -2).join('\n')), 'is not whole'],
    [readFileSync(last.path).subarray(0, -20), 'cannot be read'],
    [Buffer.from('no archive'), 'cannot be read'],
  ] as const) {
    writeFileSync(file, content);
    expect((await archive('--restore', file)).error).toContain(complaint);
  }
  expect((await archive('--verify', last.path)).months).toEqual([last]);
});

/** Changes the times of the audit log. Entries that are `isOld`, by their index from the oldest, get one in an archived month, others the present. */
async function ageAudit(isOld: (index: number) => boolean): Promise<void> {
  await rewriteAuditLog(stage.service.sandbox.database_url, await everyRow('/v1/audit_log', stage.by), (entry, index) => ({
    ...entry,
    at: daysAgo(isOld(index) ? 200 : 0).toISOString(),
  }));
}

test('old entries of the audit log move too, and their files complete its chain, which the newest entry continues', async () => {
  const cli = new Cli({ APS_BASE_URL: stage.service.baseUrl, APS_KEY: stage.service.operatorKey });
  const verify = (...files: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> =>
    cli.run(['audit', 'verify', ...(files.length === 0 ? [] : ['--archive', ...files])]);
  await ageAudit(() => true);
  const entries = await everyRow('/v1/audit_log', stage.by);
  const files = (await archiveAll()).map(({ path }) => String(path));
  expect(await everyRow('/v1/audit_log', stage.by)).toEqual(entries.slice(0, 1));
  expect(await verify()).toMatchObject({ code: 1, stdout: expect.stringContaining(`The entries before ${entries[0]?.id} are missing`) });
  expect(await verify(files[0] ?? '')).toMatchObject({ code: 1 });
  expect(await verify(join(folder, 'none'))).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read') });
  bodyOf(await stage.by.patch(`/v1/accounts/${account.id}`, { name: 'Renamed' }), 200);
  await expect(sql('DELETE FROM audit_log')).rejects.toThrow('append-only');
  expect(await verify(...files)).toMatchObject({ code: 0, stdout: expect.stringContaining(`one chain of ${entries.length + 1} entries`) });
  await restoreAll(files.map((path) => ({ path })));
  expect((await everyRow('/v1/audit_log', stage.by)).slice(1)).toEqual(entries);
  expect(await verify()).toMatchObject({ code: 0 });
  expect(await verify(...files)).toMatchObject({ code: 0 });
  cli.remove();
});

test('an old entry that follows a newer one in the chain stays', async () => {
  const count = (await everyRow('/v1/audit_log', stage.by)).length;
  await ageAudit((index) => index !== count - 3);
  await archiveAll();
  expect(await everyRow('/v1/audit_log', stage.by)).toHaveLength(3);
});

test('a row that changes while its month is archived is archived as it is then', async () => {
  const [attempt] = await sql<{ signature: string; order_id: string }>(
    'SELECT signature, order_id FROM order_attempts ORDER BY created_at LIMIT 1',
  );
  const change = new Client({ connectionString: stage.service.sandbox.database_url });
  await change.connect();
  await change.query('BEGIN');
  await change.query(`UPDATE orders SET metadata = '{"changed":"yes"}' WHERE id = $1`, [attempt?.order_id]);
  const archiving = archiveAll();
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'DELETE FROM orders%'`;
  await eventually(async () => expect(await sql(waiting)).toHaveLength(1), { timeoutMs: 60_000 });
  await change.query('COMMIT');
  await change.end();
  const [first] = await archiving;
  expect(gunzipSync(readFileSync(first?.path)).toString()).toContain('{"changed": "yes"}');
});

test('a command that is killed before its transaction ends leaves every row, and the next one writes another file', async () => {
  const before = await everything();
  // The deletion waits for this row until the command is killed.
  const blocker = new Client({ connectionString: stage.service.sandbox.database_url });
  await blocker.connect();
  await blocker.query('BEGIN');
  await blocker.query('SELECT 1 FROM order_attempts ORDER BY created_at LIMIT 1 FOR UPDATE');
  const env = { PATH: process.env.PATH, DATA_DIR: stage.service.dataDir };
  const command = spawn(process.execPath, [join(COMMANDS, 'archive.js'), '--before', BEFORE, '--to', folder], { env });
  const month = monthOf(daysAgo(240));
  const files = (): string[] => readdirSync(folder).filter((name) => name.includes(month) && name.endsWith('.gz'));
  const there = files().length;
  await eventually(async () => expect(files().length).toBe(there + 1), { timeoutMs: 60_000 });
  command.kill('SIGKILL');
  await once(command, 'exit');
  await blocker.query('ROLLBACK');
  await blocker.end();
  expect(await everything()).toEqual(before);
  const [first] = await archiveAll();
  expect(first?.month).toBe(month);
  expect(files().length).toBe(there + 2);
});
