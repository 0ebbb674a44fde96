import { Mutex } from '../../runtime/mutex';
import { PaymentLock } from './payment-lock';

test('a lock is taken in the order of arrival, and says whether another payment had it', async () => {
  const mutex = new Mutex();
  const [first, second] = [new PaymentLock(mutex), new PaymentLock(mutex)];
  expect(await first.take('a')).toBe(false);
  const taken = second.take('a');
  first.release();
  expect(await taken).toBe(true);
});

test('a payment that takes another lock releases the one before', async () => {
  const mutex = new Mutex();
  const lock = new PaymentLock(mutex);
  await lock.take('a');
  await lock.take('b');
  expect(await new PaymentLock(mutex).take('a')).toBe(false);
});

test('a release without a lock, or a second one, changes nothing for the next holder', async () => {
  const mutex = new Mutex();
  const [first, second, third] = [new PaymentLock(mutex), new PaymentLock(mutex), new PaymentLock(mutex)];
  first.release();
  await first.take('a');
  const taken = second.take('a');
  first.release();
  await taken;
  first.release();
  let isTaken = false;
  const waiting = third.take('a').then(() => (isTaken = true));
  await new Promise(setImmediate);
  expect(isTaken).toBe(false);
  second.release();
  await waiting;
});
