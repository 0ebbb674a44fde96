import type { Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { WebhookStage } from '../../support/webhook-stage';
import { fund, bodyOf, landedSignatures, micro, order, pay, rpc, type TestAccount } from '../../support/world';

jest.setTimeout(120_000);

let stage: WebhookStage;
beforeAll(async () => void (stage = await WebhookStage.start()));
afterAll(() => stage.stop());

const untilReceived = (of: TestAccount, count: number, type?: string): Promise<Body[]> =>
  eventually(() => {
    const received = stage.receivedBy(of, type);
    expect(received).toHaveLength(count);
    return received;
  });

test('a transfer sends transfer.initiated and transfer.settled with the members of the contract', async () => {
  const [a, b] = [await stage.account({ usdc: '10', policy: { max_single_transfer: 6, escalation_threshold: 5 } }), await stage.account()];
  await stage.webhook({ account_ids: [a.id] });
  const settled = bodyOf(await pay(a, b, '1.5', { memo: 'hello' }, stage.by), 200);
  const rejected = (await pay(a, b, '7', {}, stage.by)).body;
  const waiting = bodyOf(await pay(a, b, '5', { memo: 'big' }, stage.by), 202);
  bodyOf(await stage.by.post(`/v1/transfers/${waiting.transfer_id}/deny`), 200);
  const facts = { account_id: a.id, amount_usdc: '1.500000', transfer_id: settled.transfer_id, tx_signature: settled.tx_signature };
  expect((await untilReceived(a, 5)).map(({ type, data }) => [type, data])).toEqual([
    ['transfer.initiated', { ...facts, to: b.id }],
    ['transfer.settled', { ...facts, settled_at: settled.settled_at }],
    [
      'transfer.rejected',
      { account_id: a.id, amount_usdc: '7.000000', transfer_id: rejected.transfer_id, rejection_reason: 'max_single_transfer' },
    ],
    [
      'escalation.required',
      {
        account_id: a.id,
        amount_usdc: '5.000000',
        transfer_id: waiting.transfer_id,
        to: b.id,
        memo: 'big',
        threshold_usdc: '5.000000',
        expires_at: waiting.approval.expires_at,
      },
    ],
    ['transfer.rejected', { account_id: a.id, amount_usdc: '5.000000', transfer_id: waiting.transfer_id, rejection_reason: 'denied' }],
  ]);
  const { data } = bodyOf(await stage.by.get(`/v1/events?account_id=${a.id}`), 200);
  expect(data.reverse()).toEqual(stage.receivedBy(a));
});

describe('account.low_balance', () => {
  test('account.low_balance is sent once per fall below the threshold, to the webhooks with that threshold', async () => {
    const [a, b] = [await stage.account({ usdc: '10' }), await stage.account()];
    const low = await stage.webhook({ account_ids: [a.id], events: ['balance.low_threshold'], low_balance_threshold_usdc: 5 });
    await stage.webhook({ account_ids: [a.id], events: ['balance.low_threshold'], low_balance_threshold_usdc: 8.5 });
    await stage.webhook({ account_ids: [b.id], events: ['balance.low_threshold'], low_balance_threshold_usdc: 100 });
    const deliveries = async (): Promise<Body[]> => bodyOf(await stage.by.get(`/v1/webhooks/${low.webhook_id}/deliveries`), 200).data;

    bodyOf(await pay(a, b, '5', {}, stage.by), 200); // equal is not below
    expect((await untilReceived(a, 1)).map(({ data }) => data)).toEqual([
      { account_id: a.id, balance_usdc: '5.000000', usdc_token_account: a.tokenAccount },
    ]);
    expect(await deliveries()).toEqual([]);

    bodyOf(await pay(a, b, '0.000001', {}, stage.by), 200);
    await untilReceived(a, 2);
    bodyOf(await pay(a, b, '1', {}, stage.by), 200); // below already

    // The balance recovers, falls, recovers and falls again before a poll.
    await fund(a, '10', stage.by);
    bodyOf(await pay(a, b, '9', {}, stage.by), 200);
    await fund(a, '3', stage.by);
    bodyOf(await pay(a, b, '3.5', {}, stage.by), 200);
    const received = await untilReceived(a, 5);
    expect(received.map(({ type, data }) => [type, data.balance_usdc])).toEqual(
      ['5.000000', '4.999999', '4.999999', '4.999999', '4.499999'].map((balance) => ['balance.low_threshold', balance]),
    );
    await eventually(async () => expect(await deliveries()).toHaveLength(3));
    expect(stage.receivedBy(b)).toEqual([]);
    const sequences = bodyOf(await stage.by.get(`/v1/events?account_id=${a.id}&limit=100`), 200).data.map(({ sequence }: Body) => sequence);
    // Two events at once may be listed in the other order than they are numbered.
    expect(sequences.sort((one: number, other: number) => one - other)).toEqual(sequences.map((_: unknown, index: number) => index + 1));
  });

  test('account.low_balance is not sent to a webhook that is created, or changes its threshold, while the balance is below', async () => {
    const [a, b] = [await stage.account({ usdc: '10' }), await stage.account()];
    bodyOf(await pay(a, b, '6', {}, stage.by), 200);
    const webhook = await stage.webhook({ account_ids: [a.id], events: ['balance.low_threshold'], low_balance_threshold_usdc: 5 });
    bodyOf(await pay(a, b, '1', {}, stage.by), 200);
    await fund(a, '3', stage.by);
    bodyOf(await stage.by.patch(`/v1/webhooks/${webhook.webhook_id}`, { low_balance_threshold_usdc: 20 }), 200);
    bodyOf(await pay(a, b, '2', {}, stage.by), 200);
    await fund(a, '20', stage.by);
    bodyOf(await pay(a, b, '5', {}, stage.by), 200);
    expect((await untilReceived(a, 1)).map(({ data }) => data.balance_usdc)).toEqual(['19.000000']);
  });
});

test('concurrent transfers send account.low_balance as often as the chain’s balances fall below the threshold', async () => {
  const [a, b] = [await stage.account({ usdc: '20' }), await stage.account({ usdc: '20' })];
  await stage.webhook({ account_ids: [a.id], events: ['balance.low_threshold'], low_balance_threshold_usdc: 20 });
  // To 10, back to 20, and to 10 again, each by many concurrent transfers and some in the other direction.
  for (const [from, to] of [
    [a, b],
    [b, a],
    [a, b],
  ] as const) {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 4 === 3 ? pay(to, from, '1', {}, stage.by) : pay(from, to, '1', {}, stage.by))),
    );
  }
  const falls: string[] = [];
  for (const signature of (await landedSignatures(a.tokenAccount, stage.service.sandbox.rpc_url)).reverse()) {
    const { meta, transaction } = await rpc(
      'getTransaction',
      [signature, { commitment: 'confirmed', maxSupportedTransactionVersion: 0 }],
      stage.service.sandbox.rpc_url,
    );
    const index = transaction.message.accountKeys.indexOf(a.tokenAccount);
    const of = (balances: Body[]): bigint => BigInt(balances.find(({ accountIndex }) => accountIndex === index)?.uiTokenAmount.amount ?? 0);
    if (of(meta.preTokenBalances) >= 20_000_000n && of(meta.postTokenBalances) < 20_000_000n)
      falls.push(String(of(meta.postTokenBalances)));
  }
  expect(falls.length).toBeGreaterThan(1);
  expect((await untilReceived(a, falls.length)).map(({ data }) => String(micro(data.balance_usdc)))).toEqual(falls);
});

test('after a pause was answered, no more transfers are sent', async () => {
  const [a, b] = [await stage.account({ usdc: '1', policy: { max_single_transfer: 1 } }), await stage.account()];
  stage.receiver.answer = (response) => void setTimeout(() => response.writeHead(200).end(), 100);
  const { webhook_id } = await stage.webhook({ account_ids: [a.id] });
  const asking = Promise.all(Array.from({ length: 100 }, () => stage.by.post('/v1/transfers', order(a, b, '2'))));
  await eventually(() => expect(stage.receivedBy(a).length).toBeGreaterThan(10));
  bodyOf(await stage.by.patch(`/v1/webhooks/${webhook_id}`, { status: 'paused' }), 200);
  const sent = stage.receivedBy(a).length;
  await asking;
  await eventually(async () =>
    expect(bodyOf(await stage.by.get(`/v1/webhooks/${webhook_id}/deliveries?limit=100`), 200).data).toHaveLength(100),
  );
  expect(stage.receivedBy(a)).toHaveLength(sent);
  bodyOf(await stage.by.patch(`/v1/webhooks/${webhook_id}`, { status: 'active' }), 200);
  await untilReceived(a, 100);
});
