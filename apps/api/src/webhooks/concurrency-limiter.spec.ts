import { ConcurrencyLimiter } from './concurrency-limiter';

const room = (lanes: ConcurrencyLimiter): number => lanes.room().wh_1 ?? ConcurrencyLimiter.firstWidth;
const attempt = (lanes: ConcurrencyLimiter, duration_ms: number, status_code: number | null = 200): void => {
  lanes.enter('wh_1');
  lanes.leave('wh_1', { duration_ms, status_code });
};

test('a lane begins narrow, widens while the receiver is swift, and not without end', () => {
  const lanes = new ConcurrencyLimiter();
  expect(room(lanes)).toBe(8);
  attempt(lanes, 10);
  expect(room(lanes)).toBe(16);
  for (let times = 0; times < 10; times++) attempt(lanes, 10, null);
  expect(room(lanes)).toBe(64);
});

test('a receiver that hangs keeps two, and one that is slow but answers keeps what it has', () => {
  const lanes = new ConcurrencyLimiter();
  attempt(lanes, 10);
  attempt(lanes, 5_000);
  expect(room(lanes)).toBe(16);
  attempt(lanes, 15_000, null);
  expect(room(lanes)).toBe(2);
  attempt(lanes, 5_000);
  expect(room(lanes)).toBe(8);
});

test('what is under way takes room, and what was never sent says nothing of the receiver', () => {
  const lanes = new ConcurrencyLimiter();
  for (let times = 0; times < 10; times++) lanes.enter('wh_1');
  expect([room(lanes), lanes.underWay]).toEqual([0, 10]);
  lanes.leave('wh_1', undefined);
  expect([room(lanes), lanes.underWay]).toEqual([0, 9]);
  for (let times = 0; times < 9; times++) lanes.leave('wh_1', undefined);
  expect([room(lanes), lanes.underWay]).toEqual([8, 0]);
});
