import { ConcurrencyLimiter } from './concurrency-limiter';

const available = (limiter: ConcurrencyLimiter): number => limiter.available().wh_1 ?? ConcurrencyLimiter.initialLimit;
const attempt = (limiter: ConcurrencyLimiter, duration_ms: number, status_code: number | null = 200): void => {
  limiter.acquire('wh_1');
  limiter.release('wh_1', { duration_ms, status_code });
};

test('a webhook may get 8 deliveries at once, and up to 64 while its receiver answers fast', () => {
  const limiter = new ConcurrencyLimiter();
  expect(available(limiter)).toBe(8);
  attempt(limiter, 10);
  expect(available(limiter)).toBe(16);
  for (let times = 0; times < 10; times++) attempt(limiter, 10, null);
  expect(available(limiter)).toBe(64);
});

test('a webhook keeps its limit when its receiver answers slowly, and has a limit of 2 when it hangs', () => {
  const limiter = new ConcurrencyLimiter();
  attempt(limiter, 10);
  attempt(limiter, 5_000);
  expect(available(limiter)).toBe(16);
  attempt(limiter, 15_000, null);
  expect(available(limiter)).toBe(2);
  attempt(limiter, 5_000);
  expect(available(limiter)).toBe(8);
});

test('running deliveries count against the limit, and one that was not sent leaves the limit unchanged', () => {
  const limiter = new ConcurrencyLimiter();
  for (let times = 0; times < 10; times++) limiter.acquire('wh_1');
  expect([available(limiter), limiter.running]).toEqual([0, 10]);
  limiter.release('wh_1', undefined);
  expect([available(limiter), limiter.running]).toEqual([0, 9]);
  for (let times = 0; times < 9; times++) limiter.release('wh_1', undefined);
  expect([available(limiter), limiter.running]).toEqual([8, 0]);
});
