import { FairShare } from './fair-share';
import { Load } from './load';
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
let utilization: number;
let othersElsewhere: (known: string[]) => Promise<boolean>;
beforeEach(() => {
  utilization = 0;
  othersElsewhere = async () => false;
  const now = (): number => Date.now();
  share = new FairShare((known) => othersElsewhere(known), now, new Load(now, () => utilization));
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

test('refusals of an address are made at once while the process is not busy, and one every 20 ms while it is', async () => {
  const refusalsOf = async (address: string): Promise<number> => {
    let made = 0;
    for (let index = 0; index < 100; index++) void share.pace(address).then(() => made++);
    await jest.advanceTimersByTimeAsync(99);
    return made;
  };
  expect(await refusalsOf('one')).toBe(100);
  authentications(share, 26);
  requests(share, 'a', 1);
  requests(share, 'b', 1);
  expect(await refusalsOf('another')).toBe(5);
});

test.each([
  ['no other caller', 1_000],
  ['a caller of its process', 21 + 640],
  // One more, until the database has answered.
  ['a caller of another process', 22 + 640],
])('of a flood of refusals in an idle process, beside %s, %s of 1,000 are made in 3.2 seconds', async (beside, count) => {
  if (beside === 'a caller of another process') othersElsewhere = async () => true;
  let made = 0;
  for (let index = 0; index < 1_000; index++) {
    if (beside === 'a caller of its process' && index === 21) requests(share, 'a', 1);
    await settle();
    void share.pace('address').then(() => made++);
  }
  await jest.advanceTimersByTimeAsync(3_199);
  expect(made).toBe(count);
});

const UNLIMITED = 6_400;
/** One after another, each with a rest of the same length. */
const HALF = 50;
/** Requests that still wait 30 seconds after a simulation are refused. */
const ignore = (): void => undefined;

/**
 * A caller that always has 100 requests at once, each at work for 10 ms, for three seconds beside another with one every 10 ms, or with 100
 * too. Returns how many requests of the first begin in the last second.
 */
async function begunBeside(other: 'single' | 'many' | 'none', authenticationMs: number): Promise<number> {
  const { begun } = requests(share, 'many', 100);
  if (other === 'many') requests(share, 'other', 900);
  let count = 0;
  for (let step = 0; step < 300; step++) {
    if (other === 'single') void share.enter('other').then((end) => setTimeout(end, 9), ignore);
    share.note(authenticationMs);
    await settle();
    const ends = begun.splice(0);
    await jest.advanceTimersByTimeAsync(10);
    if (step >= 200) count += ends.length;
    for (const end of ends) {
      void share.enter('many').then((next) => begun.push(next), ignore);
      end();
    }
  }
  return count;
}

test('a caller of many requests beside one of single requests rests after each as long as it took where authentications take over three times as long as undisturbed', async () => {
  authentications(share, 1.5);
  expect(await begunBeside('single', 4.5)).toBe(UNLIMITED);
  await jest.advanceTimersByTimeAsync(60_000);
  authentications(share, 1.5);
  expect(await begunBeside('single', 4.6)).toBeLessThanOrEqual(HALF);
});

test('callers of many requests each are not limited where authentications take up to 25 ms', async () => {
  authentications(share, 1.5);
  expect(await begunBeside('many', 25)).toBe(UNLIMITED);
});

test('a caller of many requests has no rests any more once only others of many are beside it, however overloaded the process is', async () => {
  authentications(share, 1.5);
  await begunBeside('single', 26);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(await begunBeside('many', 26)).toBeGreaterThan(HALF);
});

test('a busy event loop limits a caller of many requests beside one of single requests', async () => {
  authentications(share, 1.5);
  utilization = 0.6;
  expect(await begunBeside('single', 1.5)).toBe(UNLIMITED);
  utilization = 0.61;
  expect(await begunBeside('single', 1.5)).toBeLessThanOrEqual(HALF);
});

test('a caller alone in its process is limited where keys that the process does not know are used elsewhere', async () => {
  authentications(share, 1.5);
  const asked: string[][] = [];
  othersElsewhere = async (known) => asked.push(known) > 0;
  expect(await begunBeside('none', 6)).toBeLessThanOrEqual(HALF);
  expect(asked).toEqual(Array(6).fill(['many']));
});

test('callers of many requests each are limited where keys that the process does not know are used elsewhere', async () => {
  authentications(share, 1.5);
  othersElsewhere = async () => true;
  expect(await begunBeside('many', 6)).toBeLessThanOrEqual(HALF);
});

test('a caller alone keeps its process where the database does not answer who else there is', async () => {
  authentications(share, 1.5);
  othersElsewhere = () => Promise.reject(new Error('no database'));
  expect(await begunBeside('none', 6)).toBe(UNLIMITED);
});

test.each([
  [20, 1, 3],
  [21, 20, 1],
  [21, 21, 3],
])('a caller of %s short requests in 100 ms, one after another, beside one of %s begins %s at once', async (count, single, begun) => {
  authentications(share, 1.5);
  const oneAfterAnother = async (caller: string, requests: number): Promise<void> => {
    for (let index = 0; index < requests; index++) (await share.enter(caller))();
  };
  for (let span = 0; span < 20; span++) {
    await oneAfterAnother('quick', count);
    await oneAfterAnother('single', single);
    await jest.advanceTimersByTimeAsync(100);
    share.note(4.6);
  }
  const burst = requests(share, 'quick', 3);
  await settle();
  expect(burst.begun).toHaveLength(begun);
});
