import {
  anAccount,
  balanceOf,
  eventsOf,
  invalidFields,
  operator,
  order,
  query,
  sendText,
  stranger,
  type TestAccount,
} from '../../support/world';

const send = (body: unknown) => operator().post('/v1/transfers', body);
const emoji = (count: number): string => '🦀'.repeat(count);
const rowsOf = ({ id }: { id: string }) => query('SELECT id FROM orders WHERE account_id = $1', [id]);

describe('POST /v1/transfers with an invalid body', () => {
  let [payer, payee]: TestAccount[] = [];
  beforeAll(async () => void ([payer, payee] = [await anAccount({ usdc: '10' }), await anAccount()]));
  const body = (more: object) => ({ ...order(payer!, payee!, '1'), ...more });

  const amounts = [
    0,
    1,
    1.5,
    null,
    true,
    ['1'],
    { usdc: '1' },
    '',
    '0',
    '0.0',
    '0.000000',
    '0.0000001',
    '0.0000010',
    '-1',
    '+1',
    '1e3',
    '1E3',
    '1.',
    '.5',
    '.',
    ' 1',
    '1 ',
    '1\n',
    '1,5',
    '1_000',
    '0x10',
    '١',
    '１',
    'NaN',
    'Infinity',
    '1000000000000',
    '1.1234567',
    '1'.repeat(13),
    '1\0',
  ];
  test.each(amounts.map((amount) => [JSON.stringify(amount), amount]))(
    'POST /v1/transfers rejects an amount of %s',
    async (_text, amount) => expect(invalidFields(await send(body({ amount })))).toEqual(['amount']),
  );

  const wrong: [string, object, string][] = [
    ...['from', 'to', 'amount', 'idempotency_key'].flatMap((field): [string, object, string][] => [
      [`without ${field}`, { [field]: undefined }, field],
      [`with ${field} of null`, { [field]: null }, field],
      [`with a number for ${field}`, { [field]: 7 }, field],
      [`with a list as ${field}`, { [field]: ['a'] }, field],
      [`with an empty ${field}`, { [field]: '' }, field],
      [`with NUL in ${field}`, { [field]: 'a\0' }, field],
      [`with a lone surrogate in ${field}`, { [field]: 'a\udfff' }, field],
    ]),
    ['with a key of 129 characters', { idempotency_key: emoji(129) }, 'idempotency_key'],
    ['with a memo of 201 characters', { memo: 'm'.repeat(201) }, 'memo'],
    ['with a memo of 201 emoji', { memo: emoji(201) }, 'memo'],
    ['with a memo of null', { memo: null }, 'memo'],
    ['with a number as memo', { memo: 5 }, 'memo'],
    ['with NUL in its memo', { memo: 'a\0' }, 'memo'],
    ['with a lone surrogate in its memo', { memo: '\ud83e' }, 'memo'],
    ['with an empty category', { category: '' }, 'category'],
    ['with a category of 33 characters', { category: 'c'.repeat(33) }, 'category'],
    ['with a category in capitals', { category: 'Data' }, 'category'],
    ['with a category of null', { category: null }, 'category'],
    ['with an unknown field', { currency: 'EUR' }, 'currency'],
    ['with a status', { status: 'settled' }, 'status'],
  ];
  test.each(wrong)('POST /v1/transfers rejects a body %s and names the field', async (_how, more, field) =>
    expect(invalidFields(await send(body(more)))).toEqual([field]),
  );

  test.each([
    ['malformed JSON', '{"from":', 400],
    ['a list', '[{}]', 400],
    ['empty', '', 400],
    ['a body of 300 KiB', `{"memo":"${'m'.repeat(300 * 1024)}"}`, 413],
  ])('POST /v1/transfers rejects a body that is %s', async (_what, text, status) => {
    expect((await sendText('POST', '/v1/transfers', text)).status).toBe(status);
  });
  test('POST /v1/transfers rejects another content type', async () =>
    expect((await sendText('POST', '/v1/transfers', 'from=a', 'text/plain')).status).toBe(415));

  test('POST /v1/transfers names every invalid field', async () => {
    expect(invalidFields(await send({ from: 1, to: '', amount: '01.0000000', memo: emoji(201), colour: 1 })).sort()).toEqual([
      'amount',
      'colour',
      'from',
      'idempotency_key',
      'memo',
      'to',
    ]);
  });

  test.each(['acct_00000000000000000000000000', 'acct_1', 'somebody', 'x'.repeat(128)])(
    'POST /v1/transfers from %s, which does not exist, answers 404',
    async (from) => {
      const { status, body: answer } = await send(body({ from }));
      expect([status, answer.error]).toEqual([404, 'not_found']);
    },
  );

  test('POST /v1/transfers from another operator’s account answers 404', async () => {
    const theirs = await anAccount({ by: stranger(), usdc: '5' });
    const [one, other] = [await send(body({ from: theirs.id })), await send(body({ from: 'acct_00000000000000000000000000' }))];
    expect([one.status, { ...one.body, request_id: '' }]).toEqual([404, { ...other.body, request_id: '' }]);
    expect(await balanceOf(theirs, stranger())).toBe('5.000000');
  });

  afterAll(async () => {
    expect(await rowsOf(payer!)).toEqual([]);
    expect(await balanceOf(payer!)).toBe('10.000000');
    expect(await eventsOf(payer!)).toEqual([]);
  });
});
