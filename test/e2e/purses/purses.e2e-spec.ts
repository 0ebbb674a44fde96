import { type Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { PRICE, PurseStage } from '../../support/purses';
import { everyRow, bodyOf, micro } from '../../support/world';

jest.setTimeout(300_000);

let stage: PurseStage;
beforeAll(async () => void (stage = await PurseStage.start()));
afterAll(() => stage.stop());

const sum = (rows: Body[]): bigint => rows.reduce((total, { amount_usdc }) => total + micro(amount_usdc), 0n);

describe('a purse at a stock x402 seller', () => {
  test('pays 20 times, 8 at once, out of one approval, and its close, the ledger, the events and the chain agree', async () => {
    const agent = await stage.account({ max_daily_spend: 1 });
    const before = await stage.received();
    const purse = await stage.open(agent, '0.5', { expires_in_seconds: 600 });
    expect(purse).toMatchObject({ status: 'open', amount_usdc: '0.500000', spent_usdc: '0.000000', tx_signature: expect.any(String) });
    expect(Date.parse(purse.expires_at) - Date.parse(purse.opened_at)).toBe(600_000);
    expect(await stage.spending(agent)).toMatchObject({ reserved_usdc: '0.500000' });

    const left = Array.from({ length: 20 }, () => stage.order(agent));
    const payments: Body[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let body = left.pop(); body; body = left.pop()) payments.push(bodyOf(await stage.by.post('/v1/payments', body), 200));
      }),
    );
    for (const payment of payments)
      expect(payment).toMatchObject({
        status: 'paid',
        method: 'purse',
        protocol: 'x402',
        purse_id: purse.purse_id,
        amount_usdc: '0.010000',
      });
    expect(new Set(payments.map(({ tx_signature }) => tx_signature)).size).toBe(20);
    expect([(await stage.received()) - before, await stage.held(agent)]).toEqual([20n * PRICE, 1_800_000n]);

    const closed = bodyOf(await stage.by.post(`/v1/purses/${purse.purse_id}/close`), 200);
    expect(closed).toMatchObject({ status: 'closed', spent_usdc: '0.200000', returned_usdc: '0.300000', closed_at: expect.any(String) });
    expect(bodyOf(await stage.by.post(`/v1/purses/${purse.purse_id}/close`), 200)).toEqual(closed);
    const rows = await stage.history(agent);
    expect([rows.length, sum(rows), new Set(rows.map(({ counterparty }) => counterparty))]).toEqual([
      20,
      200_000n,
      new Set([stage.payee.address]),
    ]);
    expect(await everyRow(`/v1/purses/${purse.purse_id}/payments`, stage.by)).toHaveLength(20);
    const facts = { purse_id: purse.purse_id, account_id: agent.id, amount_usdc: '0.500000' };
    expect(await stage.events(agent, 'purse.opened')).toMatchObject([{ ...facts, tx_signature: purse.tx_signature }]);
    expect(await stage.events(agent, 'purse.closed')).toEqual([
      { ...facts, spent_usdc: '0.200000', returned_usdc: '0.300000', tx_signature: closed.tx_signature },
    ]);
    expect(await stage.events(agent, 'transfer.settled')).toHaveLength(20);
    expect(await stage.spending(agent)).toMatchObject({ spent_usdc: '0.200000', reserved_usdc: '0.000000' });
  });

  test('pays up to its amount and not one payment more, and ends when it is used up', async () => {
    const agent = await stage.account();
    const purse = await stage.open(agent, '0.025');
    const named = { purse_id: purse.purse_id };
    const answers = await Promise.all(Array.from({ length: 4 }, () => stage.pay(agent, named)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 402, 402]);
    expect(answers.find(({ status }) => status === 402)?.body).toMatchObject({
      rejection_reason: 'purse_amount',
      policy: { limit_usdc: '0.025000', remaining_usdc: '0.005000', attempted_usdc: '0.010000' },
    });
    bodyOf(await stage.by.post(`/v1/purses/${purse.purse_id}/close`), 200);
    const exact = await stage.open(agent, '0.02');
    for (const _ of [1, 2]) bodyOf(await stage.pay(agent, { purse_id: exact.purse_id }), 200);
    expect(await stage.closed(exact)).toMatchObject({ spent_usdc: '0.020000', returned_usdc: '0.000000' });
    expect([await stage.held(agent), sum(await stage.history(agent))]).toEqual([1_960_000n, 40_000n]);
  });

  test('a repeated payment with the same key pays once, also after the purse is closed', async () => {
    const agent = await stage.account();
    const purse = await stage.open(agent, '0.1');
    const body = stage.order(agent, { purse_id: purse.purse_id });
    const payment = bodyOf(await stage.by.post('/v1/payments', body), 200);
    expect(bodyOf(await stage.by.post('/v1/payments', body), 200)).toEqual(payment);
    bodyOf(await stage.by.post(`/v1/purses/${purse.purse_id}/close`), 200);
    expect(bodyOf(await stage.by.post('/v1/payments', body), 200)).toEqual(payment);
    expect(await stage.pay(agent, { purse_id: purse.purse_id })).toMatchObject({
      status: 409,
      body: { error: 'conflict', status: 'closed' },
    });
    expect(await stage.held(agent)).toBe(1_990_000n);
  });

  test('a credential for an agent with its own client pays out of the purse', async () => {
    const agent = await stage.account();
    const { purse_id } = await stage.open(agent, '0.1');
    const url = `${stage.stock.url}/report`;
    const payment_required = (await fetch(url)).headers.get('payment-required') ?? '';
    const { request: _request, ...body } = stage.order(agent, { purse_id });
    const credential = bodyOf(await stage.by.post('/v1/payments/authorize', { ...body, url, payment_required }), 200);
    expect(credential).toMatchObject({ purse_id, amount_usdc: '0.010000' });
    expect((await fetch(url, { headers: { [String(credential.header)]: String(credential.authorization) } })).status).toBe(200);
    await eventually(async () =>
      expect(bodyOf(await stage.by.get(`/v1/payments/${credential.payment_id}`), 200)).toMatchObject({
        status: 'paid_unreceipted',
        method: 'purse',
      }),
    );
    expect(await stage.show({ purse_id })).toMatchObject({ spent_usdc: '0.010000' });
  });
});
