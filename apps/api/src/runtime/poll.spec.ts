import { pollUntil } from './poll';

const calls = (results: (string | undefined)[]) => jest.fn(async () => results.shift());

test('pollUntil calls the probe until it returns a value', async () => {
  const probe = calls([undefined, undefined, 'found', 'late']);
  expect(await pollUntil(probe, { everyMs: 1, withinMs: 60_000 })).toBe('found');
  expect(probe).toHaveBeenCalledTimes(3);
});

test.each([0, false, '', null])('pollUntil takes %j for a value', async (value) => {
  expect(await pollUntil<unknown>(async () => value, { everyMs: 1, withinMs: 60_000 })).toBe(value);
});

test('pollUntil calls the probe once and returns undefined when it has no time', async () => {
  const probe = calls([undefined, 'late']);
  expect(await pollUntil(probe, { everyMs: 1, withinMs: 0 })).toBeUndefined();
  expect(probe).toHaveBeenCalledTimes(1);
});

test('pollUntil returns undefined when the time is over, after several calls', async () => {
  const probe = calls([]);
  expect(await pollUntil(probe, { everyMs: 10, withinMs: 50 })).toBeUndefined();
  expect(probe.mock.calls.length).toBeGreaterThan(1);
});

test('pollUntil throws the error of the probe', async () => {
  await expect(pollUntil(() => Promise.reject(new Error('gone')), { everyMs: 1, withinMs: 60_000 })).rejects.toThrow('gone');
});
