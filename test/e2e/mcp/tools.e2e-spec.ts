import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Ajv2020 } from 'ajv/dist/2020';
import type { Body } from '../../support/api';
import { connectMcp, TRANSPORTS, type Connected } from '../../support/mcp';
import { sharedService } from '../../support/service';
import { anAccount, balanceOf, bodyOf, operator, setPolicy, type TestAccount } from '../../support/world';
import { listening } from '../../support/listening';

jest.setTimeout(300_000);

const READING = ['balance', 'spend_left', 'find_service', 'quote', 'payment_status', 'transfers', 'recipients'];
const NAMES = [...READING, 'pay', 'transfer', 'session_open', 'session_close', 'purse_open', 'purse_close'];

const keyFor = async (...accounts: TestAccount[]): Promise<{ key: string; key_id: string }> =>
  bodyOf(await operator().post('/v1/api_keys', { type: 'agent', account_ids: accounts.map(({ id }) => id) }), 201);

describe.each(TRANSPORTS)('the MCP server over %s', (transport) => {
  const open: Connected[] = [];
  const connect = async (key: string): Promise<Connected> => {
    const connected = await connectMcp(transport, { baseUrl: sharedService().baseUrl, key });
    open.push(connected);
    return connected;
  };
  const anAgentOf = async (...accounts: TestAccount[]): Promise<Connected> => connect((await keyFor(...accounts)).key);
  let payer: TestAccount;
  let payee: TestAccount;
  let agent: Connected;
  beforeAll(async () => {
    payer = await anAccount({ usdc: '10', policy: { max_single_transfer: 3, max_daily_spend: 8, escalation_threshold: 2 } });
    payee = await anAccount();
    agent = await anAgentOf(payer);
  });
  afterAll(() => Promise.all(open.map((each) => each.close())));

  test('lists its tools with valid schemas, annotations and a description, and none that changes a policy', async () => {
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([...NAMES].sort());
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const { name, description, annotations, inputSchema, outputSchema } of tools) {
      expect([name, ajv.validateSchema(inputSchema), ajv.validateSchema(outputSchema ?? {})]).toEqual([name, true, true]);
      expect(JSON.stringify([inputSchema, outputSchema])).not.toContain('$ref');
      expect(annotations).toMatchObject({ readOnlyHint: READING.includes(name), idempotentHint: true });
      expect(description).toMatch(/\.$/);
    }
    expect(agent.client.getInstructions()).toContain('idempotency_key');
  });

  test('balance and spend_left return what the account holds and its limits, without an account_id', async () => {
    expect((await agent.call('balance')).content).toMatchObject({ account_id: payer.id, balance_usdc: expect.any(String) });
    expect((await agent.call('spend_left')).content).toMatchObject({
      limit_usdc: '8.000000',
      nearest_limit: { scope: 'account', rule: 'max_daily_spend' },
      policy: { max_single_transfer: 3, escalation_threshold: 2 },
    });
  });

  test('a transfer settles, and the same call with the returned idempotency key pays once', async () => {
    const before = await balanceOf(payer);
    const args = { to: payee.id, amount: '0.25', memo: 'mcp' };
    const { isError, content } = await agent.call('transfer', args);
    expect([isError, content]).toMatchObject([false, { outcome: 'done', transfer: { status: 'settled', amount_usdc: '0.250000' } }]);
    const again = await agent.call('transfer', { ...args, idempotency_key: content.idempotency_key });
    expect(again.content.transfer.transfer_id).toBe(content.transfer.transfer_id);
    expect(Number(before) - Number(await balanceOf(payer))).toBeCloseTo(0.25, 6);
    const listed = await agent.call('transfers', { idempotency_key: content.idempotency_key });
    expect(listed.content.data).toMatchObject([{ transfer_id: content.transfer.transfer_id }]);
  });

  test('amounts may be numbers, of at most six decimals', async () => {
    expect((await agent.call('transfer', { to: payee.id, amount: 0.01 })).content).toMatchObject({ transfer: { amount_usdc: '0.010000' } });
    expect(await agent.call('transfer', { to: payee.id, amount: 0.0000001 })).toMatchObject({
      isError: true,
      content: { error: 'invalid_request', message: expect.stringContaining('amount has at most six decimals') },
    });
  });

  test('recipients returns who may be paid and who was paid before, the newest first', async () => {
    const limited = await anAccount({ usdc: '5', policy: { allowed_counterparties: [payer.id, payee.id], require_memo: true } });
    const mcp = await anAgentOf(limited, payer);
    for (const to of [payee.id, payer.id, payee.id])
      await mcp.call('transfer', { account_id: limited.id, to, amount: '0.1', memo: 'rent' });
    expect((await mcp.call('recipients', { account_id: limited.id })).content).toMatchObject({
      account_id: limited.id,
      allowed: [payer.id, payee.id],
      own_accounts: [{ account_id: payer.id }],
      paid_before: [{ to: payee.id, amount_usdc: '0.100000', memo: 'rent' }, { to: payer.id }],
    });
    expect((await mcp.call('transfer', { account_id: limited.id, to: payee.id, amount: '0.1' })).content).toMatchObject({
      outcome: 'needs_change',
      next_step: expect.stringContaining('memo'),
      decline: { rejection_reason: 'require_memo' },
    });
  });

  test('a purse is opened, shown and closed', async () => {
    const { content } = await agent.call('purse_open', { amount: 0.5 });
    expect(content).toMatchObject({ outcome: 'done', purse: { status: 'open', amount_usdc: '0.500000' } });
    const { purse_id } = content.purse as Body;
    expect((await agent.call('payment_status', { id: purse_id })).content).toMatchObject({ outcome: 'done', purse: { purse_id } });
    expect((await agent.call('purse_close', { purse_id })).content).toMatchObject({
      outcome: 'done',
      purse: { status: 'closed', returned_usdc: '0.500000' },
    });
  });

  test('a declined transfer is a structured result with the rule and its numbers, and no error', async () => {
    const { isError, content } = await agent.call('transfer', { to: payee.id, amount: '3.5', idempotency_key: randomUUID() });
    expect([isError, content]).toMatchObject([
      false,
      {
        outcome: 'declined',
        next_step: expect.stringMatching(/final/),
        decline: {
          error: 'policy_violation',
          rejection_reason: 'max_single_transfer',
          policy: { rule: 'max_single_transfer', limit_usdc: '3.000000', attempted_usdc: '3.500000' },
        },
      },
    ]);
  });

  test('a decline by the daily limit says what remains and when the amount fits', async () => {
    const account = await anAccount({ usdc: '5', policy: { max_daily_spend: 1 } });
    const spender = await anAgentOf(account);
    expect((await spender.call('transfer', { to: payee.id, amount: '0.9' })).content.outcome).toBe('done');
    const { content } = await spender.call('transfer', { to: payee.id, amount: '0.5' });
    expect(content.decline.policy).toMatchObject({
      limit_usdc: '1.000000',
      attempted_usdc: '0.500000',
      remaining_usdc: '0.100000',
      available_at: expect.any(String),
    });
  });

  test('an insufficient balance is a decline whose key may be used again after a deposit', async () => {
    const poor = await anAgentOf(await anAccount({ usdc: '0.1' }));
    const { isError, content } = await poor.call('transfer', { to: payee.id, amount: '0.5' });
    expect([isError, content]).toMatchObject([false, { outcome: 'declined', decline: { error: 'insufficient_balance' } }]);
    expect(content.next_step).toMatch(/same idempotency_key/);
  });

  test('an escalated transfer is pending_approval until an operator approves it', async () => {
    const { content } = await agent.call('transfer', { to: payee.id, amount: '2.5' });
    expect(content).toMatchObject({
      outcome: 'pending_approval',
      next_step: expect.stringMatching(/approve/),
      transfer: { status: 'pending_approval', approval: { required_by: 'operator' } },
    });
    const id: string = content.transfer.transfer_id;
    expect((await agent.call('payment_status', { id })).content.outcome).toBe('pending_approval');
    await operator().post(`/v1/transfers/${id}/approve`);
    expect((await agent.call('payment_status', { id })).content).toMatchObject({ outcome: 'done', transfer: { status: 'settled' } });
  });

  test('a transfer that an operator denied is declined', async () => {
    const { content } = await agent.call('transfer', { to: payee.id, amount: '2.1' });
    const id: string = content.transfer.transfer_id;
    await operator().post(`/v1/transfers/${id}/deny`, {});
    expect((await agent.call('payment_status', { id })).content).toMatchObject({
      outcome: 'declined',
      transfer: { rejection_reason: 'denied' },
    });
  });

  test('a session is opened once for its key, found by payment_status, and closed with the whole cap returned', async () => {
    const args = { provider: 'http://127.0.0.1:9', payee: payee.address, cap: '0.5', idempotency_key: randomUUID() };
    const { content } = await agent.call('session_open', args);
    expect(content).toMatchObject({ outcome: 'done', session: { status: 'open', cap_usdc: '0.500000' } });
    const { session_id } = content.session;
    expect((await agent.call('session_open', args)).content.session.session_id).toBe(session_id);
    expect((await agent.call('payment_status', { id: session_id })).content.session.status).toBe('open');
    const closed = await agent.call('session_close', { session_id });
    expect(closed.content).toMatchObject({ outcome: 'done', session: { settled_usdc: '0.000000', returned_usdc: '0.500000' } });
  });

  test('a key of several accounts must name one, and the error names the choices', async () => {
    const other = await anAccount({ usdc: '1' });
    const both = await anAgentOf(payer, other);
    const { isError, content } = await both.call('balance');
    expect([isError, content.error]).toEqual([true, 'invalid_request']);
    expect(content.message).toContain(payer.id);
    expect(content.message).toContain(other.id);
    expect((await both.call('balance', { account_id: other.id })).content.balance_usdc).toBe('1.000000');
  });

  test("an agent key is refused another account's money, session and transfer", async () => {
    const other = await anAccount({ usdc: '1' });
    const thief = await anAgentOf(await anAccount());
    const stolen = await thief.call('transfer', { account_id: other.id, to: payee.id, amount: '0.1' });
    expect([stolen.isError, stolen.content.error]).toEqual([true, 'forbidden']);
    expect((await thief.call('balance', { account_id: other.id })).isError).toBe(true);
    const { content } = await agent.call('transfer', { to: payee.id, amount: '0.01' });
    const read = await thief.call('payment_status', { id: content.transfer.transfer_id });
    expect([read.isError, read.content.error]).toEqual([true, 'not_found']);
    expect(await balanceOf(other)).toBe('1.000000');
  });

  test('a transfer goes to the only account of the key with a name, and to none of several with it', async () => {
    const named = [await anAccount(), await anAccount()];
    for (const { id } of named) bodyOf(await operator().patch(`/v1/accounts/${id}`, { name: 'Two of a name' }), 200);
    const both = await anAgentOf(payer, ...named);
    const args = { account_id: payer.id, to: 'Two of a name', amount: '0.01' };
    const { content: refused } = await both.call('transfer', args);
    expect(refused.message).toMatch(/^Several accounts are named Two of a name\. Give to as one of: acct_\w+, acct_\w+\.$/);
    bodyOf(await operator().patch(`/v1/accounts/${named[1]?.id}`, { name: 'Another' }), 200);
    expect((await both.call('transfer', args)).content).toMatchObject({ outcome: 'done', transfer: { to: named[0]?.id } });
  });

  test('an invalid argument is a failed result that names it, and pays nothing', async () => {
    const before = await balanceOf(payer);
    const results: Body[] = [
      await agent.call('transfer', { to: payee.id, amount: '0,1' }),
      await agent.call('transfer', { to: payee.id, amount: '0.1', policy: {} }),
      await agent.call('transfer', { to: payee.address, amount: '0.1' }),
      await agent.call('payment_status', { id: 'acct_1' }),
    ];
    for (const { isError } of results) expect(isError).toBe(true);
    const wrong = (field: string, message: RegExp) => ({
      error: 'invalid_request',
      message: expect.stringMatching(field),
      details: [{ field, message: expect.stringMatching(message) }],
    });
    expect(results[0].content).toMatchObject(wrong('amount', /such as|decimal/));
    expect(results[1].content).toMatchObject(wrong('policy', /^is not a known field/));
    expect((await agent.call('transfer', { to: payee.id, amout: 1 })).content).toMatchObject({
      message: 'amout is not a known field (did you mean amount?), and 1 more.',
    });
    expect(results[2].content).toMatchObject({ error: 'invalid_recipient', next_step: expect.stringMatching(/Correct/) });
    expect(await balanceOf(payer)).toBe(before);
  });

  test('an argument of a reading tool that is no text is refused with its name, in a sentence of the API', async () => {
    for (const [tool, field] of [
      ['balance', 'account_id'],
      ['payment_status', 'id'],
      ['session_close', 'session_id'],
      ['quote', 'url'],
    ] as const) {
      const { isError, content } = await agent.call(tool, { [field]: 5 });
      expect([isError, content]).toMatchObject([
        true,
        { error: 'invalid_request', message: `${field} must be a string.`, details: [{ field, message: 'must be a string' }] },
      ]);
    }
    const { content } = await agent.call('payment_status', { id: 'acct_1' });
    expect(content).toMatchObject({ error: 'invalid_request', details: [{ field: 'id', message: expect.stringMatching(/^must be a/) }] });
    expect((await agent.call('transfers', { limit: 0 })).content).toMatchObject({
      error: 'invalid_request',
      details: [{ field: 'limit' }],
    });
  });

  test('quote says with which status a URL answers that asks for nothing', async () => {
    const seller = createServer((request, response) => void response.writeHead(request.url === '/free' ? 200 : 404).end());
    const url = await listening(seller);
    try {
      for (const [path, status] of [
        ['/free', 200],
        ['/missing', 404],
      ] as const) {
        const { isError, content } = await agent.call('quote', { url: url + path });
        expect([isError, content]).toMatchObject([
          false,
          { allowed: true, provider_status: status, message: `The provider asks for nothing: HTTP ${status}.`, quotes: [] },
        ]);
      }
    } finally {
      seller.close();
    }
  });

  test('a transfer without a category of an account that lists categories needs one of them', async () => {
    const { content } = await (await anAgentOf(await anAccount({ usdc: '1', policy: { categories: ['data', 'search'] } }))).call(
      'transfer',
      { to: payee.id, amount: 0.1 },
    );
    expect(content).toMatchObject({ outcome: 'needs_change', next_step: expect.stringContaining('such as "data" or "search"') });
    expect((await agent.call('payment_status', { id: content.decline.transfer_id })).isError).toBe(true);
  });

  test('the same key with another amount is an idempotency conflict', async () => {
    const idempotency_key = randomUUID();
    await agent.call('transfer', { to: payee.id, amount: '0.01', idempotency_key });
    const { isError, content } = await agent.call('transfer', { to: payee.id, amount: '0.02', idempotency_key });
    expect([isError, content]).toMatchObject([true, { error: 'idempotency_conflict', idempotency_key }]);
  });

  test('a paused account declines', async () => {
    const account = await anAccount({ usdc: '1' });
    await setPolicy(account, { paused: true });
    const { isError, content } = await (await anAgentOf(account)).call('transfer', { to: payee.id, amount: '0.1' });
    expect([isError, content]).toMatchObject([false, { outcome: 'declined', decline: { error: 'account_paused' } }]);
  });
});
