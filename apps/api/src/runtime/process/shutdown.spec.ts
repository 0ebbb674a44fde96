import { Shutdown } from './shutdown';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

test('a stop that hangs ends the process after a minute, and names what did not stop', async () => {
  const said = jest.spyOn(console, 'error').mockReturnValue();
  const ended = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
  const shutdown = new Shutdown();
  shutdown.add('the database', () => Promise.resolve());
  shutdown.add('the chain', () => new Promise(() => undefined));
  void shutdown.stop();
  await jest.advanceTimersByTimeAsync(59_999);
  expect(ended).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(1);
  expect([ended.mock.calls, said.mock.calls]).toEqual([[[1]], [['the chain did not stop within 60 s.']]]);
});

test('what was started last is stopped first, also if a stop fails', async () => {
  const said = jest.spyOn(console, 'error').mockReturnValue();
  const stopped: string[] = [];
  const shutdown = new Shutdown();
  shutdown.add('first', async () => void stopped.push('first'));
  shutdown.add('second', () => Promise.reject(new Error('broken')));
  shutdown.add('third', async () => void stopped.push('third'));
  await shutdown.stop();
  expect(stopped).toEqual(['third', 'first']);
  expect(said).toHaveBeenCalledWith('second did not stop cleanly: Error: broken');
});
