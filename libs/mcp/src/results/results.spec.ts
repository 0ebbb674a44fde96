import { APIConnectionError, APIError, NotFoundError, RateLimitError, ServiceUnavailableError } from '#client';
import { ArgumentError, failureOf, outcomeOf, outcomeWithAdvice } from './results';

const answered = (Kind: new (response: ConstructorParameters<typeof APIError>[0]) => APIError, status: number): APIError =>
  new Kind({ status, body: { error: 'code', message: 'sentence' }, headers: new Headers() });
const nextOf = (error: unknown, key?: string): unknown => (failureOf(error, key).structuredContent as Record<string, unknown>).next_step;

test.each([
  ['a lost connection', new APIConnectionError('away')],
  ['an unavailable chain', answered(ServiceUnavailableError, 503)],
  ['a rate limit', answered(RateLimitError, 429)],
])('the failure of a spending tool by %s says to repeat with the same key', (_what, error) => {
  expect(failureOf(error, 'k-1')).toMatchObject({ isError: true, structuredContent: { idempotency_key: 'k-1' } });
  expect(nextOf(error, 'k-1')).toMatch(/same idempotency_key/);
  expect(nextOf(error)).not.toMatch(/idempotency_key/);
});

test.each([
  ['an unknown object', answered(NotFoundError, 404)],
  ['an invalid argument', new ArgumentError('Give account_id.')],
])('the failure of a tool by %s says that nothing was executed', (_what, error) =>
  expect(nextOf(error, 'k-1')).toMatch(/^Nothing was executed/),
);

test('a defect is no result of a tool', () => expect(() => failureOf(new TypeError('defect'), 'k-1')).toThrow('defect'));

test('a status that this version does not know is not taken for a final one', () => expect(outcomeOf('pondering')).toBe('in_progress'));

test('an object that was declined earlier has the advice of its reason', () => {
  const transfer = { status: 'rejected', rejection_reason: 'categories', category: null, memo: null };
  expect(outcomeWithAdvice(transfer, ['memo', 'category'])).toMatchObject({ outcome: 'needs_change' });
  const inCategory = { ...transfer, category: 'games' };
  expect(outcomeWithAdvice(inCategory, ['memo', 'category'])).toMatchObject({ outcome: 'declined' });
  expect(outcomeWithAdvice({ status: 'settled' }, [])).toEqual({ outcome: 'done' });
});
