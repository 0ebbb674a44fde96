import { aMint, aTokenAccountOf, aWallet, freeze, thaw } from '../../support/tokens';
import {
  TIME,
  anAccount,
  balanceOf,
  chainBalance,
  eventsOf,
  bodyOf,
  landedSignatures,
  invalidFields,
  operator,
  order,
  pay,
  query,
  rpc,
  sendText,
  setPolicy,
  stranger,
  type TestAccount,
} from '../../support/world';
import { sharedService } from '../../support/service';

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

/** Addresses that no transaction may write to, and programs. */
const UNWRITABLE: [string, () => string][] = [
  ['the system program', () => '1'.repeat(32)],
  ['the clock sysvar', () => 'SysvarC1ock11111111111111111111111111111111'],
  ['the instructions sysvar', () => 'Sysvar1nstructions1111111111111111111111111'],
  ['a builtin program', () => 'Vote111111111111111111111111111111111111111'],
  ['a builtin program without an account', () => 'StakeConfig11111111111111111111111111111111'],
  ['a precompile', () => 'Ed25519SigVerify111111111111111111111111111'],
  ['a program that the same transaction calls', () => 'ComputeBudget111111111111111111111111111111'],
  ['a loader', () => 'BPFLoaderUpgradeab1e11111111111111111111111'],
  ['the Token program', () => 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'],
  ['the associated Token program', () => 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'],
  ['the policy program itself', () => sharedService().sandbox.program_id],
];

describe('POST /v1/transfers to a recipient that cannot receive USDC', () => {
  let [payer, payee]: TestAccount[] = [];
  beforeAll(async () => void ([payer, payee] = [await anAccount({ usdc: '10' }), await anAccount()]));

  test.each<[string, () => Promise<string> | string]>([
    ['the payer itself', () => payer!.id],
    ['the payer’s own token account', () => payer!.tokenAccount],
    ['the payer’s chain address', () => payer!.address],
    ['an account’s chain address, which is a wallet', () => payee!.address],
    ['a wallet that holds lamports', aWallet],
    ['an address that holds nothing', () => '9'.repeat(32)],
    ['a token account of another mint', async () => aTokenAccountOf(await aMint())],
    [
      'a frozen token account',
      async () => {
        const address = await aTokenAccountOf();
        await freeze(address);
        return address;
      },
    ],
    [
      'the mint',
      async () =>
        (await rpc('getAccountInfo', [payee!.tokenAccount, { encoding: 'jsonParsed', commitment: 'confirmed' }])).value.data.parsed.info
          .mint,
    ],
    ['a text that is not an address', () => 'somebody'],
    ['a truncated address', () => payee!.tokenAccount.slice(0, -12)],
    ['an emoji', () => '🦀'],
    ['an unknown account', () => 'acct_00000000000000000000000000'],
    ['an account id in capitals', () => payee!.id.toUpperCase()],
    ['another operator’s account by its id', async () => (await anAccount({ by: stranger() })).id],
    ...UNWRITABLE,
  ])('POST /v1/transfers to %s answers 422 and leaves the idempotency key unused', async (_who, recipient) => {
    const given = order(payer!, await recipient(), '1');
    for (let count = 0; count < 2; count++) {
      const { status, body } = await send(given);
      expect([status, body.error, typeof body.message]).toEqual([422, 'invalid_recipient', 'string']);
      expect(body).not.toHaveProperty('transfer_id');
    }
    bodyOf(await send({ ...given, to: payee!.id, amount: '0.000001' }), 200);
  });

  test('POST /v1/transfers to an address that cannot be written to answers 422, also if it is listed', async () => {
    const listed = UNWRITABLE.map(([, address]) => address());
    const strict = await anAccount({ usdc: '10', policy: { allowed_counterparties: listed } });
    for (const to of listed) expect([to, (await pay(strict, to, '1')).body.error]).toEqual([to, 'invalid_recipient']);
    expect(await rowsOf(strict)).toEqual([]);
  });

  test('POST /v1/transfers checks the recipient before amount and policy', async () => {
    const [poor, other] = [await anAccount({ policy: { paused: true, max_single_transfer: 0 } }), await aWallet()];
    expect((await pay(poor, other, '999999999999.999999')).status).toBe(422);
    expect(await rowsOf(poor)).toEqual([]);
    expect(await eventsOf(poor)).toEqual([]);
  });
});

describe('POST /v1/transfers', () => {
  test('a settled transfer returns exactly the members of the contract', async () => {
    const [a, b] = [await anAccount({ usdc: '3' }), await anAccount()];
    const given = order(a, b, '1.5', { memo: '  for data \u202e🦀\n', category: 'data' });
    const { status, headers, body } = await send(given);
    expect([status, headers.get('Idempotent-Replayed')]).toEqual([200, null]);
    expect(body).toEqual({
      transfer_id: expect.stringMatching(/^tr_[0-9a-z]{26}$/),
      created_by: expect.stringMatching(/^key_/),
      status: 'settled',
      from: a.id,
      to: b.id,
      amount_usdc: '1.500000',
      memo: given.memo,
      category: 'data',
      idempotency_key: given.idempotency_key,
      tx_signature: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{64,90}$/),
      chain_explorer_url: expect.stringContaining(body.tx_signature),
      created_at: expect.stringMatching(TIME),
      settled_at: expect.stringMatching(TIME),
    });
    expect(bodyOf(await operator().get(`/v1/transfers/${body.transfer_id}`), 200)).toEqual(body);
    expect(await Promise.all([a, b].map(({ tokenAccount }) => chainBalance(tokenAccount)))).toEqual([1_500_000n, 1_500_000n]);
    expect(await landedSignatures(a.address)).toContain(body.tx_signature);
  });

  test('a transfer without memo and category has no such members', async () => {
    const { body } = await pay(await anAccount({ usdc: '1' }), await anAccount(), '1');
    expect(Object.keys(body).sort()).toEqual([
      'amount_usdc',
      'chain_explorer_url',
      'created_at',
      'created_by',
      'from',
      'idempotency_key',
      'settled_at',
      'status',
      'to',
      'transfer_id',
      'tx_signature',
    ]);
  });

  test.each([
    ['1', '1.000000'],
    ['1.0', '1.000000'],
    ['0.000001', '0.000001'],
    ['01', '1.000000'],
    ['000000000001.5', '1.500000'],
    ['1.123456', '1.123456'],
    ['2.10', '2.100000'],
  ])('a transfer of %s is shown as %s', async (amount, shown) => {
    const [a, b] = [await anAccount({ usdc: '5' }), await anAccount()];
    expect(bodyOf(await pay(a, b, amount), 200).amount_usdc).toBe(shown);
    expect(await balanceOf(b)).toBe(shown);
  });

  test('a transfer of the whole balance settles, and one micro-USDC more is rejected', async () => {
    const [a, b] = [await anAccount({ usdc: '2.5' }), await anAccount()];
    expect((await pay(a, b, '2.500001')).body.error).toBe('insufficient_balance');
    bodyOf(await pay(a, b, '2.5'), 200);
    expect([await balanceOf(a), await balanceOf(b)]).toEqual(['0.000000', '2.500000']);
    expect((await pay(a, b, '0.000001')).body.error).toBe('insufficient_balance');
  });

  test('a transfer of the largest representable amount is insufficient_balance', async () => {
    const { status, body } = await pay(await anAccount({ usdc: '1' }), await anAccount(), '999999999999.999999');
    expect([status, body.error, body.policy.attempted_usdc]).toEqual([402, 'insufficient_balance', '999999999999.999999']);
  });

  test('a transfer to a token account’s address settles, also if no account of the service owns it', async () => {
    const [a, b, theirs] = [await anAccount({ usdc: '3' }), await anAccount(), await anAccount({ by: stranger() })];
    expect(bodyOf(await pay(a, b.tokenAccount, '1'), 200).to).toBe(b.tokenAccount);
    bodyOf(await pay(a, theirs.tokenAccount, '1'), 200);
    const outside = await aTokenAccountOf();
    bodyOf(await pay(a, outside, '1'), 200);
    expect([await balanceOf(b), await balanceOf(theirs, stranger()), await chainBalance(outside)]).toEqual([
      '1.000000',
      '1.000000',
      1_000_000n,
    ]);
  });

  test('a transfer accepts keys and memos of the greatest length, in any script', async () => {
    const [a, b] = [await anAccount({ usdc: '3' }), await anAccount()];
    for (const more of [
      { idempotency_key: emoji(128 - 26) + a.id.slice(5), memo: emoji(200) },
      { idempotency_key: ` ${a.id}`, memo: '' },
      { memo: 'שלום \u202e' },
      { memo: 'm'.repeat(200), category: 'c'.repeat(32) },
    ]) {
      expect(bodyOf(await pay(a, b, '0.1', more), 200)).toMatchObject(more);
    }
  });

  test('a transfer with SQL in amount or memo is handled as text', async () => {
    const [a, b] = [await anAccount({ usdc: '3' }), await anAccount()];
    const memo = `'); DROP TABLE transfers; -- {"a":1} %s \${x} <script>`;
    const { transfer_id } = bodyOf(await pay(a, b, '1', { memo }), 200);
    expect(bodyOf(await operator().get(`/v1/transfers/${transfer_id}`), 200).memo).toBe(memo);
  });

  test('a transfer from a frozen account fails without a rule, and runs again under its key once it is thawed', async () => {
    const [a, b] = [await anAccount({ usdc: '5' }), await anAccount()];
    const given = order(a, b, '1');
    await freeze(a.tokenAccount);
    const { status, body } = await send(given);
    expect([status, body]).toEqual([
      409,
      expect.objectContaining({ error: 'conflict', status: 'failed', transfer_id: expect.stringMatching(/^tr_/) }),
    ]);
    const shown = bodyOf(await operator().get(`/v1/transfers/${body.transfer_id}`), 200);
    expect(shown).toMatchObject({ status: 'failed', failure_reason: expect.any(String) });
    expect(shown).not.toHaveProperty('rejection_reason');
    expect((await send({ ...given, amount: '2' })).body.error).toBe('idempotency_conflict');
    expect((await send(given)).body.transfer_id).toBe(body.transfer_id);
    expect(await eventsOf(a)).toEqual([]);
    await thaw(a.tokenAccount);
    expect(bodyOf(await send(given), 200)).toMatchObject({ transfer_id: body.transfer_id, status: 'settled' });
    expect(await balanceOf(b)).toBe('1.000000');
  });

  test('a hundred concurrent transfers in both directions do not deadlock or lose a micro-USDC', async () => {
    const [a, b] = [await anAccount({ usdc: '10' }), await anAccount({ usdc: '10' })];
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => (index % 2 ? pay(a, b, '0.1') : pay(b, a, '0.1'))));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect([await balanceOf(a), await balanceOf(b)]).toEqual(['10.000000', '10.000000']);
  });
});

