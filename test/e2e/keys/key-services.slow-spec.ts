import { randomBytes } from 'node:crypto';
import { api } from '../../support/api';
import { type KeyServiceDouble, vault, VAULT_TOKEN } from '../../support/key-services';
import { startService, type Service } from '../../support/service';
import { anAccount, bodyOf, chainBalance, order } from '../../support/world';

jest.setTimeout(120_000);

let keys: KeyServiceDouble;
let service: Service;
beforeAll(async () => {
  keys = await vault(randomBytes(32)).start();
  const variables = {
    VAULT_ADDR: keys.url,
    VAULT_TOKEN,
    KEY_ENCRYPTION_KEY: 'vault:wrap:vault:v1:sealed',
    FEE_PAYER_KEY: 'vault:fee-payer',
  };
  service = await startService({ variables: { ...variables, SETTLEMENT_WAIT_MS: '3000', LOG_LEVEL: 'debug' } });
});
afterAll(async () => {
  await service.stop();
  keys.stop();
});

test('a service whose keys are in Vault pays; while Vault is away nothing moves, and afterwards the same request pays once', async () => {
  const by = api(service.baseUrl, service.operatorKey);
  const [payer, payee] = [await anAccount({ usdc: '10', by }), await anAccount({ by })];
  bodyOf(await by.post('/v1/transfers', order(payer, payee, '1')), 200);
  keys.fail = { status: 503, body: { errors: ['Vault is sealed'] } };
  const request = order(payer, payee, '2');
  const refused = await by.post('/v1/transfers', request);
  expect([refused.status, refused.body.error]).toEqual([503, 'chain_unavailable']);
  expect(await chainBalance(payee.tokenAccount, service.sandbox.rpc_url)).toBe(1_000_000n);
  keys.fail = undefined;
  bodyOf(await by.post('/v1/transfers', request), 200);
  bodyOf(await by.post('/v1/transfers', request), 200);
  expect(await chainBalance(payee.tokenAccount, service.sandbox.rpc_url)).toBe(3_000_000n);
  expect(service.output).not.toContain(VAULT_TOKEN);
});
