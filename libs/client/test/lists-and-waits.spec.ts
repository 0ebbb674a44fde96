import { AgentPayments, APITimeoutError, ApprovalRequired, formatUsdc, NotSettledError, parseUsdc } from '../src';
import { FakeService, type Reply } from './fake-service';

let service: FakeService;
let client: AgentPayments;
beforeAll(async () => {
  service = await new FakeService().start();
  client = new AgentPayments({ apiKey: 'k', baseURL: service.url, maxRetries: 0 });
});
afterAll(() => service.stop());

const page = (ids: string[], cursor: string | null): Reply => ({
  body: { data: ids.map((transfer_id) => ({ transfer_id })), cursor, has_more: cursor !== null },
});

test('`for await` over a list reads every page, and keeps the filters', async () => {
  service.replyWith(page(['a', 'b'], 'c1'), page([], 'c2'), page(['c'], null));
  const ids: string[] = [];
  for await (const { transfer_id } of client.transfers.list({ status: 'settled', limit: 2 })) ids.push(transfer_id);
  expect(ids).toEqual(['a', 'b', 'c']);
  expect(service.received.map(({ path }) => path)).toEqual([
    '/v1/transfers?status=settled&limit=2',
    '/v1/transfers?status=settled&limit=2&cursor=c1',
    '/v1/transfers?status=settled&limit=2&cursor=c2',
  ]);
});

test('an awaited list is its first page, and the next one is read on demand', async () => {
  service.replyWith(page(['a'], 'c1'), page(['b'], null));
  const first = await client.transfers.list();
  expect([first.data, first.hasNextPage(), service.received.length]).toEqual([[{ transfer_id: 'a' }], true, 1]);
  const second = await first.getNextPage();
  expect([second.data, second.hasNextPage()]).toEqual([[{ transfer_id: 'b' }], false]);
  await expect(second.getNextPage()).rejects.toThrow('hasNextPage');
});

test('leaving a list early reads no further page', async () => {
  service.replyWith(page(['a', 'b'], 'c1'));
  for await (const _transfer of client.transfers.list()) break;
  expect(service.received).toHaveLength(1);
});

const transfer = (status: string, more: object = {}): Reply => ({ body: { transfer_id: 'tr_1', status, ...more } });
const approval = { required_by: 'operator', expires_at: '2026-03-01T12:00:00.000Z' };

test('waitUntilSettled reads a transfer until it is settled', async () => {
  service.replyWith(transfer('submitted'), transfer('submitted'), transfer('settled'));
  expect(await client.transfers.waitUntilSettled('tr_1')).toMatchObject({ status: 'settled' });
  expect(service.received.map(({ path }) => path)).toEqual(Array(3).fill('/v1/transfers/tr_1'));
});

test('waitUntilSettled throws for a rejected transfer, for one that needs an approval, and after its time', async () => {
  service.replyWith(transfer('rejected', { rejection_reason: 'denied' }));
  await expect(client.transfers.waitUntilSettled('tr_1')).rejects.toMatchObject({
    name: 'NotSettledError',
    reason: 'denied',
  } satisfies Partial<NotSettledError>);
  service.replyWith(transfer('pending_approval', { approval }));
  const waiting = await client.transfers.waitUntilSettled({ transfer_id: 'tr_1' }).catch((thrown: unknown) => thrown);
  expect(waiting).toBeInstanceOf(ApprovalRequired);
  expect((waiting as ApprovalRequired).expiresAt).toEqual(new Date(approval.expires_at));
  service.replyWith(transfer('submitted'));
  await expect(client.transfers.waitUntilSettled('tr_1', { within: 300 })).rejects.toThrow(APITimeoutError);
});

test('waitUntilSettled with forApproval waits for the operator', async () => {
  service.replyWith(transfer('pending_approval', { approval }), transfer('settled'));
  expect(await client.transfers.waitUntilSettled('tr_1', { forApproval: true })).toMatchObject({ status: 'settled' });
});

test('amounts convert between USDC and micro-USDC exactly', () => {
  expect([parseUsdc('1.5'), parseUsdc('0.000001'), parseUsdc('9007199254.740993')]).toEqual([1_500_000n, 1n, 9_007_199_254_740_993n]);
  expect([formatUsdc(0n), formatUsdc(1n), formatUsdc(9_007_199_254_740_993n)]).toEqual(['0.000000', '0.000001', '9007199254.740993']);
  for (const text of ['', '-1', '1e3', '1.0000001', '1,5']) expect(() => parseUsdc(text)).toThrow(RangeError);
});

test('an export sends the filters, asks for CSV and is a stream', async () => {
  service.replyWith({ headers: { 'Content-Type': 'text/csv' }, body: 'id,amount' });
  const stream = await client.transactions.exportCsv({ status: 'settled' });
  expect(await new Response(stream).text()).toBe('"id,amount"');
  expect(service.received[0]).toMatchObject({ path: '/v1/transactions?status=settled', headers: { accept: 'text/csv' } });
});

test('a webhook is replayed since a time, and the key of the client is read', async () => {
  service.replyWith({ body: { replayed: 3 } }, { body: { key_id: 'key_1' } });
  expect(await client.webhooks.replay('wh_1', { since: '2026-01-01T00:00:00Z' })).toEqual({ replayed: 3 });
  expect(await client.me()).toEqual({ key_id: 'key_1' });
  expect(service.received.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /v1/webhooks/wh_1/replay', 'GET /v1/me']);
});

test('the records of all accounts are a list', async () => {
  service.replyWith({ body: { data: [{ id: 'txn_1' }], cursor: null, has_more: false } });
  expect((await client.transactions.list({ type: 'deposit' })).data).toEqual([{ id: 'txn_1' }]);
  expect(service.received[0]?.path).toBe('/v1/transactions?type=deposit');
});
