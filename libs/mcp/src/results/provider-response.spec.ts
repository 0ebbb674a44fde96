import type { Schemas } from '#client';
import { readableResponse } from './provider-response';

const payment = (response: Partial<Schemas['Response']> | null): Schemas['Payment'] => ({
  payment_id: 'pay_1',
  account_id: 'acct_1',
  status: 'paid',
  amount_usdc: '0.010000',
  category: null,
  protocol: 'x402',
  method: 'charge',
  session_id: null,
  purse_id: null,
  reference: null,
  metadata: {},
  provider: 'https://api.example.com',
  request: null,
  receipt: null,
  created_at: '2026-03-01T12:00:00.000Z',
  settled_at: null,
  response: response && { status: 200, headers: {}, body: null, body_base64: '', ...response },
});

test('a response with text loses its base64', () =>
  expect(readableResponse(payment({ body: 'fine', body_base64: 'ZmluZQ==' })).response).toEqual({
    status: 200,
    headers: {},
    body: 'fine',
  }));

test('a response without text keeps its base64', () =>
  expect(readableResponse(payment({ body_base64: 'AAEC' })).response).toEqual({ status: 200, headers: {}, body_base64: 'AAEC' }));

test('a text of more than 100,000 characters is cut, and marked as cut', () => {
  const { response } = readableResponse(payment({ body: 'x'.repeat(100_001) }));
  expect(response).toEqual({ status: 200, headers: {}, body: 'x'.repeat(100_000), truncated: true });
});

test('a payment without a response has none', () => expect(readableResponse(payment(null)).response).toBeNull());
