import type { Body } from '../../support/api';
import { PurseStage } from '../../support/purses';
import { sharedService, type SharedService } from '../../support/service';
import { anAccount, bodyOf, type TestAccount } from '../../support/world';

jest.setTimeout(300_000);

let stage: PurseStage<SharedService>;
beforeAll(async () => {
  stage = await PurseStage.on(sharedService());
});
afterAll(() => stage.stop());

/** Runs a payment dry, then pays, and returns both answers. */
async function both(account: TestAccount, more: Body = {}): Promise<{ forecast: Body; status: number; body: Body }> {
  const order = stage.order(account, more);
  const forecast = bodyOf(await stage.by.post('/v1/payments', order, { 'Dry-Run': 'true' }), 200);
  const { status, body } = await stage.by.post('/v1/payments', order);
  return { forecast, status, body };
}

const ways = ({ quotes }: Body): unknown[] => quotes.map(({ protocol, method, chosen }: Body) => [protocol, method, chosen]);

test('a dry run of a payment out of an open purse that fits quotes the purse as the chosen way, and the purse pays', async () => {
  const account = await anAccount({ by: stage.by, usdc: '1' });
  await stage.open(account, '0.05');
  const { forecast, status, body } = await both(account);
  expect([forecast.allowed, ways(forecast)]).toEqual([
    true,
    [
      ['x402', 'purse', true],
      ['x402', 'charge', false],
    ],
  ]);
  expect([status, body.protocol, body.method]).toEqual([200, 'x402', 'purse']);
});

test('a dry run of a payment beside an open purse that is too small shows every quote and the decline that the payment gets', async () => {
  const account = await anAccount({ by: stage.by, usdc: '1' });
  await stage.open(account, '0.005');
  const { forecast, status, body } = await both(account);
  expect([status, body.error]).toEqual([409, 'conflict']);
  expect(forecast).toMatchObject({ allowed: false, amount_usdc: '0.010000', decline: { error: 'conflict', http_status: 409 } });
  expect(forecast.decline.message).toBe(body.message);
  expect(ways(forecast)).toEqual([
    ['x402', 'purse', false],
    ['x402', 'charge', false],
  ]);
});

test('a named purse is a quote with its decline where it does not fit', async () => {
  const account = await anAccount({ by: stage.by, usdc: '1' });
  const { purse_id } = await stage.open(account, '0.005');
  const { forecast, status, body } = await both(account, { purse_id });
  expect([status, body.rejection_reason]).toEqual([402, 'purse_amount']);
  expect(forecast.decline).toMatchObject({ rejection_reason: 'purse_amount', http_status: 402 });
  expect(forecast.quotes).toContainEqual(
    expect.objectContaining({ method: 'purse', chosen: false, decline: expect.objectContaining({ rejection_reason: 'purse_amount' }) }),
  );
});

test('a named purse of another host is a quote with its decline', async () => {
  const account = await anAccount({ by: stage.by, usdc: '1' });
  const { purse_id } = await stage.open(account, '0.05', { host: 'other.example' });
  const { forecast, status, body } = await both(account, { purse_id });
  expect([status, body.rejection_reason]).toEqual([402, 'purse_host']);
  expect(forecast.quotes).toContainEqual(
    expect.objectContaining({
      method: 'purse',
      amount_usdc: '0.010000',
      decline: expect.objectContaining({ rejection_reason: 'purse_host' }),
    }),
  );
});

test('a dry run of an x402 payment to a payee without a token account is declined as the payment is', async () => {
  const account = await anAccount({ by: stage.by, usdc: '1' });
  stage.odd.offer = { payTo: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T' };
  const { forecast, status, body } = await both(account, { url: stage.odd.url });
  stage.odd.offer = {};
  expect([status, body.rejection_reason]).toEqual([402, 'challenge_invalid']);
  expect(forecast).toMatchObject({ allowed: false, decline: { rejection_reason: 'challenge_invalid', message: body.message } });
});
