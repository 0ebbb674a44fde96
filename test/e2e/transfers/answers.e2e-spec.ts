import { randomUUID } from 'node:crypto';
import { anOutsider } from '../../support/outsider';
import { startReceiver } from '../../support/receiver';
import { anAccount, bodyOf, operator, order, pay } from '../../support/world';

describe('a decline by a list', () => {
  test('a counterparty that is not listed is declined with the list as the operator named it, also on replay and in a dry run', async () => {
    const [a, b, c] = [await anAccount({ usdc: '5' }), await anAccount(), await anAccount()];
    bodyOf(await operator().put(`/v1/accounts/${a.id}/policy`, { allowed_counterparties: [b.id, b.tokenAccount] }), 200);
    const request = order(a, c, '1');
    const dry = bodyOf(await operator().post('/v1/transfers', request, { 'Dry-Run': 'true' }), 200);
    const declined = bodyOf(await operator().post('/v1/transfers', request), 402);
    for (const { policy } of [dry.decline, declined, bodyOf(await operator().post('/v1/transfers', request), 402)])
      expect([policy.rule, policy.allowed]).toEqual(['allowed_counterparties', [b.id, b.tokenAccount]]);
    expect(bodyOf(await operator().get(`/v1/transfers/${declined.transfer_id}`), 200).policy.allowed).toEqual([b.id, b.tokenAccount]);
  });

  test('a category that is not listed is declined with the list, an empty list too', async () => {
    const [a, b] = [await anAccount({ usdc: '5' }), await anAccount()];
    for (const categories of [['data', 'search'], []]) {
      bodyOf(await operator().put(`/v1/accounts/${a.id}/policy`, { categories }), 200);
      for (const category of ['inference', undefined]) {
        const { policy } = bodyOf(await pay(a, b, '1', { category }), 402);
        expect([policy.rule, policy.allowed]).toEqual(['categories', categories]);
      }
    }
  });

  test('a decline by another rule has no list', async () => {
    const [a, b] = [await anAccount({ usdc: '5', policy: { max_single_transfer: 1, categories: ['data'] } }), await anAccount()];
    const { policy } = bodyOf(await pay(a, b, '2', { category: 'data' }), 402);
    expect([policy.rule, Object.hasOwn(policy, 'allowed')]).toEqual(['max_single_transfer', false]);
  });

  test('a session whose payee is not listed is declined with the list', async () => {
    const [a, b, { owner: payee }] = [await anAccount({ usdc: '5' }), await anAccount(), await anOutsider()];
    bodyOf(await operator().put(`/v1/accounts/${a.id}/policy`, { allowed_counterparties: [b.id] }), 200);
    const request = { account_id: a.id, provider: 'https://api.example.com', payee, cap: '1', idempotency_key: randomUUID() };
    expect(bodyOf(await operator().post('/v1/sessions', request), 402).policy.allowed).toEqual([b.id]);
  });
});

describe('the message of a 202', () => {
  test('a transfer, a session and a purse that wait for approval say what to do next', async () => {
    const [a, b, { owner: payee }] = [
      await anAccount({ usdc: '5', policy: { escalation_threshold: 1 } }),
      await anAccount(),
      await anOutsider(),
    ];
    const session = { account_id: a.id, provider: 'https://api.example.com', payee, cap: '2', idempotency_key: randomUUID() };
    const purse = { account_id: a.id, amount: '2', idempotency_key: randomUUID() };
    for (const answer of [
      await pay(a, b, '2'),
      await operator().post('/v1/sessions', session),
      await operator().post('/v1/purses', purse),
    ]) {
      const { status, message } = bodyOf(answer, 202);
      expect([status, message]).toEqual(['pending_approval', expect.stringMatching(/approve.*poll.*same key/)]);
    }
  });

  test('a top-up that waits for approval and a session that is closing say what to do next', async () => {
    const [a, { owner: payee }] = [await anAccount({ usdc: '5', policy: { escalation_threshold: 2 } }), await anOutsider()];
    const session = {
      account_id: a.id,
      provider: 'https://api.example.com',
      payee,
      cap: '1',
      idempotency_key: randomUUID(),
      grace_seconds: 60,
    };
    const path = `/v1/sessions/${bodyOf(await operator().post('/v1/sessions', session), 201).session_id}`;
    const topUp = bodyOf(await operator().post(`${path}/top_up`, { amount: '1', idempotency_key: randomUUID() }), 202);
    expect([topUp.status, topUp.message]).toEqual(['pending_approval', expect.stringMatching(/approve.*poll/)]);
    const closing = bodyOf(await operator().post(`${path}/close`), 202);
    expect([closing.status, closing.message]).toEqual(['closing', expect.stringMatching(/poll it until it is settled/)]);
  });

  test('a test event and a replay of deliveries say where to look', async () => {
    const receiver = await startReceiver();
    const { webhook_id } = bodyOf(await operator().post('/v1/webhooks', { url: receiver.url, events: ['session.opened'] }), 201);
    for (const verb of ['test', 'replay'])
      expect(bodyOf(await operator().post(`/v1/webhooks/${webhook_id}/${verb}`), 202).message).toMatch(/deliveries/);
    await operator().delete(`/v1/webhooks/${webhook_id}`);
    receiver.close();
  });
});