describe('policy rules of POST /v1/transfers', () => {
  let payee: TestAccount;
  beforeAll(async () => void (payee = await anAccount()));

  /** The rejection of an order: its whole body without what differs each time. */
  async function rejectionOf(payer: TestAccount, amount: string, more: object = {}): Promise<unknown> {
    const { status, body } = await pay(payer, payee, amount, more);
    expect(status).toBe(402);
    expect(body).toMatchObject({
      message: expect.stringMatching(/^[A-Z0-9].*\.$/),
      request_id: expect.any(String),
      transfer_id: expect.stringMatching(/^tr_/),
      status: 'rejected',
    });
    const { message: _message, request_id: _id, transfer_id, status: _status, ...rest } = body;
    expect((await eventsOf(payer)).filter(([, data]) => data.transfer_id === transfer_id).map(([type]) => type)).toEqual([
      'transfer.rejected',
    ]);
    return rest;
  }

  test('paused rejects every transfer, before all other rules', async () => {
    const a = await anAccount({
      usdc: '1',
      policy: {
        paused: true,
        max_single_transfer: 0,
        allowed_counterparties: [],
        categories: [],
        require_memo: true,
        max_daily_spend: 0,
        escalation_threshold: 0,
      },
    });
    expect(await rejectionOf(a, '5')).toEqual({
      error: 'account_paused',
      rejection_reason: 'paused',
      policy: { rule: 'paused', attempted_usdc: '5.000000', version: 2 },
    });
  });

  test('max_single_transfer allows the limit and rejects one micro-USDC over', async () => {
    const a = await anAccount({ usdc: '10', policy: { max_single_transfer: 1.5 } });
    bodyOf(await pay(a, payee, '1.5'), 200);
    expect(await rejectionOf(a, '1.500001')).toEqual({
      error: 'policy_violation',
      rejection_reason: 'max_single_transfer',
      policy: { rule: 'max_single_transfer', limit_usdc: '1.500000', attempted_usdc: '1.500001', version: 2 },
    });
    expect((await pay(a, payee, '1.500001')).body.message).toContain('1.500001');
  });

  test('limits of 0 reject every transfer', async () => {
    for (const rule of ['max_single_transfer', 'max_daily_spend']) {
      expect(await rejectionOf(await anAccount({ usdc: '1', policy: { [rule]: 0 } }), '0.000001')).toMatchObject({
        rejection_reason: rule,
        policy: { limit_usdc: '0.000000' },
      });
    }
  });

  test('allowed_counterparties allows by account, by its address and by its token account, and rejects others', async () => {
    const other = await anAccount();
    for (const named of [payee.id, payee.address, payee.tokenAccount]) {
      const a = await anAccount({ usdc: '1', policy: { allowed_counterparties: [other.id, named] } });
      for (const to of [payee.id, payee.tokenAccount]) bodyOf(await pay(a, to, '0.1'), 200);
    }
    const a = await anAccount({ usdc: '1', policy: { allowed_counterparties: [other.id] } });
    expect(await rejectionOf(a, '0.1')).toEqual({
      error: 'policy_violation',
      rejection_reason: 'allowed_counterparties',
      policy: { rule: 'allowed_counterparties', attempted_usdc: '0.100000', allowed: [other.id], version: 2 },
    });
  });

  test('categories allows a listed category, and rejects another and none', async () => {
    const a = await anAccount({ usdc: '1', policy: { categories: ['data', 'agent-reward'] } });
    for (const category of ['data', 'agent-reward']) bodyOf(await pay(a, payee, '0.1', { category }), 200);
    for (const more of [{ category: 'search' }, { category: 'dat' }, { category: 'data-' }, {}]) {
      expect(await rejectionOf(a, '0.1', more)).toEqual({
        error: 'policy_violation',
        rejection_reason: 'categories',
        policy: { rule: 'categories', attempted_usdc: '0.100000', allowed: ['data', 'agent-reward'], version: 2 },
      });
    }
  });

  test('require_memo rejects a memo of blanks', async () => {
    const a = await anAccount({ usdc: '1', policy: { require_memo: true } });
    for (const more of [{}, { memo: '' }, { memo: ' \t\n\u00a0\u3000 ' }]) {
      expect(await rejectionOf(a, '0.1', more)).toEqual({
        error: 'policy_violation',
        rejection_reason: 'require_memo',
        policy: { rule: 'require_memo', attempted_usdc: '0.100000', version: 2 },
      });
    }
    bodyOf(await pay(a, payee, '0.1', { memo: '.' }), 200);
  });

  test('max_daily_spend allows the limit and rejects one micro-USDC over', async () => {
    const a = await anAccount({ usdc: '10', policy: { max_daily_spend: 2 } });
    bodyOf(await pay(a, payee, '1.25'), 200);
    expect(await rejectionOf(a, '0.750001')).toEqual({
      error: 'policy_violation',
      rejection_reason: 'max_daily_spend',
      policy: {
        rule: 'max_daily_spend',
        limit_usdc: '2.000000',
        attempted_usdc: '0.750001',
        remaining_usdc: '0.750000',
        reserved_usdc: '0.000000',
        available_at: expect.stringMatching(TIME),
        version: 2,
      },
    });
    const never = await rejectionOf(a, '2.000001');
    expect(never).toMatchObject({ policy: { remaining_usdc: '0.750000' } });
    expect(never).not.toHaveProperty('policy.available_at');
    bodyOf(await pay(a, payee, '0.75'), 200);
  });

  test('max_daily_spend counts what was spent before it was set', async () => {
    const a = await anAccount({ usdc: '10' });
    bodyOf(await pay(a, payee, '3'), 200);
    await setPolicy(a, { max_daily_spend: 4 });
    expect(await rejectionOf(a, '1.000001')).toMatchObject({ policy: { remaining_usdc: '1.000000' } });
    await setPolicy(a, { max_daily_spend: 2 });
    expect(await rejectionOf(a, '0.000001')).toMatchObject({ policy: { remaining_usdc: '0.000000' } });
  });

  test('insufficient_balance rejects one micro-USDC over the balance', async () => {
    const a = await anAccount({ usdc: '1' });
    expect(await rejectionOf(a, '1.000001')).toEqual({
      error: 'insufficient_balance',
      rejection_reason: 'insufficient_balance',
      policy: { rule: 'insufficient_balance', attempted_usdc: '1.000001', remaining_usdc: '1.000000', version: 1 },
    });
    bodyOf(await pay(a, payee, '1'), 200);
  });

  test('rules are checked in their documented order, and the first violation is reported', async () => {
    const a = await anAccount({
      usdc: '1',
      policy: {
        paused: true,
        max_single_transfer: 1,
        allowed_counterparties: [],
        categories: [],
        require_memo: true,
        max_daily_spend: 0.5,
        escalation_threshold: 0,
      },
    });
    const steps = [
      ['paused', { paused: false }],
      ['max_single_transfer', { max_single_transfer: 2 }],
      ['allowed_counterparties', { allowed_counterparties: null }],
      ['categories', { categories: null }],
      ['require_memo', { require_memo: false }],
      ['max_daily_spend', { max_daily_spend: null }],
    ] as const;
    for (const [rule, relaxed] of steps) {
      expect(await rejectionOf(a, '1.5')).toMatchObject({ rejection_reason: rule });
      await setPolicy(a, relaxed);
    }
    expect(await rejectionOf(a, '1.5')).toMatchObject({ rejection_reason: 'insufficient_balance' });
    expect((await pay(a, payee, '1')).body.status).toBe('pending_approval');
  });

  test('a rejection is stored with its reason, returned by GET, reported by one event, and moves nothing', async () => {
    const a = await anAccount({ usdc: '1', policy: { max_single_transfer: 0.5 } });
    const given = order(a, payee, '0.6', { memo: 'why not' });
    const { transfer_id } = bodyOf(await send(given), 402);
    expect(bodyOf(await operator().get(`/v1/transfers/${transfer_id}`), 200)).toMatchObject({
      transfer_id,
      status: 'rejected',
      rejection_reason: 'max_single_transfer',
      from: a.id,
      to: payee.id,
      amount_usdc: '0.600000',
      memo: 'why not',
      idempotency_key: given.idempotency_key,
      created_at: expect.stringMatching(TIME),
    });
    expect(await eventsOf(a)).toEqual([
      ['transfer.rejected', { account_id: a.id, transfer_id, amount_usdc: '0.600000', rejection_reason: 'max_single_transfer' }],
    ]);
    expect(await balanceOf(a)).toBe('1.000000');
  });
});
