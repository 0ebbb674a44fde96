import { Logger } from '@nestjs/common';
import { ChainUnavailableError } from '#chain';
import { EgressError } from '../../egress/egress.errors';
import { ChainUnavailable } from '../../http/domain.errors';
import type { PaymentLock } from '../methods/payment-lock';
import type { Answered, Funding, Quote } from '../methods/payment-method';
import { aPayment } from '../payment.builder';
import type { Payment } from '../payment.entity';
import { AccountBusy, Declined } from '../payments.errors';
import type { ProviderRequest } from '../provider/provider-client';
import { PaymentDecisions } from './payment-decisions';
import { PaymentProcess } from './payment-process';

const REQUEST: ProviderRequest = { method: 'GET', url: 'https://api.example.com/v1/search', headers: {}, body: null };
const funding = { account: {}, caller: {}, session: null, purse: null, openSession: null } as unknown as Funding;
const tick = (): Promise<void> => new Promise(setImmediate);

beforeAll(() => Logger.overrideLogger(false));

interface Given {
  /** The HTTP statuses of the provider's answers; an error is thrown. */
  answers?: (number | Error)[];
  /** The error of storing a credential. */
  error?: Error;
  /** The status of an authorized payment. */
  authorized?: Payment['status'];
  /** How often the method has the credential sent again. */
  resends?: number;
  /** A rule that bars the host. */
  barred?: string;
  /** The method that a stored payment was authorized by. */
  isAuthorized?: boolean;
  /** The error of storing the answer. */
  unstored?: Error;
  /** Until when the 402 is not stored as evidence. */
  evidence?: Promise<void>;
}

/** A process whose payments all are paid by one method under one lock, and the steps that it took. */
function stage({ answers = [402, 200], error, authorized = 'unknown', resends = 0, evidence, ...given }: Given = {}) {
  const calls: string[] = [];
  const tell = (step: string, payment: Payment, changes: Partial<Payment>): Promise<Payment> => {
    calls.push(`${step} ${payment.id}`);
    return Promise.resolve({ ...payment, ...changes });
  };
  const method = {
    name: 'voucher',
    quote: () => ({ microUsdc: 5n }) as Quote,
    authorize: async (payment: Payment, _quote: Quote, _funding: Funding, lock: PaymentLock) => {
      calls.push(`waited ${payment.id} ${await lock.take('session')}`);
      if (error) throw error;
      return tell('authorize', payment, { status: authorized });
    },
    conclude: async (payment: Payment, { sends }: Answered<Quote>) => {
      await tick();
      if (given.unstored) throw given.unstored;
      const resend = sends <= resends;
      return { payment: await tell('conclude', payment, resend ? {} : { status: 'paid', responseStatus: 200 }), resend };
    },
    concludeUnseen: async (payment: Payment) => {
      await tick();
      return tell('conclude', payment, { status: 'paid' });
    },
    resume: async (payment: Payment) => ({ payment, resend: resends > 0 }),
  };
  const methods = {
    candidates: async () => [{ method, funding }],
    of: () => (given.isAuthorized === false ? undefined : method),
    afterRefusal: async (payment: Payment, _asked: unknown, _funding: unknown, reason: string) => tell(`refused ${reason}`, payment, {}),
  };
  const hosts = { violation: () => (given.barred === undefined ? undefined : { rule: given.barred, message: '' }) };
  const decisions = new PaymentDecisions(...([methods, hosts] as unknown as ConstructorParameters<typeof PaymentDecisions>));
  const closed: number[] = [];
  const call = async (_request: unknown, _reading: unknown, credential?: string) => {
    const status = credential === undefined ? answers[0] : answers.splice(1, 1)[0];
    if (credential !== undefined) calls.push(`send ${credential}`);
    if (status instanceof Error) throw status;
    const live = { close: () => void closed.push(status ?? 0) };
    return { status, challenges: [], paymentRequired: null, headers: {}, body: Buffer.alloc(0), live };
  };
  const store = {
    decline: (payment: Payment, violation: Payment['violation']) => tell('decline', payment, { status: 'rejected', violation }),
    fail: (payment: Payment, failure: Payment['failure']) => tell('fail', payment, { status: 'failed', failure }),
    free: async () => undefined,
    find: async (id: string) => aPayment({ id, status: 'free' }),
  };
  const parts = [
    { known: async () => null },
    { call, open: () => REQUEST },
    { seal: async () => ({ sealed: 'answer' }) },
    { FREE_ANSWER_BYTES: 1 },
    { open: ({ id }: Payment) => id },
    decisions,
    methods,
    store,
    { pass: () => undefined },
    { keepDemand: () => evidence ?? Promise.resolve() },
    { demand: () => 'sealed' },
  ];
  const process = new PaymentProcess(...(parts as unknown as ConstructorParameters<typeof PaymentProcess>));
  const pay = (id = 'pay_1') => process.pay(aPayment({ id }), { request: REQUEST, provider: null, isLive: false }, funding);
  const authorize = (id = 'pay_1') => process.authorize(aPayment({ id }), { challenges: [], x402: null }, funding);
  return { process, calls, closed, pay, authorize };
}

const steps = (id: string, hasWaited: boolean): string[] => [`waited ${id} ${hasWaited}`, `authorize ${id}`];

