import { api, type Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { startService, type Service } from '../../support/service';
import { anAccount, bodyOf, order } from '../../support/world';

jest.setTimeout(60_000);

let service: Service;
beforeAll(async () => void (service = await startService({ variables: { SETTLEMENT_WAIT_MS: '0', LOG_LEVEL: 'log' } })));
afterAll(() => service.stop());

/** The lines of the log, which are JSON outside of a terminal. */
const lines = (): Body[] =>
  service.output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

test('a line of the job that finishes a transfer names the request that placed it, the operator, the account and the order', async () => {
  const by = api(service.baseUrl, service.operatorKey);
  const [payer, payee] = [await anAccount({ usdc: '10', by }), await anAccount({ by })];
  const headers = { 'X-Request-Id': 'request-of-the-log-test' };
  // One may settle even while its request waits for no time at all.
  const { transfer_id: id } = await eventually(async () =>
    bodyOf(await by.post('/v1/transfers', order(payer, payee, '0.01'), headers), 202),
  );
  const line = await eventually(() => {
    const found = lines().find(({ order_id }) => order_id === id);
    expect(found).toBeDefined();
    return found;
  });
  const account = bodyOf(await by.get(`/v1/accounts/${payer.id}`), 200);
  expect(line).toMatchObject({
    level: 'info',
    context: 'Orders',
    job: 'transfer-recovery',
    request_id: 'request-of-the-log-test',
    account_id: account.account_id,
    operator_id: expect.stringMatching(/^op_/),
  });
});

test('an export as CSV leaves no warning of Node.js in the output', async () => {
  const account = await anAccount({ usdc: '10', by: api(service.baseUrl, service.operatorKey) });
  const headers = { Authorization: `Bearer ${service.operatorKey}`, Accept: 'text/csv' };
  const url = new URL(`/v1/transactions?account_id=${account.id}`, service.baseUrl);
  await eventually(async () => expect(await (await fetch(url, { headers })).text()).toContain(`${account.id},deposit,settled`));
  await service.kill('SIGTERM');
  expect(service.output).not.toContain('Warning');
});
