import { FAILPOINTS, type Failpoint } from '../../apps/api/src/runtime/failpoints';
import { api, type Api, type Body } from '../support/api';
import { eventually } from '../support/eventually';
import { newDatabase, newOperatorKey, startBeside } from '../support/operators';
import { anOutsider } from '../support/outsider';
import { startRogueProvider, type RogueProvider } from '../support/rogue-provider';
import { sharedService, type Service } from '../support/service';
import { anAccount, chainBalance, eventsOf, bodyOf, landedSignatures, micro, order, query, type TestAccount } from '../support/world';

jest.setTimeout(180_000);

/** A database of its own: no other process finishes what one leaves before all have died. */
let databaseUrl: string;
let operatorKey: string;
beforeAll(async () => {
  databaseUrl = await newDatabase(sharedService());
  operatorKey = await newOperatorKey(sharedService(), databaseUrl);
});

const start = (variables: Record<string, string> = {}): Promise<Service> =>
  startBeside(sharedService(), {
    operatorKey,
    variables: { DATABASE_URL: databaseUrl, LEASE_MS: '2000', ALLOW_PRIVATE_URLS: 'true', ...variables },
  });
const rows = (statement: string, values: unknown[] = []) => query(statement, values, databaseUrl);

interface Crash {
  point: Failpoint;
  payer: TestAccount;
  payee: TestAccount;
  /** All requests; their responses never came. */
  given: Body[];
}

/** Kills a process at the failpoint `point` during a transfer, and returns the request. */
async function crashAt(point: Failpoint): Promise<Crash> {
  const service = await start({ CRASH_AT: point, WORKER: 'apart' });
  const by = api(service.baseUrl, operatorKey);
  for (let tries = 0; ; tries++) {
    const [payer, payee] = [await anAccount({ usdc: '100', policy: policyFor(point), by }), await anAccount({ by })];
    const given = [order(payer, payee, '60'), ...(point === 'transfer.refused' ? [order(payer, payee, '61')] : [])];
    const answers = await Promise.allSettled(given.map((each) => payApproved(by, each)));
    // The first may have landed before the second was simulated: then nothing was rejected on chain.
    if (point === 'transfer.refused' && tries < 10 && answers.every(({ status }) => status === 'fulfilled')) continue;
    await hasDied(service);
    return { point, payer, payee, given };
  }
}

async function hasDied(service: Service): Promise<void> {
  await eventually(() => expect(() => process.kill(service.pid, 0)).toThrow(), { timeoutMs: 10_000 });
}

/** For a violation on chain two must pass simulation and only one fit; some failpoints are behind an approval. */
function policyFor(point: Failpoint): Body {
  if (point === 'transfer.refused') return { max_daily_spend: 100 };
  return ['transfer.escalated', 'transfer.approved'].includes(point) ? { escalation_threshold: 50 } : {};
}

async function payApproved(by: Api, given: Body): Promise<void> {
  const { body } = await by.post('/v1/transfers', given);
  if (body.status === 'pending_approval') await by.post(`/v1/transfers/${body.transfer_id}/approve`);
}

/** Only a transfer that a seller sends passes `transfer.handed`: x402-faults.fault-spec.ts dies there. */
const TRANSFER_POINTS = FAILPOINTS.filter((point) => point.startsWith('transfer.') && point !== 'transfer.handed');
/** Only answers that are passed on pass `payment.streamed`: streamed-answers.fault-spec.ts dies there. */
const PAYMENT_POINTS = FAILPOINTS.filter((point) => /^(payment|session)\./.test(point) && point !== 'payment.streamed');

test('after a crash at any failpoint, a transfer is paid once, has each event once, and its request can be repeated', async () => {
  const crashes: Crash[] = [];
  const points = [...TRANSFER_POINTS];
  // Two at a time: as many as there are cores.
  while (points.length > 0) crashes.push(...(await Promise.all(points.splice(0, 2).map(crashAt))));
  // The first process that recovers what they left dies too.
  // It may die before it is ready.
  const second = await start({ CRASH_AT: 'recovery.claimed' }).catch((error: unknown) =>
    expect(String(error)).toContain('ended with null'),
  );
  if (second) await eventually(() => expect(() => process.kill(second.pid, 0)).toThrow(), { timeoutMs: 30_000 });

  const service = await start();
  const by = api(service.baseUrl, operatorKey);
  await eventually(async () => expect(await rows(`SELECT id, status FROM orders WHERE status IN ('created', 'submitted')`)).toEqual([]), {
    timeoutMs: 40_000,
  });
  for (const crash of crashes) await checkOnce(by, crash);
  await service.stop();
});

