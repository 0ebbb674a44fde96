import type { Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { ProviderStage } from '../../support/provider-stage';
import type { RogueProvider } from '../../support/rogue-provider';
import { bodyOf, operator } from '../../support/world';

jest.setTimeout(90_000);

let stage: ProviderStage;
beforeAll(async () => void (stage = await ProviderStage.start()));
beforeEach(() => stage.reset());
afterAll(() => stage.stop());

const settled = (id: string): Promise<Body> =>
  eventually(
    async () => {
      const payment = bodyOf(await operator().get(`/v1/payments/${id}`), 200);
      expect(payment.status).not.toBe('unknown');
      return payment;
    },
    { timeoutMs: 60_000 },
  );

describe('payments at a misbehaving provider', () => {
  test('a provider that always asks for more gets one credential, and the next payment does not include the rejected one', async () => {
    const payer = await stage.aPayer();
    stage.provider.behave(stage.provider.alwaysAnswers402());
    expect((await stage.pay(payer)).body).toMatchObject({ rejection_reason: 'provider_refused' });
    expect(stage.provider.differentCredentials).toBe(1);
    stage.provider.behave();
    bodyOf(await stage.pay(payer), 200);
    expect(stage.provider.cumulatives).toEqual([1_000n]);
    expect(bodyOf(await operator().post(`/v1/sessions/${payer.session}/close`), 200).settled_usdc).toBe('0.001000');
  });

  test.each<[string, () => Parameters<RogueProvider['behave']>[0]]>([
    ['cuts the connection after it has the credential', () => stage.provider.dropsFirstAnswer()],
    [
      'answers 500 after it was paid',
      () => ({ paid: (response, paid) => (paid.isReplay ? stage.provider.serve(response, paid) : void response.writeHead(500).end()) }),
    ],
  ])('a payment at a provider that %s is unknown, resent once with the same credential, and paid once', async (_what, behaviour) => {
    const payer = await stage.aPayer();
    stage.provider.behave(behaviour());
    const { status, body } = await stage.pay(payer);
    expect([status, body.status]).toEqual([202, 'unknown']);
    expect(await settled(body.payment_id)).toMatchObject({ status: 'paid', response: { status: 200 } });
    expect([stage.provider.payments.length, stage.provider.differentCredentials]).toEqual([2, 1]);
    stage.provider.behave();
    bodyOf(await stage.pay(payer), 200);
    expect(stage.provider.cumulatives).toEqual([2_000n]);
  });

  test('a payment whose outcome stays unknown after the second attempt counts as accepted, and is settled', async () => {
    const payer = await stage.aPayer();
    stage.provider.behave(stage.provider.cutsAfterReading());
    const { body } = await stage.pay(payer);
    expect(await settled(body.payment_id)).toMatchObject({ status: 'paid_unreceipted' });
    expect([stage.provider.payments.length, stage.provider.differentCredentials]).toEqual([2, 1]);
    expect(bodyOf(await operator().post(`/v1/sessions/${payer.session}/close`), 200).settled_usdc).toBe('0.001000');
  });

  test.each<[string, () => Parameters<RogueProvider['behave']>[0], Body]>([
    ['answers without a receipt', () => stage.provider.servesWithoutReceipt(), { status: 'paid_unreceipted', receipt: null }],
    ['answers with a malformed receipt', () => stage.provider.servesWithMalformedReceipt(), { status: 'paid_unreceipted', receipt: null }],
    ['answers with an endless body', () => stage.provider.servesEndlessBody(), { status: 'paid', response: { truncated: true } }],
  ])('a payment at a provider that %s is paid', async (_what, behaviour, wanted) => {
    const payer = await stage.sharedPayer();
    stage.provider.behave(behaviour());
    expect(bodyOf(await stage.pay(payer), 200)).toMatchObject(wanted);
  });

  test('redirects of a provider are not followed, paid or unpaid', async () => {
    const payer = await stage.sharedPayer();
    stage.provider.behave(stage.provider.redirectsUnpaid(`${stage.provider.url}/elsewhere`));
    expect(bodyOf(await stage.pay(payer), 200)).toMatchObject({ status: 'free', response: { status: 307 } });
    expect(stage.provider.calls.map(({ path }) => path)).toEqual(['/data?q=1']);
  });

  test('an unreachable provider is 502, and the same idempotency key tries again', async () => {
    const payer = await stage.aPayer();
    const session = await stage.open(payer, { provider: 'http://127.0.0.1:9' });
    const given = stage.order({ ...payer, session }, { request: { method: 'GET', url: 'http://127.0.0.1:9/' } });
    expect((await operator().post('/v1/payments', given)).body).toMatchObject({
      error: 'provider_unreachable',
      payment_id: expect.any(String),
    });
    expect((await operator().post('/v1/payments', given)).status).toBe(502);
  });
});
