import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService, type Service } from '../support/service';
import { api } from '../support/api';
import { anAccount, bodyOf, order, pay } from '../support/world';
import { pythonTools } from '../support/python-tools';

/** A short run, as in the gate, makes the requests of one seed; a long one makes other requests each time. */
const SHORT_RUN_SEED = '20261123';
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 600);
/** Starting, installing and shrinking what failed take their time too. */
jest.setTimeout((SECONDS * 2 + 300) * 1000);

/** Nothing that ends the run's own key, hands the accounts over, or calls other hosts. */
const LEFT_OUT = ['api_keys.revoke', 'operators.setChainKey', 'operators.rotateKey', 'payments.pay'];
const CHECKS = 'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,unsupported_method';

let service: Service;
beforeAll(async () => {
  service = await startService({ variables: { RATE_LIMIT_PER_KEY: '1000000', RATE_LIMIT_PER_ADDRESS: '1000000', LOG_LEVEL: 'error' } });
});
afterAll(() => service.stop());

/** Rows of every kind. */
async function fill(): Promise<void> {
  const by = api(service.baseUrl, service.operatorKey);
  const [one, other] = [await anAccount({ by, usdc: '50' }), await anAccount({ by, policy: { max_single_transfer: 1 } })];
  for (const amount of ['1', '2', '900']) await pay(one, other, amount, {}, by);
  const session = { account_id: one.id, provider: 'https://api.example.com', payee: other.address, cap: '1' };
  bodyOf(await by.post('/v1/sessions', { ...session, idempotency_key: randomUUID() }), 201);
  bodyOf(await by.post('/v1/webhooks', { url: 'https://example.com/hook' }), 201);
  await by.post('/v1/transfers', order(one, other, '1'));
}

test('a stock fuzzer of the API document finds no 500, no undocumented status and no answer off its schema', async () => {
  await fill();
  const bin = pythonTools();
  const leftOut = LEFT_OUT.flatMap((id) => ['--exclude-operation-id', id]);
  const args = [
    'run',
    `${service.baseUrl}/openapi.json`,
    '-H',
    `Authorization: Bearer ${service.operatorKey}`,
    '--checks',
    CHECKS,
    '--continue-on-failure',
  ];
  const timing = ['--max-time', String(SECONDS), '--request-timeout', '40', '--workers', '1', '--phases', 'examples,coverage,fuzzing'];
  const seed = process.env.FUZZ_SECONDS === undefined ? [] : ['--seed', SHORT_RUN_SEED];
  // The fuzzer keeps what it found in its folder and tries it first the next time.
  const folder = mkdtempSync(join(tmpdir(), 'schemathesis-'));
  const child = spawn(join(bin, 'schemathesis'), [...args, ...timing, ...seed, ...leftOut, '--no-color'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void (said = (said + String(chunk)).slice(-20_000)));
  const status = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  expect({ status, said: status === 0 ? '' : said }).toEqual({ status: 0, said: '' });
});
