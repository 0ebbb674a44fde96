import bs58 from 'bs58';
import { NEW_POLICY } from '../../support/new-policy';
import { TIME, anAccount, anAgent, bodyOf, invalidFields, operator, pay, query, sendText, setPolicy, stranger } from '../../support/world';

const LIMITS = ['max_single_transfer', 'max_daily_spend', 'escalation_threshold'];
const put = (id: string, body: unknown, headers: Record<string, string> = {}) => operator().put(`/v1/accounts/${id}/policy`, body, headers);
const policyOf = async (id: string) => bodyOf(await operator().get(`/v1/accounts/${id}/policy`), 200);
/** This many different addresses. */
const addresses = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => bs58.encode(Buffer.from(`${index}`.padStart(32, 'counterparty'))));
const address = (index: number): string => String(addresses(index + 1).at(index));

test('PUT /v1/accounts/:id/policy sets and unsets max_session_cap, which is absent while unset', async () => {
  const account = await anAccount();
  expect(await setPolicy(account, { max_session_cap: 2.5 })).toMatchObject({ max_session_cap: 2.5, version: 2 });
  expect(bodyOf(await operator().get(`/v1/accounts/${account.id}`), 200).policy).toMatchObject({
    max_session_cap: 2.5,
    max_daily_spend: null,
  });
  expect(await setPolicy(account, { max_daily_spend: 9 })).toMatchObject({ max_session_cap: 2.5, max_daily_spend: 9 });
  expect(await setPolicy(account, { max_session_cap: null })).not.toHaveProperty('max_session_cap');
  expect(bodyOf(await operator().get(`/v1/accounts/${account.id}/policy`), 200)).not.toHaveProperty('max_session_cap');
  for (const max_session_cap of [-1, 1_000_000_001, 0.0000001, '5'])
    expect(invalidFields(await operator().put(`/v1/accounts/${account.id}/policy`, { max_session_cap }))).toEqual(['max_session_cap']);
});

