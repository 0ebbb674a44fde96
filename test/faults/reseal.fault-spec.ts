import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { api } from '../support/api';
import { settingsOf } from '../support/operators';
import { startService, type Service } from '../support/service';
import { anAccount, bodyOf, pay, query, setPolicy, countByStatus } from '../support/world';

jest.setTimeout(600_000);

const RESEAL = join(__dirname, '..', '..', 'dist', 'apps', 'api', 'src', 'bin', 'reseal.js');
const aKey = () => randomBytes(32).toString('base64');

let service: Service;
beforeAll(async () => void (service = await startService()));
afterAll(() => service.stop());

const operator = () => api(service.baseUrl, service.operatorKey);
const sealed = () =>
  query<{ sealed: string }>(
    'SELECT authority_key_sealed AS sealed FROM accounts UNION ALL SELECT chain_key_sealed FROM operators UNION ALL SELECT secret_sealed FROM webhooks ORDER BY 1',
    [],
    service.sandbox.database_url,
  );
const keyIds = async () => new Set((await sealed()).map((row) => row.sealed.split('.')[1]));

/** Runs as `npm run reseal`, with these settings in addition to those of the service. */
function reseal(variables: Record<string, string>): Promise<{ code: number; output: string }> {
  const env = { PATH: process.env.PATH, ...settingsOf(service), ...variables };
  return new Promise((resolve) =>
    execFile(process.execPath, [RESEAL], { env }, (error, stdout, stderr) => resolve({ code: error ? 1 : 0, output: stdout + stderr })),
  );
}

test('npm run reseal re-encrypts all keys while the service pays, and the old encryption keys no longer work', async () => {
  const { KEY_ENCRYPTION_KEY: oldKey = '', OPERATOR_KEY_ENCRYPTION_KEY: oldOperatorKey = '' } = settingsOf(service);
  const keys = { KEY_ENCRYPTION_KEY: aKey(), OPERATOR_KEY_ENCRYPTION_KEY: aKey() };
  const previous = { PREVIOUS_KEY_ENCRYPTION_KEY: oldKey, PREVIOUS_OPERATOR_KEY_ENCRYPTION_KEY: oldOperatorKey };
  const [a, b] = [await anAccount({ usdc: '100', by: operator() }), await anAccount({ by: operator() })];
  bodyOf(await operator().post('/v1/webhooks', { url: 'https://example.com/' }), 201);
  bodyOf(await operator().put('/v1/providers/example.com', { payee: b.address }), 200);
  const codes = () => query('SELECT mac FROM providers UNION ALL SELECT mac FROM accounts', [], service.sandbox.database_url);
  const oldCodes = await codes();
  const before = await sealed();

  // Without the old keys, or with the two exchanged, nothing is decrypted or changed, and no key is printed.
  const wrongs: Record<string, string>[] = [
    {},
    { PREVIOUS_KEY_ENCRYPTION_KEY: oldOperatorKey, PREVIOUS_OPERATOR_KEY_ENCRYPTION_KEY: oldKey },
  ];
  for (const wrong of wrongs) {
    const { code, output } = await reseal({ ...keys, ...wrong });
    expect([code, output]).toEqual([1, expect.stringMatching(/^The secret of op_\w+ was sealed under key [0-9a-f]{8}/)]);
    for (const key of [oldKey, oldOperatorKey, ...Object.values(keys)]) expect(output).not.toContain(key);
  }
  expect((await reseal({ ...keys, PREVIOUS_KEY_ENCRYPTION_KEY: 'no key' })).output).toContain(
    'PREVIOUS_KEY_ENCRYPTION_KEY must be 32 random bytes',
  );
  expect(await sealed()).toEqual(before);

  await service.restart({ variables: { ...keys, ...previous } });
  bodyOf(await pay(a, b, '1', {}, operator()), 200);
  const paying = Promise.all(Array.from({ length: 40 }, () => pay(a, b, '1', {}, operator())));
  const rotating = operator().post(`/v1/accounts/${b.id}/rotate_authority`);
  const [first, second] = await Promise.all([reseal({ ...keys, ...previous }), reseal({ ...keys, ...previous })]);
  expect([first.code, second.code]).toEqual([0, 0]);
  bodyOf(await rotating, 200);
  expect(countByStatus(await paying)).toEqual({ 200: 40 });
  expect(await reseal({ ...keys, ...previous })).toEqual({ code: 0, output: '0 secrets were resealed.\n' });
  expect((await keyIds()).size).toBe(2);
  const newCodes = await codes();
  for (const { mac } of oldCodes) expect(newCodes).not.toContainEqual({ mac });

  await service.restart({ variables: keys });
  bodyOf(await pay(a, b, '1', {}, operator()), 200);
  bodyOf(await pay(b, a, '1', {}, operator()), 200);
  await setPolicy(a, { max_daily_spend: 500 }, operator());
});
