import { anOrder } from '../order.builder';
import { IdempotencyConflict } from '../orders.errors';
import { hashOfRequest, requireSameRequest } from './request-hash';

test('a replay with the same parameters passes, and one with others is an idempotency conflict', () => {
  const order = anOrder({ requestHash: hashOfRequest(['acct_1', '1']) });
  const caller = { accountIds: null };
  expect(() => requireSameRequest(order, hashOfRequest(['acct_1', '1']), caller)).not.toThrow();
  expect(() => requireSameRequest(order, hashOfRequest(['acct_1', '2']), caller)).toThrow(IdempotencyConflict);
});

test('the digest of a request tells null from an empty text', () => expect(hashOfRequest([null])).not.toEqual(hashOfRequest([''])));
