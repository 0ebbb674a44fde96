/** While every answer of the node is of a form that no method has, or of an account that cannot be, no request is 500, and nothing known is 404. */
import { randomUUID } from 'node:crypto';
import { api, type Answer, type Api } from '../support/api';
import { anAccount } from '../support/world';
import { Site } from './site';

jest.setTimeout(180_000);

const FOREIGN = '{"data":["AAAA","base64"],"owner":"11111111111111111111111111111111","lamports":1,"executable":false}';
const FORMS = [
  ...['"seven"', '7', 'null', '{}', '[]', '[{}]', '{"context":{}}'],
  ...['"seven"', '[{}]', 'null', '[null]', '[null,null]', FOREIGN, `[${FOREIGN}]`].map(
    (value) => `{"context":{"slot":99999},"value":${value}}`,
  ),
];

let site: Site;
let by: Api;
let requests: (() => Promise<Answer>)[];

beforeAll(async () => {
  site = await Site.start();
  by = api(site.baseUrl(0), site.operatorKey);
  const [from, to] = await Promise.all([anAccount({ usdc: '100', by }), anAccount({ by })]);
  const fleet = (await by.post('/v1/fleets', { name: 'fleet', policy: { max_single_transfer: 10 }, limits: { max_daily_spend: 10 } })).body
    .fleet_id;
  const member = (await by.post('/v1/accounts', { name: 'member', fleet_id: fleet })).body.account_id;
  const money = (amounts: object) => ({
    account_id: from.id,
    provider: 'http://127.0.0.1:9',
    payee: to.address,
    idempotency_key: randomUUID(),
    ...amounts,
  });
  const session = (await by.post('/v1/sessions', money({ cap: '1' }))).body.session_id;
  const account = `/v1/accounts/${from.id}`;
  const reads = ['', '/balance', '/policy', '/spending', '/transactions'].map((path) => account + path);
  reads.push('/v1/accounts', '/v1/fleets', `/v1/fleets/${fleet}`, `/v1/fleets/${fleet}/spending`, `/v1/sessions/${session}`);
  requests = [
    ...reads.map((path) => () => by.get(path)),
    () => by.put(`${account}/policy`, { max_daily_spend: 60 }),
    () => by.put(`${account}/policy`, { paused: true }),
    () => by.post('/v1/transfers', { from: from.id, to: to.id, amount: '1', idempotency_key: randomUUID() }),
    () => by.post('/v1/sessions', money({ cap: '1' })),
    () => by.post(`/v1/sessions/${session}/close`),
    () => by.post(`${account}/rotate_authority`),
    () => by.put(`${account}/fleet`, { fleet_id: fleet }),
    () => by.post(`/v1/accounts/${member}/close`),
    () => by.post('/v1/sandbox/faucet', { account_id: from.id, amount: '1' }),
  ];
});
afterAll(() => site.stop());
afterEach(() => site.heal());

test.each(FORMS)('reads and changes answer 200, 202 or 503 with Retry-After while the node answers every call with %s', async (form) => {
  site.proxy.fate = () => ({ text: `{"jsonrpc":"2.0","id":"1","result":${form}}` });
  const answers = await Promise.all(requests.map((request) => request()));
  const isExpected = ({ status, headers }: Answer) => [200, 201, 202].includes(status) || (status === 503 && headers.has('Retry-After'));
  expect(answers.filter((answer) => !isExpected(answer)).map(({ status, body }) => ({ status, body }))).toEqual([]);
});
