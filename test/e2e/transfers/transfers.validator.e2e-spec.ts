import { api } from '../../support/api';
import { aMint, aTokenAccountOf, aWallet, freeze, thaw } from '../../support/tokens';
import {
  TIME,
  anAccount,
  balanceOf,
  chainBalance,
  eventsOf,
  bodyOf,
  landedSignatures,
  operator,
  order,
  pay,
  query,
  rpc,
  stranger,
  type TestAccount,
} from '../../support/world';
import { sharedService } from '../../support/service';

const send = (body: unknown) => operator().post('/v1/transfers', body);
const emoji = (count: number): string => '🦀'.repeat(count);
const rowsOf = ({ id }: { id: string }) => query('SELECT id FROM orders WHERE account_id = $1', [id]);

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

  test('POST /v1/transfers to a name lists the accounts of that name to the operator, and none to an agent', async () => {
    const by = stranger();
    const name = 'Bob of the names';
    const create = async () => bodyOf(await by.post('/v1/accounts', { name }), 201);
    const [one, other] = [await create(), await create()];
    const from = { id: String(one.account_id) } as TestAccount;
    const { message } = bodyOf(await by.post('/v1/transfers', order(from, name, '1')), 422);
    for (const { account_id, handle } of [one, other]) expect(message).toContain(`${account_id} (${handle})`);
    const { key } = bodyOf(await by.post('/v1/api_keys', { type: 'agent', account_ids: [one.account_id] }), 201);
    const refused = bodyOf(await api(sharedService().baseUrl, key).post('/v1/transfers', order(from, name, '1')), 422);
    expect(refused.message).not.toContain(String(other.account_id));
    const ethereum = `0x${'aB'.repeat(20)}`;
    expect(bodyOf(await by.post('/v1/transfers', order(from, ethereum, '1')), 422).message).toContain('an Ethereum address');
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