async function checkOnce(by: Api, { point, payer, payee, given }: Crash): Promise<void> {
  for (const each of given) await payApproved(by, each);
  const answers = await Promise.all(given.map((each) => by.post('/v1/transfers', each)));
  const settled = answers.filter(({ status }) => status === 200);
  expect([point, settled.length]).toEqual([point, 1]);
  expect([point, answers.filter(({ body }) => body.rejection_reason === 'max_daily_spend').length]).toEqual([point, given.length - 1]);
  const [{ transfer_id, tx_signature, amount_usdc }] = settled.map((answer) => bodyOf(answer, 200)) as [Body];
  expect([point, await chainBalance(payee.tokenAccount)]).toEqual([point, micro(amount_usdc)]);
  expect([point, await landedSignatures(payee.tokenAccount)]).toEqual([point, expect.arrayContaining([tx_signature])]);
  const types = (await eventsOf(payer, databaseUrl)).filter(([, data]) => data.transfer_id === transfer_id).map(([type]) => type);
  expect([point, types.filter((type) => type !== 'escalation.required')]).toEqual([point, ['transfer.initiated', 'transfer.settled']]);
  expect([point, await rows(`SELECT type FROM ledger_entries WHERE order_id = $1 AND account_id = $2`, [transfer_id, payer.id])]).toEqual([
    point,
    [{ type: 'transfer' }],
  ]);
}

interface PaymentCrash {
  point: Failpoint;
  provider: RogueProvider;
  payer: TestAccount;
  given: Body;
}

/** Kills a process at the failpoint `point` during a payment, or the end of its session. */
async function payAndCrashAt(point: Failpoint, payee: string): Promise<PaymentCrash> {
  const provider = await startRogueProvider(payee);
  provider.price = 1_000n;
  const service = await start({ CRASH_AT: point, WORKER: 'apart' });
  const by = api(service.baseUrl, operatorKey);
  const payer = await anAccount({ usdc: '5', policy: { max_daily_spend: 4 }, by });
  const given = {
    account_id: payer.id,
    idempotency_key: point,
    max_amount: '0.001',
    open_session: { cap: '2' },
    request: { method: 'GET', url: provider.url },
  };
  const { body } = await by.post('/v1/payments', given).catch(() => ({ body: null }));
  if (body?.session_id) await by.post(`/v1/sessions/${body.session_id}/close`).catch(() => undefined);
  await hasDied(service);
  return { point, provider, payer, given };
}

test('after a crash at any failpoint, a payment has one credential, and its session refunds the rest', async () => {
  const payee = await anOutsider();
  const crashes: PaymentCrash[] = [];
  const points = [...PAYMENT_POINTS];
  while (points.length > 0) crashes.push(...(await Promise.all(points.splice(0, 2).map((point) => payAndCrashAt(point, payee.owner)))));
  const service = await start();
  const by = api(service.baseUrl, operatorKey);
  for (const { point, provider, payer, given } of crashes) {
    const paid = await eventually(
      async () => {
        const { body } = await by.post('/v1/payments', given);
        expect([point, body.status]).toEqual([point, expect.stringMatching(/^paid/)]);
        return body as Body;
      },
      { timeoutMs: 20_000 },
    );
    expect([point, provider.differentCredentials, provider.cumulatives.at(-1)]).toEqual([point, 1, 1_000n]);
    await by.post(`/v1/sessions/${paid.session_id}/close`);
    const session = await eventually(async () => {
      const { body } = await by.get(`/v1/sessions/${paid.session_id}`);
      expect([point, body.status]).toEqual([point, 'settled']);
      return body as Body;
    });
    expect([point, session.settled_usdc, session.returned_usdc]).toEqual([point, '0.001000', '1.999000']);
    expect([point, await chainBalance(payer.tokenAccount)]).toEqual([point, 4_999_000n]);
    expect([point, (await eventsOf(payer, databaseUrl)).map(([type]) => type)]).toEqual([point, ['session.opened', 'session.settled']]);
    provider.stop();
  }
  await service.stop();
});