describe('the lock of a payment', () => {
  test('two payments of one session at once: the second is authorized after the answer to the first is stored', async () => {
    const { pay, calls } = stage({ answers: [402, 200, 200] });
    const paid = await Promise.all([pay('pay_1'), pay('pay_2')]);
    expect(paid).toMatchObject([{ status: 'paid' }, { status: 'paid' }]);
    const sent = (id: string, hasWaited: boolean) => [...steps(id, hasWaited), `send ${id}`, `conclude ${id}`];
    expect(calls).toEqual([...sent('pay_1', false), ...sent('pay_2', true)]);
  });

  test('two authorizations of one session at once: the second follows the conclusion of the first', async () => {
    const { authorize, calls } = stage();
    await Promise.all([authorize('pay_1'), authorize('pay_2')]);
    expect(calls).toEqual([...steps('pay_1', false), 'conclude pay_1', ...steps('pay_2', true), 'conclude pay_2']);
  });

  test.each<[string, Given]>([
    ['authorize declines', { error: Declined.because('session_cap', '') }],
    ['authorize throws', { error: new Error('a defect') }],
    ['the answer is not stored', { unstored: new Error('a defect') }],
    ['the 402 is not stored', { evidence: Promise.reject(new Error('a defect')) }],
    ['the payment was paid before', { authorized: 'paid' }],
  ])('is released if %s', async (_case, given) => {
    const { pay, authorize, calls } = stage({ answers: [402, 200, 200], ...given });
    await Promise.allSettled([pay('pay_1')]);
    await Promise.allSettled([authorize('pay_2')]);
    expect(calls).toEqual(expect.arrayContaining(['waited pay_1 false', 'waited pay_2 false']));
  });
});

describe('a payment', () => {
  test('has its credential sent again, or not, as its method says, and returns the last answer', async () => {
    const { pay, calls, closed } = stage({ answers: [402, new EgressError('lost'), 503, 200], resends: 2 });
    expect(await pay()).toMatchObject({ status: 'paid', answer: { status: 200, sealed: 'answer' } });
    expect(calls.filter((step) => step === 'send pay_1')).toHaveLength(3);
    expect(closed).toEqual([503]);
  });

  test('is authorized and not sent before its 402 is stored as evidence', async () => {
    let store: () => void = () => undefined;
    const { pay, calls } = stage({ evidence: new Promise((resolve) => (store = resolve)) });
    const paid = pay();
    await tick();
    expect(calls).toEqual(steps('pay_1', false));
    store();
    expect((await paid).status).toBe('paid');
  });

  test('that was paid before the database was restored sends nothing', async () => {
    const { pay, calls } = stage({ authorized: 'paid' });
    expect((await pay()).status).toBe('paid');
    expect(calls).toEqual(steps('pay_1', false));
  });

  test('of a barred host is declined without a call, for the amount that the demand names', async () => {
    const { pay, authorize, calls } = stage({ barred: 'allowed_hosts' });
    expect(await pay()).toMatchObject({ violation: { rule: 'allowed_hosts' } });
    expect(await authorize()).toMatchObject({ violation: { rule: 'allowed_hosts' } });
    expect(calls).toEqual(['decline pay_1', 'decline pay_1']);
  });

  test('fails if the provider gives no answer; another error is thrown', async () => {
    expect(await stage({ answers: [new EgressError('no route')] }).pay()).toMatchObject({ failure: { code: 'provider_unreachable' } });
    await expect(stage({ answers: [new Error('a defect')] }).pay()).rejects.toThrow('a defect');
    await expect(stage({ answers: [402, new Error('a defect')] }).pay()).rejects.toThrow('a defect');
  });

  test('whose provider asks for nothing is read again if another process stored it', async () => {
    expect(await stage({ answers: [200] }).pay()).toMatchObject({ status: 'free', answer: { status: 200 } });
  });

  test.each<[Error, Partial<Payment>]>([
    [Declined.because('session_cap', 'no'), { status: 'rejected', microUsdc: 5n }],
    [new ChainUnavailableError('away'), { status: 'failed', failure: { code: 'chain_unavailable', message: expect.any(String) } }],
    [new ChainUnavailable('away'), { status: 'failed', failure: { code: 'chain_unavailable', message: 'away' } }],
    [new AccountBusy({}), { status: 'failed', failure: { code: 'account_busy', message: expect.any(String) } }],
  ])('stores why it was not authorized: %p', async (error, expected) => expect(await stage({ error }).pay()).toMatchObject(expected));

  test('without a credential fails after a crash; one with a credential is resumed by its method', async () => {
    expect(await stage({ isAuthorized: false }).process.resume(aPayment())).toMatchObject({ failure: { code: 'provider_unreachable' } });
    expect((await stage().process.resume(aPayment())).status).toBe('created');
    const resent = stage({ resends: 1, answers: [402, 200, 200] });
    expect((await resent.process.resume(aPayment({ id: 'pay_1' }))).status).toBe('paid');
    expect(resent.calls).toEqual(['send pay_1', 'conclude pay_1', 'send pay_1', 'conclude pay_1']);
  });

  test('that its agent saw refused is handed to the methods with the reason', async () => {
    const { process, calls } = stage();
    await process.refused(aPayment({ id: 'pay_1' }), { challenges: [], x402: null }, funding, 'why');
    expect(calls).toEqual(['refused why pay_1']);
  });
});
