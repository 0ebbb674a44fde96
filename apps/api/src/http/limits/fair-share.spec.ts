import { FairShare } from './fair-share';
import { TooManyAtOnce } from './rate-limit';

jest.useFakeTimers({ now: 0 });

/** Authentications of this length, for so long that the share is at its bound. */
function authentications(share: FairShare, tookMs: number): void {
  for (let index = 0; index < 70; index++) {
    jest.advanceTimersByTime(100);
    share.note(tookMs);
  }
}

/** Requests of a caller, and which of them have begun. */
function requests(share: FairShare, caller: string, count: number): { begun: (() => void)[]; refused: unknown[] } {
  const state = { begun: [] as (() => void)[], refused: [] as unknown[] };
  for (let index = 0; index < count; index++)
    void share.enter(caller).then(
      (end) => state.begun.push(end),
      (error: unknown) => state.refused.push(error),
    );
  return state;
}

const settle = (): Promise<void> => jest.advanceTimersByTimeAsync(0).then(() => undefined);

let share: FairShare;
beforeEach(() => {
  share = new FairShare(() => Date.now());
});

test('64 requests of a caller begin at once, and the next ones as those end', async () => {
  const { begun } = requests(share, 'a', 70);
  await settle();
  expect(begun).toHaveLength(64);
  begun[0]?.();
  begun[0]?.();
  await settle();
  expect(begun).toHaveLength(65);
});

test('a busy process begins one request of each competing caller at a time', async () => {
  authentications(share, 26);
  const [a, b] = [requests(share, 'a', 3), requests(share, 'b', 3)];
  await settle();
  expect([a.begun.length, b.begun.length]).toEqual([3, 1]);
  const later = requests(share, 'a', 1);
  a.begun.forEach((end) => end());
  await settle();
  expect([later.begun.length, b.begun.length]).toEqual([1, 1]);
});

test('a busy process leaves a caller alone all of itself', async () => {
  authentications(share, 26);
  requests(share, 'a', 1);
  requests(share, 'b', 1);
  await jest.advanceTimersByTimeAsync(2_001);
  const { begun } = requests(share, 'b', 10);
  await settle();
  expect(begun).toHaveLength(10);
});

test('a process that is not busy any more begins the requests that wait', async () => {
  authentications(share, 26);
  requests(share, 'a', 1);
  const { begun } = requests(share, 'b', 3);
  await settle();
  expect(begun).toHaveLength(1);
  authentications(share, 25);
  await settle();
  expect(begun).toHaveLength(3);
});

test('a request that waits for the chain gives up its turn after 100 ms', async () => {
  authentications(share, 26);
  requests(share, 'a', 1);
  const { begun } = requests(share, 'b', 3);
  await jest.advanceTimersByTimeAsync(99);
  expect(begun).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(begun).toHaveLength(2);
});

test('a request without its turn for 30 seconds is refused, and those behind it keep theirs', async () => {
  authentications(share, 26);
  requests(share, 'a', 1);
  const { begun, refused } = requests(share, 'b', 310);
  for (let second = 0; second < 30; second++) {
    requests(share, 'a', 1);
    await jest.advanceTimersByTimeAsync(1_000);
  }
  expect(begun).toHaveLength(300);
  expect(refused).toHaveLength(10);
  expect(refused.every((error) => error instanceof TooManyAtOnce)).toBe(true);
});

test('the 1,001st request that waits is refused at once', async () => {
  authentications(share, 26);
  requests(share, 'a', 1);
  const { begun, refused } = requests(share, 'b', 1_002);
  await settle();
  expect([begun.length, refused.length]).toEqual([1, 1]);
});

test('refusals of an address are made at once while the process is not busy, and every 20 ms while it is', async () => {
  const refusals = async (): Promise<number> => {
    let made = 0;
    for (let index = 0; index < 100; index++) void share.pace('address').then(() => made++);
    await jest.advanceTimersByTimeAsync(99);
    return made;
  };
  expect(await refusals()).toBe(100);
  authentications(share, 26);
  requests(share, 'a', 1);
  requests(share, 'b', 1);
  expect(await refusals()).toBe(5);
});
