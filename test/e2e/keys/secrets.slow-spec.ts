import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bs58 from 'bs58';
import { LocalSigner } from '#chain';
import { Config } from '../../../apps/api/src/runtime/config';
import { EncryptionService } from '../../../apps/api/src/secrets/encryption.service';
import { api, type Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { startService, type Service } from '../../support/service';
import { anAccount, bodyOf, order, query, rpc, setPolicy } from '../../support/world';

jest.setTimeout(60_000);

const MAIN = join(__dirname, '..', '..', '..', 'dist', 'apps', 'api', 'src', 'bin', 'server.js');
const reports = mkdtempSync(join(tmpdir(), 'aps-reports-'));
const [sealingKey, operatorSealingKey] = [randomBytes(32), randomBytes(32)];
const feePayer = LocalSigner.generate();
const feePayerKey = JSON.stringify([...feePayer.seed, ...feePayer.signer.publicKey]);
/** Every response of the service. */
const answers: string[] = [];

let service: Service;
beforeAll(async () => {
  const variables = {
    LOG_LEVEL: 'verbose',
    KEY_ENCRYPTION_KEY: sealingKey.toString('base64'),
    OPERATOR_KEY_ENCRYPTION_KEY: operatorSealingKey.toString('base64'),
    FEE_PAYER_KEY: feePayerKey,
    MIN_FEE_PAYER_LAMPORTS: '999999999999999',
  };
  // The content of Node's report, of a crash or on demand: heap statistics, stacks, environment.
  const command = [process.execPath, '--report-on-signal', '--report-signal=SIGUSR2', `--report-directory=${reports}`, MAIN];
  service = await startService({ variables, command });
});
afterAll(async () => {
  await service.stop();
  rmSync(reports, { recursive: true });
});

/** A secret in every form in which it could be printed. */
function formsOf(secret: Uint8Array): string[] {
  const bytes = Buffer.from(secret);
  return [
    bs58.encode(bytes),
    bytes.toString('hex'),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    JSON.stringify([...bytes]).slice(1, -1),
    bytes.toString('latin1'),
  ];
}

async function everySecret(keys: string[]): Promise<string[]> {
  const sealing = new EncryptionService(
    Object.assign(new Config(), { KEY_ENCRYPTION_KEY: sealingKey, OPERATOR_KEY_ENCRYPTION_KEY: operatorSealingKey }),
  );
  const rows = (statement: string): Promise<Body[]> => query(statement, [], service.sandbox.database_url);
  const operators = (await rows('SELECT id, chain_key_sealed AS sealed FROM operators')).map(({ id, sealed }) =>
    sealing.unseal('operator-chain-key', id, sealed),
  );
  const authorities = (await rows('SELECT id, authority_key_sealed AS sealed FROM accounts')).map(({ id, sealed }) =>
    sealing.unseal('account-authority', id, sealed),
  );
  expect([operators.length, authorities.length]).toEqual([1, 3]);
  const password = new URL(service.sandbox.database_url).password;
  return [
    ...[...operators, ...authorities, sealingKey, operatorSealingKey, feePayer.seed].flatMap(formsOf),
    feePayerKey,
    password,
    ...keys,
  ];
}

test('a low fee payer balance is logged at the start, and the balance is a metric', async () => {
  expect(service.output).toMatch(/holds \d+ lamports, less than MIN_FEE_PAYER_LAMPORTS \(999999999999999\)/);
  const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
  expect(Number(/^fee_payer_lamports\{.*pays="all".*\} (\S+)$/m.exec(metrics)?.[1])).toBe(
    (await rpc('getBalance', [feePayer.signer.address], service.sandbox.rpc_url)).value,
  );
});

test('an account that is created and closed costs the fee payer the fees and the rent of the tombstone', async () => {
  const by = api(service.baseUrl, service.operatorKey);
  const lamports = async (): Promise<number> =>
    (await rpc('getBalance', [feePayer.signer.address, { commitment: 'confirmed' }], service.sandbox.rpc_url)).value;
  const remainder: number = await rpc('getMinimumBalanceForRentExemption', [40], service.sandbox.rpc_url);
  const before = await lamports();
  const account = await anAccount({ by });
  expect(before - (await lamports())).toBeGreaterThan(2 * remainder);
  bodyOf(await by.post(`/v1/accounts/${account.id}/close`), 200);
  // One signature creates, two close: 5,000 lamports each.
  expect(before - (await lamports())).toBe(remainder + 15_000);
});

test('no secret is in a log, a response or a crash report, whatever fails', async () => {
  const raw = api(service.baseUrl, service.operatorKey);
  const keep = async <T extends { body: Body }>(answer: Promise<T>): Promise<T> => {
    answers.push(JSON.stringify((await answer).body));
    return answer;
  };
  const by = {
    ...raw,
    get: (...args: Parameters<typeof raw.get>) => keep(raw.get(...args)),
    post: (...args: Parameters<typeof raw.post>) => keep(raw.post(...args)),
    put: (...args: Parameters<typeof raw.put>) => keep(raw.put(...args)),
  };
  const [payer, payee] = [await anAccount({ usdc: '10', by }), await anAccount({ by })];
  const agentKey: string = bodyOf(await raw.post('/v1/api_keys', { type: 'agent', account_ids: [payer.id] }), 201).key;
  await setPolicy(payer, { max_single_transfer: 3 }, by);
  for (const amount of ['1', '4', '-1']) await by.post('/v1/transfers', order(payer, payee, amount));
  bodyOf(await by.post(`/v1/accounts/${payer.id}/rotate_authority`), 200);
  bodyOf(await by.post('/v1/operators/rotate_key'), 200);
  await by.post('/v1/transfers', { from: agentKey, to: service.operatorKey });
  await by.get('/v1/accounts/acct_1?limit=x');
  await api(service.baseUrl, `${agentKey}x`).get('/v1/accounts');
  const secrets = await everySecret([service.operatorKey, agentKey]);
  // Sealed for another row: an internal error, whose stack is logged.
  await query(
    'UPDATE accounts SET authority_key_sealed = (SELECT authority_key_sealed FROM accounts WHERE id = $2) WHERE id = $1',
    [payee.id, payer.id],
    service.sandbox.database_url,
  );
  expect((await by.post('/v1/transfers', order(payee, payer, '0.5'))).status).toBe(500);

  process.kill(service.pid, 'SIGUSR2');
  const report = await eventually(() => {
    const [name = ''] = readdirSync(reports);
    const text = readFileSync(join(reports, name), 'utf8');
    JSON.parse(text);
    return text;
  });
  const said = service.output.replace(/^OPERATOR_KEY=.*$/m, '');
  expect(said.length).toBeGreaterThan(500);
  expect(answers.length).toBeGreaterThan(10);
  for (const secret of secrets) {
    for (const [place, text] of [
      ['log', said],
      ['report', report],
      ['answers', answers.join('\n')],
    ] as const) {
      if (text.includes(secret)) throw new Error(`a secret that begins with ${secret.slice(0, 6)} is in the ${place}`);
    }
  }
});
