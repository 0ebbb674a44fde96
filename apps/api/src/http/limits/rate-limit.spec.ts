import { Clock } from '../../runtime/clock';
import { quotaHeaders, RateLimit, RateLimited } from './rate-limit';

let now = 0;
const clock = Object.assign(new Clock(), { now: () => new Date(now) });
const aLimit = (limit: number): RateLimit => new RateLimit({ name: 'key', limit }, clock);

beforeEach(() => {
  now = 1_000_000;
});

test('a subject may do as much as the limit within a minute, and one more is limited', () => {
  const limit = aLimit(2);
  expect([limit.count('a', 'no').remaining, limit.count('a', 'no').remaining]).toEqual([1, 0]);
  expect(() => limit.count('a', 'Wait.')).toThrow(new RateLimited('Wait.', { name: 'key', limit: 2, remaining: 0, resetSeconds: 60 }));
  expect(limit.count('b', 'no').remaining).toBe(1);
});

test('a limited subject may go on when a minute has passed since its first request, and not a millisecond earlier', () => {
  const limit = aLimit(1);
  limit.count('a', 'no');
  now += 59_999;
  expect(() => limit.count('a', 'no')).toThrow(RateLimited);
  now += 1;
  expect(limit.count('a', 'no').remaining).toBe(0);
});

test('requests over the limit do not prolong it', () => {
  const limit = aLimit(1);
  limit.count('a', 'no');
  now += 30_000;
  expect(() => limit.count('a', 'no')).toThrow(RateLimited);
  now += 30_000;
  expect(limit.count('a', 'no').resetSeconds).toBe(60);
});

test('a limited answer says when to try again, by Retry-After and the RateLimit fields', () => {
  const limit = aLimit(1);
  limit.count('a', 'no');
  now += 17_500;
  const { headers } = catchLimited(() => limit.count('a', 'no'));
  expect(headers).toEqual({
    'Retry-After': '43',
    'RateLimit-Policy': '"key";q=1;w=60',
    RateLimit: '"key";r=0;t=43',
    'RateLimit-Limit': '1',
    'RateLimit-Remaining': '0',
    'RateLimit-Reset': '43',
  });
  expect(quotaHeaders(limit.quota('b'))).toEqual({ 'RateLimit-Policy': '"key";q=1;w=60', RateLimit: '"key";r=1;t=60' });
});

function catchLimited(work: () => unknown): RateLimited {
  try {
    work();
  } catch (error) {
    if (error instanceof RateLimited) return error;
  }
  throw new Error('The request was not limited.');
}
