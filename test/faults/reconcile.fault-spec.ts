import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Client } from 'pg';
import { api, type Api, type Body } from '../support/api';
import { startService, type Service } from '../support/service';
import { anAccount, pay, type TestAccount } from '../support/world';

jest.setTimeout(120_000);

const RECONCILE = join(__dirname, '..', '..', 'dist', 'apps', 'api', 'src', 'bin', 'reconcile.js');

let service: Service;
let by: Api;
let payer: TestAccount;
let payee: TestAccount;
beforeAll(async () => {
  // Without a worker, which would repair what the tests break.
  service = await startService({ variables: { WORKER: 'apart' } });
  by = api(service.baseUrl, service.operatorKey);
  [payer, payee] = [await anAccount({ usdc: '100', by }), await anAccount({ by })];
});
afterAll(() => service.stop());

function reconcile(): { status: number | null; report: Body; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [RECONCILE], {
    env: { PATH: process.env.PATH, DATA_DIR: service.dataDir },
    encoding: 'utf8',
  });
  return { status, report: JSON.parse(stdout) as Body, stderr };
}

async function sql(statement: string, values: unknown[]): Promise<void> {
  const client = new Client({ connectionString: service.sandbox.database_url });
  await client.connect();
  await client.query(statement, values);
  await client.end();
}

test('npm run reconcile reports a ledger that equals the chain', async () => {
  await pay(payer, payee, '10', {}, by);
  expect(reconcile()).toMatchObject({ status: 0, report: { accounts: 2, drifts: [], repaired: [], unexplained: [] } });
});

test('npm run reconcile settles a landed transfer that the database missed, and reports it', async () => {
  const { transfer_id: id } = (await pay(payer, payee, '5', {}, by)).body;
  await sql(`DELETE FROM ledger_entries WHERE order_id = $1`, [id]);
  await sql(
    `UPDATE orders SET status = 'failed', failure = '{"code":"conflict","message":"lost"}', signature = NULL, settled_at = NULL WHERE id = $1`,
    [id],
  );
  expect(reconcile()).toMatchObject({ status: 0, report: { drifts: [], repaired: [id] } });
  expect((await by.get(`/v1/transfers/${id}`)).body).toMatchObject({ status: 'settled', tx_signature: expect.any(String) });
  expect(reconcile()).toMatchObject({ status: 0, report: { repaired: [] } });
});

test('npm run reconcile takes over a policy that changed on chain, and names one that contradicts the chain', async () => {
  await by.put(`/v1/accounts/${payer.id}/policy`, { max_single_transfer: 50 });
  await sql(`UPDATE accounts SET policy_version = policy_version - 1, policy = policy || '{"max_single_transfer":null}' WHERE id = $1`, [
    payer.id,
  ]);
  expect(reconcile().report).toMatchObject({ policies: [], repaired: [payer.id] });
  await sql(`UPDATE accounts SET policy = policy || '{"max_single_transfer":9}' WHERE id = $1`, [payer.id]);
  expect(reconcile()).toMatchObject({ status: 1, report: { policies: [payer.id], repaired: [] } });
  const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
  expect(metrics).toMatch(/^reconciliation_drift_accounts 1$/m);
});

test('npm run reconcile reports a ledger entry without a movement on chain, with account and transaction', async () => {
  await sql(
    `INSERT INTO ledger_entries (id, operator_id, account_id, type, direction, micro_usdc, signature, created_at, settled_at)
     SELECT 'txn_invented', operator_id, id, 'deposit', 'in', 1, 'never', now(), now() FROM accounts WHERE id = $1`,
    [payee.id],
  );
  await sql(
    `INSERT INTO payments (id, operator_id, account_id, idempotency_key, request_hash, mode, max_micro_usdc, provider, status, sent_at, created_at, lease_until)
     SELECT 'pay_x', operator_id, id, 'x', '', 'pay', 1, 'https://example.com', 'unknown', now(), now(), now() FROM accounts WHERE id = $1`,
    [payee.id],
  );
  await sql(`INSERT INTO open_charges (account_id, payment_id, taken_at) VALUES ($1, 'pay_x', now() - interval '16 minutes')`, [payee.id]);
  const { status, report, stderr } = reconcile();
  expect(status).toBe(1);
  expect(report.drifts).toEqual([{ account_id: payee.id, balance_usdc: '15.000000', ledger_usdc: '15.000001', transactions: ['never'] }]);
  expect(stderr).toContain(payee.id);

  // A charge in progress may have moved money that the history has only after it ends.
  await sql(`UPDATE open_charges SET taken_at = now() WHERE account_id = $1`, [payee.id]);
  expect(reconcile().report.drifts).toEqual([]);
});
