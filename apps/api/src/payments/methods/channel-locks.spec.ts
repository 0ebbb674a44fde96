/** The locks of payments by the vouchers of channels. */
import { Mutex } from '../../runtime/mutex';
import { aPurse } from '../../purses/purse.builder';
import { aPayment } from '../payment.builder';
import type { Payment } from '../payment.entity';
import { Declined } from '../payments.errors';
import { BatchMethod } from './batch/batch';
import { ChannelSessionMethod } from './channel-session/channel-session';
import { PaymentLock } from './payment-lock';
import type { Funding } from './payment-method';

const funding = { account: {}, purse: aPurse({ kind: 'channel' }) } as unknown as Funding;
const tick = (): Promise<void> => new Promise(setImmediate);

/** Both methods in one process, whose vouchers are stored at once. */
function stage() {
  const authorized: string[] = [];
  const vouchers = {
    authorizedInTurn: async (payment: Payment) => {
      authorized.push(payment.id);
      return payment;
    },
  };
  const none: object[] = Array.from({ length: 14 }, () => ({}));
  const batch = new BatchMethod(...(none.with(6, vouchers) as unknown as ConstructorParameters<typeof BatchMethod>));
  const session = new ChannelSessionMethod(...(none.with(6, vouchers) as unknown as ConstructorParameters<typeof ChannelSessionMethod>));
  const mutex = new Mutex();
  const pay = (method: BatchMethod | ChannelSessionMethod, changes: Partial<Payment>) => {
    const lock = new PaymentLock(mutex);
    return { lock, paid: method.authorize(aPayment(changes), {} as never, funding, lock) };
  };
  return { authorized, batch, session, pay };
}

test.each(['batch', 'session'] as const)('two %s payments of one account at one seller follow each other', async (name) => {
  const { authorized, pay, ...methods } = stage();
  const [first, second] = [pay(methods[name], { id: 'first' }), pay(methods[name], { id: 'second' })];
  await first.paid;
  await tick();
  expect(authorized).toEqual(['first']);
  first.lock.release();
  await second.paid;
  expect(authorized).toEqual(['first', 'second']);
});

test('payments of another account, at another seller and by another protocol go at once', async () => {
  const { authorized, batch, session, pay } = stage();
  const other = { accountId: 'acct_other' };
  const elsewhere = { provider: 'https://other.example.com' };
  const all = [pay(batch, {}), pay(batch, other), pay(batch, elsewhere), pay(session, {}), pay(session, other), pay(session, elsewhere)];
  await Promise.all(all.map(({ paid }) => paid));
  expect(authorized).toHaveLength(6);
});

test('an agent that wants the credential of a channel is declined before the lock is taken', async () => {
  const { session, pay } = stage();
  const paying = pay(session, {});
  await paying.paid;
  await expect(pay(session, { mode: 'authorize' }).paid).rejects.toBeInstanceOf(Declined);
});
