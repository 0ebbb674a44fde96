import type { SimulationOutcome } from '#chain';
import { anAccount } from '../../../accounts/account.builder';
import { Mutex } from '../../../runtime/mutex';
import type { Session } from '../../../sessions';
import { aSession } from '../../../sessions/session.builder';
import { aPayment } from '../../payment.builder';
import type { Payment } from '../../payment.entity';
import type { MppQuote } from '../../quotes/mpp';
import { PaymentLock } from '../payment-lock';
import type { Funding } from '../payment-method';
import { VoucherMethod } from './voucher';

const PRICE = 4n;
const quote = { microUsdc: PRICE, payee: 'Payee', category: null, challengeId: 'challenge' } as unknown as MppQuote;
const ALLOWED = { kind: 'allowed', policyVersion: 1_000n } as unknown as SimulationOutcome;
const CLOSING = { kind: 'failed', failure: { reason: 'session_closing', detail: '' } } as unknown as SimulationOutcome;
const REFUSED = { kind: 'violation', violation: { scope: 'account' } } as unknown as SimulationOutcome;
const tick = (): Promise<void> => new Promise(setImmediate);

interface Given {
  sessions?: Session[];
  /** The sessions that a request with `open_session` finds one after the other, by their positions; then the last one. */
  found?: number[];
  /** The outcomes of the policy checks; then allowed. */
  checks?: SimulationOutcome[];
  /** Until when the second session is not open. */
  opening?: Promise<void>;
}

/** The method over sessions in memory, whose vouchers need the accepted amount that they were read with. */
function stage({ sessions = [aSession({ capMicroUsdc: 10n })], found = [0], checks = [], opening }: Given = {}) {
  const told: string[] = [];
  const rows = new Map(sessions.map((session) => [session.id, session]));
  const read = (id = ''): Session => ({ ...aSession(), ...rows.get(id) });
  const position = (id: string): number => sessions.findIndex((session) => session.id === id);
  const chain = {
    sessions: {
      checkPayment: async () => {
        told.push('check');
        await tick();
        return checks.shift() ?? ALLOWED;
      },
    },
  };
  const openings = {
    sessionFor: async () => {
      const at = (found.length > 1 ? found.shift() : found[0]) ?? 0;
      told.push(`find ${at}`);
      if (at === 1) await opening;
      return read(sessions[at]?.id);
    },
  };
  const reader = {
    find: async (id: string) => {
      told.push(`read ${position(id)}`);
      return read(id);
    },
  };
  const store = {
    authorize: async (payment: Payment, session: Session, _terms: unknown, voucher: { cumulativeMicroUsdc: bigint }) => {
      const { acceptedMicroUsdc } = read(session.id);
      if (acceptedMicroUsdc !== session.acceptedMicroUsdc) return undefined;
      rows.set(session.id, { ...read(session.id), acceptedMicroUsdc: voucher.cumulativeMicroUsdc });
      told.push(`issue ${voucher.cumulativeMicroUsdc} of ${position(session.id)}`);
      return { ...payment, sessionId: session.id, status: 'unknown' as const };
    },
  };
  const parts = [
    {},
    chain,
    { describe: async () => ({ rule: 'max_single_transfer', message: '' }) },
    openings,
    reader,
    { reachCap: async ({ id }: Session) => void told.push(`cap of ${position(id)}`) },
    { issue: async (_session: Session, cumulativeMicroUsdc: bigint) => ({ cumulativeMicroUsdc }), payload: () => ({}) },
    { seal: () => 'sealed' },
    store,
    { find: async () => aPayment() },
    { pass: () => undefined },
  ];
  const method = new VoucherMethod(...(parts as unknown as ConstructorParameters<typeof VoucherMethod>));
  const mutex = new Mutex();
  /** A payment, out of the first session if it is named, and its lock. */
  const pay = ({ isNamed = false } = {}) => {
    const lock = new PaymentLock(mutex);
    const session = isNamed ? read(sessions[0]?.id) : null;
    const openSession = isNamed ? null : { cap: '1' };
    const funding = { account: anAccount(), session, openSession } as unknown as Funding;
    return { lock, paid: method.authorize(aPayment(), quote, funding, lock) };
  };
  return { pay, told, mutex };
}

const two = [aSession({ id: 'sess_a', capMicroUsdc: 4n }), aSession({ id: 'sess_b', capMicroUsdc: 4n })];
const session_cap = { violation: { rule: 'session_cap' } };

test('a payment that waited for nobody issues its voucher from the session as it was read, without another query', async () => {
  const { pay, told } = stage();
  await pay({ isNamed: true }).paid;
  expect(told).toEqual(['check', 'issue 4 of 0']);
});

test('two payments of one session at once are checked side by side, and the second adds to the first', async () => {
  const { pay, told } = stage();
  const [first, second] = [pay({ isNamed: true }), pay({ isNamed: true })];
  await first.paid;
  await tick();
  expect(told).toEqual(['check', 'check', 'issue 4 of 0']);
  first.lock.release();
  expect(await second.paid).toMatchObject({ status: 'unknown' });
  expect(told.slice(3)).toEqual(['read 0', 'issue 8 of 0']);
});

test('a session that another payment used up meanwhile is followed by another, and its lock is released at once', async () => {
  let open: () => void = () => undefined;
  const opening = new Promise<void>((resolve) => (open = resolve));
  const { pay, told, mutex } = stage({ sessions: two, found: [0, 0, 1], opening });
  const [first, second] = [pay(), pay()];
  await first.paid;
  first.lock.release();
  await tick();
  expect((await mutex.acquire('sess_a')).hasWaited).toBe(false);
  open();
  expect(await second.paid).toMatchObject({ sessionId: 'sess_b' });
  expect(told.slice(4)).toEqual(['issue 4 of 0', 'read 0', 'cap of 0', 'find 1', 'check', 'issue 4 of 1']);
});

test('a session that ended before its payment was checked or had its turn is followed by another', async () => {
  const ended = [aSession({ id: 'sess_a', state: 'closing' }), aSession({ id: 'sess_b' })];
  const stored = stage({ sessions: ended, found: [0, 1] });
  expect(await stored.pay().paid).toMatchObject({ sessionId: 'sess_b' });
  const onChain = stage({ sessions: two, found: [0, 1], checks: [CLOSING] });
  expect(await onChain.pay().paid).toMatchObject({ sessionId: 'sess_b' });
});

test('a named session that is used up or ended declines the payment without another try', async () => {
  const usedUp = stage({ sessions: [aSession({ capMicroUsdc: 3n })] });
  await expect(usedUp.pay({ isNamed: true }).paid).rejects.toMatchObject(session_cap);
  expect(usedUp.told).toEqual(['check', 'cap of 0']);
  await expect(stage({ checks: [CLOSING] }).pay({ isNamed: true }).paid).rejects.toMatchObject({ code: 'conflict' });
});

test('a payment ends after twenty sessions that were used up before its turn', async () => {
  const { pay, told } = stage({ sessions: [aSession({ capMicroUsdc: 3n })] });
  await expect(pay().paid).rejects.toMatchObject(session_cap);
  expect(told.filter((step) => step === 'find 0')).toHaveLength(20);
});

test('a violation of the policy declines the payment before it takes the lock', async () => {
  const { pay, mutex } = stage({ checks: [REFUSED] });
  await expect(pay().paid).rejects.toMatchObject({ violation: { rule: 'max_single_transfer' } });
  expect((await mutex.acquire(aSession().id)).hasWaited).toBe(false);
});