describe('PUT /v1/accounts/:id/policy with an invalid body', () => {
  let id: string;
  beforeAll(async () => void ({ id } = await anAccount()));

  const limits = LIMITS.flatMap((field) =>
    [
      '-1',
      '-0.000001',
      '1000000000.000001',
      '1000000001',
      '0.0000001',
      '1.0000001',
      '1e21',
      '1e-7',
      '1e308',
      '"1"',
      '"NaN"',
      'true',
      '[]',
      '[1]',
      '{}',
    ].map((value) => [field, value]),
  );
  test.each(limits)('PUT policy rejects %s of %s and names the field', async (field, value) => {
    expect(invalidFields(await sendText('PUT', `/v1/accounts/${id}/policy`, `{"${field}":${value}}`))).toEqual([field]);
  });

  test.each(['NaN', 'Infinity', '-Infinity', '01', '1.', '.5', '0x1', '1e999'])(
    'PUT policy rejects a limit of %s, which is not a JSON number',
    async (value) => {
      expect((await sendText('PUT', `/v1/accounts/${id}/policy`, `{"max_daily_spend":${value}}`)).body.error).toBe('invalid_request');
    },
  );

  const wrong: [string, unknown, string][] = [
    ['paused as text', { paused: 'true' }, 'paused'],
    ['paused as a number', { paused: 1 }, 'paused'],
    ['require_memo as text', { require_memo: 'no' }, 'require_memo'],
    ['require_memo as a list', { require_memo: [] }, 'require_memo'],
    ['129 counterparties', { allowed_counterparties: addresses(129) }, 'allowed_counterparties'],
    ['one counterparty that is not a list', { allowed_counterparties: address(1) }, 'allowed_counterparties'],
    ['a counterparty that is a number', { allowed_counterparties: [address(1), 7] }, 'allowed_counterparties[1]'],
    ['a counterparty of null', { allowed_counterparties: [null] }, 'allowed_counterparties[0]'],
    ['an empty counterparty', { allowed_counterparties: [''] }, 'allowed_counterparties[0]'],
    ['a counterparty that is not an address', { allowed_counterparties: [address(1), 'not-an-address'] }, 'allowed_counterparties[1]'],
    ['a counterparty with 0, O, I or l in its address', { allowed_counterparties: [`${'1'.repeat(31)}0`] }, 'allowed_counterparties[0]'],
    ['a counterparty of 31 bytes', { allowed_counterparties: ['1'.repeat(31)] }, 'allowed_counterparties[0]'],
    ['a counterparty of 33 bytes', { allowed_counterparties: ['1'.repeat(33)] }, 'allowed_counterparties[0]'],
    [
      'an unknown account as a counterparty',
      { allowed_counterparties: [address(1), 'acct_00000000000000000000000000'] },
      'allowed_counterparties[1]',
    ],
    ['a counterparty with NUL', { allowed_counterparties: ['a\0'] }, 'allowed_counterparties[0]'],
    ['a counterparty twice', { allowed_counterparties: [address(1), address(2), address(1)] }, 'allowed_counterparties[2]'],
    ['33 categories', { categories: Array.from({ length: 33 }, (_, index) => `c${index}`) }, 'categories'],
    ['a category that is not a list', { categories: 'data' }, 'categories'],
    ['a category twice', { categories: ['data', 'search', 'data'] }, 'categories[2]'],
    ['a category of 33 characters', { categories: ['a'.repeat(33)] }, 'categories[0]'],
    ...['', 'Data', '-data', '_data', 'da ta', 'data!', 'dätä', ' data', 'data\n', '🦀', '\ud800'].map(
      (category): [string, unknown, string] => [
        `a category called ${JSON.stringify(category)}`,
        { categories: ['ok', category] },
        'categories[1]',
      ],
    ),
    ['an account_id', { account_id: 'acct_1' }, 'account_id'],
    ['an updated_at', { updated_at: '2030-01-01T00:00:00Z' }, 'updated_at'],
    ['a version', { version: 1 }, 'version'],
    ['an unknown field', { max_weekly_spend: 1 }, 'max_weekly_spend'],
  ];
  test.each(wrong)('PUT policy rejects %s and names the field', async (_what, body, field) =>
    expect(invalidFields(await put(id, body))).toEqual([field]),
  );

  test.each([
    ['malformed JSON', '{"paused":', 400],
    ['a list', '[]', 400],
    ['null', 'null', 400],
    ['a body of 300 KiB', `{"categories":["${'a'.repeat(300 * 1024)}"]}`, 413],
  ])('PUT policy rejects a body that is %s', async (_what, text, status) => {
    expect((await sendText('PUT', `/v1/accounts/${id}/policy`, text)).status).toBe(status);
  });

  test('PUT policy rejects another operator’s account as a counterparty as if it did not exist', async () => {
    const { id: theirs } = await anAccount({ by: stranger() });
    expect(invalidFields(await put(id, { allowed_counterparties: [theirs] }))).toEqual(['allowed_counterparties[0]']);
  });

  test('PUT policy rejects an account together with its own address as the same counterparty', async () => {
    const other = await anAccount();
    expect(invalidFields(await put(id, { allowed_counterparties: [other.id, address(1), other.address] }))).toEqual([
      'allowed_counterparties[2]',
    ]);
    expect(invalidFields(await put(id, { allowed_counterparties: [other.address, other.id] }))).toEqual(['allowed_counterparties[1]']);
  });

  test('PUT policy names every invalid field', async () => {
    expect(invalidFields(await put(id, { max_daily_spend: -1, paused: 0, categories: ['A', 'b', 'C'], colour: 1 })).sort()).toEqual([
      'categories[0]',
      'categories[2]',
      'colour',
      'max_daily_spend',
      'paused',
    ]);
  });

  test.each(['seven', '"seven"', '7"', '""', '"-1"', '"1.5"', 'W/', '"1" "2"'])('PUT policy rejects If-Match: %s', async (tag) =>
    expect(invalidFields(await put(id, { paused: true }, { 'If-Match': tag }))).toEqual(['If-Match']),
  );

  test('PUT and GET policy answer 403 to an agent', async () => {
    const agent = await anAgent({ id });
    for (const { status, body } of [
      await agent.get(`/v1/accounts/${id}/policy`),
      await agent.put(`/v1/accounts/${id}/policy`, { max_daily_spend: 1 }),
    ])
      expect([status, body.error]).toEqual([403, 'forbidden']);
  });

  afterAll(async () => expect(await policyOf(id)).toMatchObject({ ...NEW_POLICY, version: 1 }));
});

