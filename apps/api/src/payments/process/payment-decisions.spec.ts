import { Mutex } from '../../runtime/mutex';
import { PaymentLock } from '../methods/payment-lock';
import type { Asked, Funding, Quote } from '../methods/payment-method';
import { a402, aPayment } from '../payment.builder';
import type { Payment } from '../payment.entity';
import { Declined } from '../payments.errors';
import { PaymentDecisions } from './payment-decisions';

const declined = (rule: string): Declined => Declined.because(rule, rule);
const funding = { purse: null, session: null } as unknown as Funding;

/** A method that takes the lock of `key`, and then stores a credential or throws. */
function aMethod(name: string, { key = name, error, unpriced }: { key?: string; error?: Error; unpriced?: Error } = {}) {
  const end = async (): Promise<void> => {
    if (error) throw error;
  };
  return {
    name,
    quote: (): Quote => {
      if (unpriced) throw unpriced;
      return { microUsdc: 5n } as Quote;
    },
    check: end,
    authorize: async (payment: Payment, _quote: Quote, _funding: Funding, lock: PaymentLock): Promise<Payment> => {
      await lock.take(key);
      await end();
      return { ...payment, status: 'unknown' };
    },
  };
}

/** The decision about a 402 that is offered these ways, and the locks of its payments. */
function stage(...methods: ReturnType<typeof aMethod>[]) {
  const candidates = async () => methods.map((method) => ({ method, funding }));
  const hosts = { violation: (_account: unknown, _caller: unknown, provider: string) => ({ rule: 'allowed_hosts', message: provider }) };
  const parts = [{ candidates, offered: () => methods }, hosts];
  const decisions = new PaymentDecisions(...(parts as unknown as ConstructorParameters<typeof PaymentDecisions>));
  const mutex = new Mutex();
  const lock = new PaymentLock(mutex);
  /** Whether another payment would wait for a lock. */
  const isHeld = async (key: string): Promise<boolean> => {
    const state = { isHeld: true };
    void mutex.acquire(key).then(({ release }) => {
      state.isHeld = false;
      release();
    });
    await new Promise(setImmediate);
    return state.isHeld;
  };
  const authorize = (asked: Asked = a402([])) => decisions.authorize(aPayment(), asked, funding, lock);
  return { decisions, lock, isHeld, authorize };
}

test('a payment holds the lock of the way that authorized it until that is released', async () => {
  const { authorize, lock, isHeld } = stage(aMethod('first'), aMethod('second'));
  expect(await authorize()).toMatchObject({ chosen: { method: { name: 'first' }, result: { status: 'unknown' } }, declines: [] });
  expect([await isHeld('first'), await isHeld('second')]).toEqual([true, false]);
  lock.release();
  expect(await isHeld('first')).toBe(false);
});

test('a declined way releases its lock before the next way is tried, which may have the same one', async () => {
  const { authorize, isHeld } = stage(
    aMethod('declined', { error: declined('cap') }),
    aMethod('also', { key: 'declined', error: declined('no') }),
    aMethod('last', { key: 'declined' }),
  );
  expect(await authorize()).toMatchObject({ chosen: { method: { name: 'last' } }, declines: [{ error: declined('cap') }, {}] });
  expect(await isHeld('declined')).toBe(true);
});

test('the first decline is the answer if every way is declined, and no lock is held', async () => {
  const { authorize, isHeld } = stage(
    aMethod('unpriced', { unpriced: declined('first') }),
    aMethod('declined', { error: declined('second') }),
  );
  expect(await authorize()).toMatchObject({ failed: { quote: undefined, error: { violation: { rule: 'first' } } } });
  expect(await isHeld('declined')).toBe(false);
});

test('an error that is not a decline ends the search and releases the lock', async () => {
  const { authorize, isHeld } = stage(aMethod('broken', { error: new Error('a defect') }), aMethod('next'));
  expect(await authorize()).toMatchObject({ failed: { quote: { microUsdc: 5n }, error: new Error('a defect') }, declines: [] });
  expect([await isHeld('broken'), await isHeld('next')]).toEqual([false, false]);
});

test('a record of a provider that was not written by an operator declines every way', async () => {
  const { authorize } = stage(aMethod('first'));
  const provider = { payee: null, categories: null, isGenuine: false };
  expect(await authorize(a402([], { provider }))).toMatchObject({ failed: { error: { violation: { rule: 'recipient_mismatch' } } } });
});

test('a check makes the same decision and takes no lock', async () => {
  const { decisions, isHeld } = stage(aMethod('declined', { error: declined('cap') }), aMethod('next'));
  expect(await decisions.check(aPayment(), a402([]), funding)).toMatchObject({ chosen: { method: { name: 'next' } } });
  expect(await isHeld('next')).toBe(false);
});

test('a forecast has the price of every way that takes the 402, and marks the chosen one', async () => {
  const forecast = (...methods: ReturnType<typeof aMethod>[]) => stage(...methods).decisions.forecast(aPayment(), a402([]), funding);
  const quotes = [
    { method: { name: 'declined' }, isChosen: false },
    { method: { name: 'next' }, isChosen: true },
  ];
  const unpriced = aMethod('unpriced', { unpriced: declined('no') });
  expect(await forecast(unpriced, aMethod('declined', { error: declined('cap') }), aMethod('next'))).toMatchObject({ quotes, error: null });
  expect(await forecast(unpriced)).toMatchObject({ quotes: [], error: { violation: { rule: 'no' } } });
  await expect(forecast()).rejects.toThrow('at least one way');
});

test('the host of a payment is checked against the allowed hosts', () => {
  expect(stage().decisions.barred(aPayment(), funding)).toMatchObject({ rule: 'allowed_hosts', message: 'https://api.example.com' });
});
