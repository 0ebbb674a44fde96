import { requireQueue } from '../../jobs/queue-connection';
import { StartError } from '../config-loader';
import { Config } from '../config';
import { openDatabase } from './database-connection';

test('a DATABASE_URL at which nothing listens ends the start with one sentence without the password', async () => {
  const opening = openDatabase('postgres://user:secret@127.0.0.1:1/payments');
  await expect(opening).rejects.toThrow(StartError);
  await expect(opening).rejects.toThrow(/^DATABASE_URL: the database payments at 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/);
  await expect(opening).rejects.not.toThrow('secret');
});

test('a REDIS_URL at which nothing listens ends the start with one sentence without the password', async () => {
  const connecting = requireQueue(Object.assign(new Config(), { REDIS_URL: 'redis://user:secret@127.0.0.1:1' }));
  await expect(connecting).rejects.toThrow(StartError);
  await expect(connecting).rejects.toThrow(/^REDIS_URL: Redis at 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/);
  await expect(connecting).rejects.not.toThrow('secret');
});

test('a refused connection to Redis leaves no timer, so that the process can end at once', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  await requireQueue(Object.assign(new Config(), { REDIS_URL: 'redis://127.0.0.1:1' })).catch(() => undefined);
  expect(timers()).toBe(before);
});
