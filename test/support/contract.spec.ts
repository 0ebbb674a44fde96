import { checkDelivery, checkExchange, type Exchange } from './contract';

const TRANSFER = {
  transfer_id: 'tr_1',
  status: 'settled',
  from: 'acct_1',
  to: 'acct_2',
  amount_usdc: '1.000000',
  idempotency_key: 'k',
  created_at: '2026-03-01T12:00:00.000Z',
};
const REQUEST = { from: 'acct_1', to: 'acct_2', amount: '1', idempotency_key: 'k' };

const check = ({ headers = {}, ...changes }: Partial<Omit<Exchange, 'headers'>> & { headers?: Record<string, string> } = {}) => {
  const exchange = { method: 'POST', path: '/v1/transfers', requestHeaders: {}, requestBody: REQUEST, status: 200, body: TRANSFER };
  return () => checkExchange({ ...exchange, ...changes, headers: new Headers({ 'X-Request-Id': 'r', ...headers }) });
};

test('an exchange that is as docs/openapi.json says passes', () => {
  expect(check()).not.toThrow();
  expect(
    check({
      method: 'GET',
      path: '/v1/transfers?limit=5',
      requestBody: undefined,
      body: { data: [TRANSFER], cursor: null, has_more: false },
    }),
  ).not.toThrow();
});

test.each<[string, Parameters<typeof check>[0], string]>([
  ['an undocumented path', { path: '/v1/nothing', body: null }, 'the path or its method is undocumented'],
  [
    'an undocumented status',
    { status: 418 },
    'the status 418 is undocumented: add it, or its error code, to the @Answers of transfers.create',
  ],
  ['an undocumented member of a response', { body: { ...TRANSFER, fee: '1' } }, 'must NOT have additional properties ("fee")'],
  ['a missing member of a response', { body: { ...TRANSFER, status: undefined } }, "must have required property 'status'"],
  ['an amount with other decimals', { body: { ...TRANSFER, amount_usdc: '1.0' } }, 'response/amount_usdc must match pattern'],
  ['a body where none is documented', { method: 'DELETE', path: '/v1/api_keys/key_1', status: 204, requestBody: undefined }, 'has a body'],
  ['an undocumented response header', { headers: { ETag: '"1"' } }, 'the response header etag is undocumented'],
  ['an undocumented request header', { requestHeaders: { 'If-Match': '"1"' } }, 'the request header if-match is undocumented'],
  ['an undocumented query parameter', { path: '/v1/transfers?colour=red' }, 'the query parameter colour is undocumented'],
  [
    'a request that succeeds and is undocumented',
    { requestBody: { ...REQUEST, colour: 'red' } },
    'must NOT have additional properties ("colour")',
  ],
])('an exchange with %s fails its test', (_what, changes, message) => {
  expect(check(changes)).toThrow(message);
});

test('a delivery is compared with the webhooks of the document: its type, its headers and the data of its type', () => {
  const names = ['x-service-signature', 'x-service-event-id', 'x-service-delivery-id', 'x-service-attempt'];
  const headers = Object.fromEntries([...names, 'webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, '1']));
  const event = {
    id: 'evt_1',
    type: 'webhook.test',
    created_at: TRANSFER.created_at,
    account_id: null,
    sequence: null,
    data: { webhook_id: 'wh_1' },
  };
  expect(() => checkDelivery({ headers, event })).not.toThrow();
  expect(() => checkDelivery({ headers: {}, event })).toThrow('the header X-Service-Signature is missing');
  expect(() => checkDelivery({ headers, event: { ...event, type: 'webhook.gone' } })).toThrow('the event type is undocumented');
  const data = { webhook_id: 'wh_1', more: 1 };
  expect(() => checkDelivery({ headers, event: { ...event, data } as typeof event })).toThrow(
    'must NOT have additional properties ("more")',
  );
});

test('a request that the service refuses is not checked, and its response is', () => {
  const body = { error: 'invalid_request', message: 'm', request_id: 'r', doc_url: 'd', details: [] };
  expect(check({ requestBody: { colour: 'red' }, status: 400, body })).not.toThrow();
  expect(check({ requestBody: { colour: 'red' }, status: 400, body: { ...body, details: undefined } })).toThrow('details');
});
