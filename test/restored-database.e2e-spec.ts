import { Client } from 'pg';
import { api, type Body } from './api';
import { eventually } from './eventually';
import { newDatabase, newOperatorKey, startBeside } from './operators';
import { sharedService, type Service } from './service';
import { anAccount, chainBalance, good, order, query } from './world';

jest.setTimeout(120_000);

let operatorKey: string;
const start = (databaseUrl: string, variables: Record<string, string> = {}): Promise<Service> =>
  startBeside(sharedService(), { operatorKey, variables: { DATABASE_URL: databaseUrl, LEASE_MS: '1000', ...variables } });

/** What a backup and its restoration come to. */
async function copyOf(databaseUrl: string): Promise<string> {
  const [original, copy] = [new URL(databaseUrl), new URL(databaseUrl)];
  copy.pathname = `${original.pathname}_restored`;
  const client = new Client({ connectionString: sharedService().sandbox.database_url });
  await client.connect();
  await client.query(`CREATE DATABASE ${copy.pathname.slice(1)} TEMPLATE ${original.pathname.slice(1)}`);
  await client.end();
  return copy.href;
}

test('a database restored from before some transfers settles no order with another’s signature, and spends no number twice', async () => {
  const databaseUrl = await newDatabase(sharedService());
  operatorKey = await newOperatorKey(sharedService(), databaseUrl);

  const first = await start(databaseUrl, { CRASH_AT: 'transfer.signed' });
  const by = api(first.baseUrl, operatorKey);
  const [payer, payee] = [await anAccount({ usdc: '100', by }), await anAccount({ by })];
  const interrupted = order(payer, payee, '1');
  await by.post('/v1/transfers', interrupted).catch(() => undefined);
  await eventually(() => expect(() => process.kill(first.pid, 0)).toThrow());
  const restoredUrl = await copyOf(databaseUrl);

  // What the restored database will know nothing of.
  const second = await start(databaseUrl);
  const before = api(second.baseUrl, operatorKey);
  const forgotten = order(payer, payee, '10');
  const done = [interrupted, forgotten].map(async (each) => eventually(async () => good(await before.post('/v1/transfers', each), 200)));
  const [one, other] = (await Promise.all(done)) as [Body, Body];
  await second.stop();

  const restored = await start(restoredUrl);
  const after = api(restored.baseUrl, operatorKey);
  // The order that was on its way is found on chain; equal orders of another kind are not.
  expect(await eventually(async () => good(await after.post('/v1/transfers', interrupted), 200))).toMatchObject({ tx_signature: one.tx_signature });
  const equals = await Promise.all([order(payer, payee, '10'), order(payer, payee, '10')].map((each) => after.post('/v1/transfers', each)));
  const signatures = equals.map((answer) => good(answer, 200).tx_signature);
  expect(new Set([...signatures, one.tx_signature, other.tx_signature]).size).toBe(4);
  expect(await chainBalance(payee.tokenAccount)).toBe(31_000_000n);
  const spent = [...(await query('SELECT seq FROM transfer_attempts', [], databaseUrl)), ...(await query(`SELECT seq FROM transfers WHERE signature = ANY($1)`, [signatures], restoredUrl))];
  expect(new Set(spent.map(({ seq }) => seq)).size).toBe(4);
  await restored.stop();
});
