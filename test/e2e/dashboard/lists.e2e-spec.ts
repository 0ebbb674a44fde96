import { api, type Api, type Body } from '../../support/api';
import { fillHistory } from '../../support/history';
import { newOperatorKey } from '../../support/operators';
import { sharedService } from '../../support/service';
import { anAccount, bodyOf, everyRow, query } from '../../support/world';

jest.setTimeout(120_000);

const TRANSFERS = 1_200;
const PAYMENTS = 1_100;

let operator: Api;
let cookie: string;

/** An operator of its own, so that the history is in no other test's lists. */
beforeAll(async () => {
  const key = await newOperatorKey(sharedService());
  operator = api(sharedService().baseUrl, key);
  const accounts = [await anAccount({ by: operator }), await anAccount({ by: operator })];
  const { operator_id: operatorId } = bodyOf(await operator.get('/v1/me'), 200);
  await fillHistory(query, { operatorId, accountIds: accounts.map(({ id }) => id), transfers: TRANSFERS, payments: PAYMENTS });
  const response = await send('session', {
    method: 'POST',
    headers: { 'X-Dashboard': '1', 'Content-Type': 'application/json' },
    body: JSON.stringify({ key }),
  });
  cookie = String(response.headers.get('set-cookie')).split(';')[0] ?? '';
});

const send = (path: string, options: RequestInit): Promise<Response> => fetch(`${sharedService().baseUrl}/dashboard/${path}`, options);

/** As a browser downloads a link of the page: with the cookie, and without the page's header. */
const download = (path: string, site = 'same-origin'): Promise<Response> =>
  send(`data/${path}`, { headers: { Cookie: cookie, 'Sec-Fetch-Site': site } });

/** The first fields of the lines behind the header. Ids come first and hold no comma. */
const idsOf = (text: string): string[] =>
  text
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',')[0] ?? '');

test.each([
  '',
  'status=rejected',
  'rejection_reason=categories',
  'category=data&min_amount=5',
  'since=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z',
])('the CSV of transfers under the filters %j has the rows of the list and no others', async (filters) => {
  const response = await download(`transfers.csv?${filters}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="transfers(-from-2020-01-01-to-2020-01-02)?\.csv"$/);
  const ids = idsOf(await response.text());
  expect(ids).toEqual((await everyRow(`/v1/transfers?${filters}`, operator)).map(({ transfer_id }) => transfer_id));
  if (filters === '') expect(ids).toHaveLength(TRANSFERS);
});

test('the CSV of an account’s transfers has the names of both parties, and its file the account’s handle and the days', async () => {
  const { account_id, handle } = bodyOf(await operator.get('/v1/accounts'), 200).data[0];
  const response = await download(
    `transfers.csv?account_id=${account_id}&status=settled&since=2020-01-01T00:00:00Z&until=2100-02-03T00:00:00Z`,
  );
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="transfers-${handle}-from-2020-01-01-to-2100-02-03.csv"`);
  const [header = '', ...lines] = (await response.text()).split('\r\n').slice(0, -1);
  expect(header.split(',').slice(-5)).toEqual(['from_name', 'to_name', 'signed_amount_usdc', 'fee_lamports', 'labels']);
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines)
    expect(
      line
        .split(',')
        .slice(-5, -3)
        .every((name) => name !== ''),
    ).toBe(true);
});

test.each(['', 'status=paid&category=data', 'rejection_reason=max_amount', 'provider=api.example.com'])(
  'the CSV of payments under the filters %j has the rows of the list and no others',
  async (filters) => {
    const ids = idsOf(await (await download(`payments.csv?${filters}`)).text());
    expect(ids).toEqual((await everyRow(`/dashboard/data/payments?${filters}`, operator)).map(({ payment_id }) => payment_id));
    expect(ids.length).toBeGreaterThan(0);
  },
);

test('the dashboard lists payments by category and by reason', async () => {
  const valuesOf = async (filters: string, member: string): Promise<unknown[]> => [
    ...new Set((await everyRow(`/dashboard/data/payments?${filters}`, operator)).map((row: Body) => row[member])),
  ];
  expect(await valuesOf('category=data', 'category')).toEqual(['data']);
  expect(await valuesOf('rejection_reason=max_amount', 'status')).toEqual(['rejected']);
  expect(await valuesOf('rejection_reason=paused', 'status')).toEqual([]);
});

test('the CSV of an account’s history has names, signs and fees of the records in its state, and its file the handle', async () => {
  const { account_id, handle } = bodyOf(await operator.get('/v1/accounts'), 200).data[0];
  const response = await download(`transactions.csv?account_id=${account_id}&status=settled`);
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="transactions-${handle}.csv"`);
  const [header = '', ...lines] = (await response.text()).split('\r\n').slice(0, -1);
  expect(header.split(',').slice(-5)).toEqual(['account_name', 'counterparty_name', 'signed_amount_usdc', 'labels', 'fee_lamports']);
  expect(lines.map((line) => line.split(',')[0])).toEqual(
    (await everyRow(`/v1/accounts/${account_id}/transactions?status=settled`, operator)).map(({ id }) => id),
  );
});

test('the CSV of a statement is that of the API, and its file has the handle and the month', async () => {
  const { account_id, handle } = bodyOf(await operator.get('/v1/accounts'), 200).data[0];
  const response = await download(`statement.csv?account_id=${account_id}&month=2020-01`);
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="statement-${handle}-2020-01.csv"`);
  const rows = (await response.text()).split('\r\n').slice(1, -1);
  expect(rows.map((row) => row.split(',').filter((cell) => cell !== ''))).toEqual([
    ['opening', '0.000000'],
    ['closing', '0.000000'],
  ]);
  expect((await download(`statement.csv?account_id=${account_id}&month=0000-01`)).status).toBe(400);
  expect((await download('statement.csv?account_id=acct_unknown')).status).toBe(404);
});

test.each(['transfers.csv', 'payments.csv', 'transactions.csv', 'statement.csv'])(
  '%s is 401 without a session or from another site, and 400 with an unknown filter',
  async (file) => {
    expect((await send(`data/${file}?unknown=1`, {})).status).toBe(401);
    for (const site of ['cross-site', 'same-site', 'none']) expect((await download(file, site)).status).toBe(401);
    expect((await download(`${file}?unknown=1`)).status).toBe(400);
  },
);
