import { connect } from 'node:net';
import { randomUUID } from 'node:crypto';
import type { Api, Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { sharedService } from '../../support/service';
import {
  anAccount,
  anAgent,
  anonymous,
  bodyOf,
  everyRow,
  invalidFields,
  operator,
  pay,
  query,
  stranger,
  type TestAccount,
} from '../../support/world';

const UNKNOWN = 'acct_00000000000000000000000000';
const list = async (search: string, by: Api = operator()): Promise<Body[]> => bodyOf(await by.get(`/v1/transactions?${search}`), 200).data;
const ids = (rows: Body[]): string[] => rows.map(({ id }) => id);

/** The whole result as CSV. */
async function csv(search = '', key: string | null = sharedService().operatorKey) {
  const headers = { Accept: 'text/csv', ...(key !== null && { Authorization: `Bearer ${key}` }) };
  const response = await fetch(new URL(`/v1/transactions?${search}`, sharedService().baseUrl), { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('GET /v1/transactions', () => {
  let a: TestAccount;
  let b: TestAccount;
  const reference = randomUUID();
  let rejected: Body;
  beforeAll(async () => {
    [a, b] = [await anAccount({ usdc: '50', policy: { max_single_transfer: 5 } }), await anAccount({ usdc: '50' })];
    bodyOf(await pay(a, b, '1', { category: 'data', reference }), 200);
    bodyOf(await pay(b, a, '2', { category: 'search', reference }), 200);
    rejected = bodyOf(await pay(a, b, '6', { category: 'data', reference }), 402);
  });

  test('GET /v1/transactions lists records of all accounts, newest first, as the accounts’ own lists show them', async () => {
    const rows = await list(`reference=${reference}`);
    expect(rows).toHaveLength(5);
    expect(ids(rows)).toEqual(ids(rows).toSorted().reverse());
    const own = [...(await everyRow(`/v1/accounts/${a.id}/transactions`)), ...(await everyRow(`/v1/accounts/${b.id}/transactions`))];
    for (const row of rows) expect(own).toContainEqual(row);
    expect(new Set(rows.map(({ account_id }) => account_id))).toEqual(new Set([a.id, b.id]));
    expect(rows[0]).toMatchObject({ type: 'rejection', account_id: a.id, transfer_id: rejected.transfer_id, amount_usdc: '6.000000' });
  });

  test('GET /v1/transactions filters by every parameter, and by several at once', async () => {
    const of = `reference=${reference}`;
    expect((await list(`${of}&account_id=${b.id}`)).map(({ account_id }) => account_id)).toEqual([b.id, b.id]);
    expect((await list(`${of}&type=rejection`)).map(({ type }) => type)).toEqual(['rejection']);
    expect((await list(`${of}&type=transfer`)).length).toBe(4);
    await eventually(async () => expect(await list(`account_id=${a.id}&type=deposit`)).toMatchObject([{ type: 'deposit' }]));
    expect((await list(`${of}&status=rejected`)).length).toBe(1);
    expect((await list(`${of}&status=settled`)).length).toBe(4);
    expect((await list(`${of}&status=settled&type=rejection`)).length).toBe(0);
    expect((await list(`${of}&category=search`)).map(({ amount_usdc }) => amount_usdc)).toEqual(['2.000000', '2.000000']);
    expect((await list(`${of}&counterparty=${a.id}`)).map(({ counterparty }) => counterparty)).toEqual([a.id, a.id]);
    expect((await list(`${of}&counterparty=${a.id}&category=data`)).length).toBe(1);
  });

  test('since is exclusive and until is inclusive', async () => {
    const rows = await list(`reference=${reference}`);
    const at = (index: number): string => encodeURIComponent(rows[index]?.created_at);
    const times = rows.map(({ created_at }) => created_at);
    expect(times.slice(0, 1)).toEqual((await list(`reference=${reference}&since=${at(1)}`)).map(({ created_at }) => created_at));
    expect((await list(`reference=${reference}&until=${at(1)}`)).map(({ created_at }) => created_at)).toEqual(times.slice(1));
    expect(await list(`reference=${reference}&since=${at(0)}`)).toEqual([]);
    expect(await list(`reference=${reference}&since=${at(4)}&until=${at(4)}`)).toEqual([]);
  });

  test('pages do not shift while records are added', async () => {
    const marker = randomUUID();
    for (let count = 0; count < 5; count++) bodyOf(await pay(b, a, '0.1', { reference: marker }), 200);
    const all = ids(await list(`reference=${marker}&account_id=${b.id}`));
    const first = bodyOf(await operator().get(`/v1/transactions?reference=${marker}&account_id=${b.id}&limit=2`), 200);
    expect(first.has_more).toBe(true);
    bodyOf(await pay(b, a, '0.1', { reference: marker }), 200);
    const rest = bodyOf(
      await operator().get(`/v1/transactions?reference=${marker}&account_id=${b.id}&limit=3&cursor=${first.cursor}`),
      200,
    );
    expect([...ids(first.data), ...ids(rest.data), rest.cursor, rest.has_more]).toEqual([...all, null, false]);
  });

  test('an agent sees its own accounts only, and another operator nothing', async () => {
    const agent = await anAgent(a);
    const own = await list(`reference=${reference}`, agent);
    expect(own.map(({ account_id }) => account_id)).toEqual([a.id, a.id, a.id]);
    expect(await list(`account_id=${b.id}`, agent)).toEqual([]);
    expect(await list(`reference=${reference}`, stranger())).toEqual([]);
    expect(await list(`account_id=${a.id}`, stranger())).toEqual([]);
    expect((await anonymous().get('/v1/transactions')).status).toBe(401);
  });

  test.each([
    ...['0', '101', 'x', ''].map((value) => `limit=${value}`),
    ...['x', ''].map((value) => `cursor=${value}`),
    ...['payment', ''].map((value) => `type=${value}`),
    ...['failed', ''].map((value) => `status=${value}`),
    'account_id=',
    'counterparty=',
    ...['A', '', 'x'.repeat(33)].map((value) => `category=${value}`),
    `reference=${'r'.repeat(129)}`,
    'since=today',
    'until=2026-13-01T00:00:00Z',
    'memo=x',
  ])('GET /v1/transactions rejects %s and names the parameter', async (search) => {
    expect(invalidFields(await operator().get(`/v1/transactions?${search}`))).toEqual([search.split('=')[0]]);
    expect((await csv(search)).status).toBe(400);
  });

  test('an unknown account has no records', async () => expect(await list(`account_id=${UNKNOWN}`)).toEqual([]));
});

describe('GET /v1/transactions with Accept: text/csv', () => {
  let a: TestAccount;
  let b: TestAccount;
  const reference = `=cmd("x"), ${randomUUID()}`;
  beforeAll(async () => {
    [a, b] = [await anAccount({ usdc: '50' }), await anAccount()];
    for (const memo of ['plain', 'one\r\ntwo', 'a, "b"', '+1', '-1', '@x']) bodyOf(await pay(a, b, '0.5', { memo, reference }), 200);
    await eventually(async () => expect(await list(`account_id=${a.id}`)).toHaveLength(7));
  });

  test('the whole result is one CSV file with a header row, amounts and times as in JSON', async () => {
    const { status, headers, text } = await csv(`account_id=${a.id}&type=transfer`);
    expect([status, headers.get('Content-Type')]).toEqual([200, expect.stringMatching(/^text\/csv; charset=utf-8/)]);
    const [header, ...lines] = parsed(text);
    const rows = lines.map((fields) => Object.fromEntries(fields.map((field, index) => [header?.[index], field])));
    const json = await list(`account_id=${a.id}&type=transfer`);
    expect(rows.map(({ id }) => id)).toEqual(ids(json));
    for (const [index, row] of rows.entries())
      for (const member of ['account_id', 'type', 'amount_usdc', 'tx_signature', 'transfer_id', 'created_at', 'settled_at'])
        expect([member, row[member]]).toEqual([member, json[index]?.[member]]);
    expect(rows.map(({ memo }) => memo).toReversed()).toEqual(['plain', 'one\r\ntwo', 'a, "b"', "'+1", "'-1", "'@x"]);
    expect(new Set(rows.map((row) => row.reference))).toEqual(new Set([`'${reference}`]));
    expect(new Set(rows.map((row) => row.fee_lamports))).toEqual(new Set(['10000']));
  });

  test('every line ends with CRLF, and limit and cursor do not cut the result', async () => {
    const { text } = await csv(`account_id=${a.id}&limit=2`);
    expect(text.endsWith('\r\n')).toBe(true);
    expect(parsed(text)).toHaveLength(1 + 7);
    const { cursor } = bodyOf(await operator().get(`/v1/transactions?account_id=${a.id}&limit=2`), 200);
    expect((await csv(`account_id=${a.id}&limit=2&cursor=${cursor}`)).text).toBe(text);
  });

  test('a result without records is the header row alone', async () =>
    expect(parsed((await csv(`account_id=${UNKNOWN}`)).text)).toHaveLength(1));

  test('JSON is answered to a client that accepts it as well', async () => {
    for (const accept of ['*/*', 'application/json, text/csv', 'text/csv;q=0.5, application/json'])
      expect((await operator().get(`/v1/transactions?account_id=${a.id}`, { Accept: accept })).body.data).toHaveLength(7);
  });

  test('an agent exports its own accounts only, and no key is 401 in JSON', async () => {
    const { key } = bodyOf(await operator().post('/v1/api_keys', { type: 'agent', account_ids: [b.id] }), 201);
    const [header, ...lines] = parsed((await csv('', key)).text);
    expect(new Set(lines.map((fields) => fields[header?.indexOf('account_id') ?? -1]))).toEqual(new Set([b.id]));
    expect(lines).toHaveLength(6);
    const refused = await csv('', null);
    expect([refused.status, JSON.parse(refused.text).error]).toEqual([401, 'unauthorized']);
  });

  test('a reader that takes nothing holds no transaction, and other requests are answered', async () => {
    const { hostname, port } = new URL(sharedService().baseUrl);
    const socket = connect(Number(port), hostname);
    socket.pause();
    socket.write(
      `GET /v1/transactions HTTP/1.1\r\nHost: ${hostname}\r\nAccept: text/csv\r\nAuthorization: Bearer ${sharedService().operatorKey}\r\n\r\n`,
    );
    await new Promise((resolve) => socket.once('connect', resolve));
    expect((await list(`account_id=${a.id}`)).length).toBe(7);
    // Other requests' transactions on the same table end by themselves; one that waited for this reader would stay.
    await eventually(async () =>
      expect(
        await query(
          `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%' AND query LIKE '%ledger_entries%'`,
        ),
      ).toEqual([]),
    );
    socket.destroy();
    expect((await csv(`account_id=${a.id}`)).status).toBe(200);
  });
});

/** A file by RFC 4180. */
function parsed(text: string): string[][] {
  const rows: string[][] = [];
  const row: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\r\n') rows.push(row.splice(0));
  }
  return rows;
}