describe('PUT and GET /v1/accounts/:id/policy', () => {
  test('a new account has the default policy', async () => {
    const { id } = await anAccount();
    const { headers, body } = await operator().get(`/v1/accounts/${id}/policy`);
    expect(body).toEqual({ account_id: id, ...NEW_POLICY, version: 1, updated_at: expect.stringMatching(TIME) });
    expect(headers.get('ETag')).toBe('"1"');
  });

  test.each(LIMITS.flatMap((field) => [0, 0.000001, 0.1, 1.23, 999_999_999.999999, 1e9].map((value) => [field, value] as const)))(
    'PUT policy accepts %s of %d',
    async (field, value) => {
      const { id } = await anAccount();
      expect((await setPolicy({ id }, { [field]: value }))[field]).toBe(value);
      expect((await policyOf(id))[field]).toBe(value);
      expect(bodyOf(await operator().get(`/v1/accounts/${id}`), 200).policy[field]).toBe(value);
    },
  );

  test('PUT policy stores a limit of minus zero as zero', async () => {
    const { id } = await anAccount();
    const { status, body } = await sendText('PUT', `/v1/accounts/${id}/policy`, '{"max_daily_spend":-0}');
    expect([status, body.max_daily_spend]).toEqual([200, 0]);
  });

  test('PUT policy changes the named fields, keeps the others, and clears one with null', async () => {
    const { id } = await anAccount();
    const full = {
      max_single_transfer: 5,
      max_daily_spend: 10.5,
      allowed_counterparties: [address(1)],
      categories: ['data'],
      require_memo: true,
      escalation_threshold: 4,
      paused: false,
    };
    expect(await setPolicy({ id }, full)).toMatchObject({ ...full, version: 2 });
    expect(await setPolicy({ id }, { max_daily_spend: 11 })).toMatchObject({ ...full, max_daily_spend: 11, version: 3 });
    expect(await setPolicy({ id }, { paused: true })).toMatchObject({ ...full, max_daily_spend: 11, paused: true, version: 4 });
    expect(
      await setPolicy(
        { id },
        { max_single_transfer: null, allowed_counterparties: null, categories: null, require_memo: null, paused: null },
      ),
    ).toMatchObject({ ...NEW_POLICY, max_daily_spend: 11, escalation_threshold: 4, version: 5 });
    expect(await setPolicy({ id }, Object.fromEntries(Object.keys(NEW_POLICY).map((field) => [field, null])))).toMatchObject({
      ...NEW_POLICY,
      version: 6,
    });
  });

  test('PUT policy with an empty body changes nothing', async () => {
    const { id } = await anAccount({ policy: { max_daily_spend: 3 } });
    const before = await policyOf(id);
    const answer = await put(id, {});
    expect([answer.status, answer.body, answer.headers.get('ETag')]).toEqual([200, before, '"2"']);
    expect(await policyOf(id)).toEqual(before);
  });

  test('PUT policy without a list allows everything, with an empty list nothing', async () => {
    const [a, b] = [await anAccount({ usdc: '1' }), await anAccount()];
    expect((await setPolicy(a, { allowed_counterparties: [] })).allowed_counterparties).toEqual([]);
    expect((await pay(a, b, '0.1')).body.rejection_reason).toBe('allowed_counterparties');
    expect((await setPolicy(a, { allowed_counterparties: null, categories: [] })).categories).toEqual([]);
    expect((await pay(a, b, '0.1', { category: 'data' })).body.rejection_reason).toBe('categories');
    await setPolicy(a, { categories: null });
    bodyOf(await pay(a, b, '0.1', { category: 'data' }), 200);
  });

  test('GET policy names a counterparty as in the last successful change', async () => {
    const [a, b] = [await anAccount(), await anAccount()];
    await setPolicy(a, { allowed_counterparties: [b.id] });
    expect((await put(a.id, { allowed_counterparties: [b.address] }, { 'If-Match': '"1"' })).status).toBe(412);
    expect((await policyOf(a.id)).allowed_counterparties).toEqual([b.id]);
    await setPolicy(a, { allowed_counterparties: [b.address] });
    expect((await policyOf(a.id)).allowed_counterparties).toEqual([b.address]);
  });

  test('GET account and GET policy agree on the pause', async () => {
    const { id } = await anAccount();
    for (const [paused, status] of [
      [true, 'paused'],
      [false, 'active'],
    ] as const) {
      await setPolicy({ id }, { paused });
      const account = bodyOf(await operator().get(`/v1/accounts/${id}`), 200);
      expect([account.status, account.policy.paused]).toEqual([status, paused]);
      const [row] = await query('SELECT paused FROM accounts WHERE id = $1', [id]);
      expect(row?.paused).toBe(paused);
    }
  });

  test('GET policy has the time of the last change', async () => {
    const { id } = await anAccount();
    const { updated_at: first } = await policyOf(id);
    const { updated_at: second } = await setPolicy({ id }, { require_memo: true });
    expect(Date.parse(second)).toBeGreaterThan(Date.parse(first));
    expect((await policyOf(id)).updated_at).toBe(second);
    expect((await setPolicy({ id }, {})).updated_at).toBe(second);
  });
});

describe('PUT policy with If-Match', () => {
  test('PUT policy with another version in If-Match changes nothing', async () => {
    const { id } = await anAccount({ policy: { max_daily_spend: 1 } });
    for (const tag of ['"1"', '"3"', '"999999999999999999"', '"0"']) {
      const { status, body } = await put(id, { max_daily_spend: 9 }, { 'If-Match': tag });
      expect([status, body.error]).toEqual([412, 'precondition_failed']);
    }
    expect(await policyOf(id)).toMatchObject({ max_daily_spend: 1, version: 2 });
  });

  test('PUT policy with the current version in If-Match works once', async () => {
    const { id } = await anAccount();
    const { headers } = await operator().get(`/v1/accounts/${id}/policy`);
    const first = await put(id, { max_daily_spend: 2 }, { 'If-Match': String(headers.get('ETag')) });
    expect([first.status, first.headers.get('ETag')]).toEqual([200, '"2"']);
    expect((await put(id, { max_daily_spend: 3 }, { 'If-Match': String(headers.get('ETag')) })).status).toBe(412);
    expect((await put(id, { max_daily_spend: 4 }, { 'If-Match': `W/${first.headers.get('ETag')}` })).status).toBe(200);
    expect((await put(id, { max_daily_spend: 5 }, { 'If-Match': '*' })).body).toMatchObject({ max_daily_spend: 5, version: 4 });
  });

  test('PUT policy that pauses honours If-Match', async () => {
    const { id } = await anAccount();
    expect((await put(id, { paused: true }, { 'If-Match': '"7"' })).status).toBe(412);
    expect((await policyOf(id)).paused).toBe(false);
  });
});
