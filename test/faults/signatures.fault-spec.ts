/** A process is killed while it does what the holder of an external chain key has signed. */
import { randomUUID } from 'node:crypto';
import type { Failpoint } from '../../apps/api/src/runtime/failpoints';
import { api, type Answer, type Api, type Body } from '../support/api';
import { ChainKeyHolder, untilHeldBy } from '../support/chain-keys';
import { eventually } from '../support/eventually';
import { newDatabase, newOperatorKey, startBeside } from '../support/operators';
import { anOutsider, type Outsider } from '../support/outsider';
import { sharedService, type Service } from '../support/service';
import { mintInto } from '../support/tokens';
import { anAccount, bodyOf, chainBalance, eventsOf, everyRow, order, query, type TestAccount } from '../support/world';

jest.setTimeout(180_000);

/** A database of its own: no other process finishes what one leaves. */
let databaseUrl: string;
let operatorKey: string;
let service: Service;
let by: Api;
let holder: ChainKeyHolder;
let payee: Outsider;

const start = (variables: Record<string, string> = {}): Promise<Service> =>
  startBeside(sharedService(), { operatorKey, variables: { DATABASE_URL: databaseUrl, LEASE_MS: '2000', ...variables } });

beforeAll(async () => {
  databaseUrl = await newDatabase(sharedService());
  operatorKey = await newOperatorKey(sharedService(), databaseUrl);
  service = await start();
  payee = await anOutsider();
  by = api(service.baseUrl, operatorKey);
  holder = new ChainKeyHolder();
  bodyOf(await holder.accept(by), 202);
  await untilHeldBy(by, holder);
});
afterAll(() => service.stop());

/** Hands a signed transaction to a process that dies at a failpoint. */
async function submitAndCrash(point: Failpoint, path: string, transaction: string): Promise<void> {
  const doomed = await start({ CRASH_AT: point, WORKER: 'apart' });
  await api(doomed.baseUrl, operatorKey)
    .post(path, { transaction })
    .catch(() => undefined);
  await eventually(() => expect(() => process.kill(doomed.pid, 0)).toThrow(), { timeoutMs: 30_000 });
}

/** Hands in the same signed transaction again, until no process holds the request. */
const submitAgain = (path: string, transaction: string): Promise<Answer> =>
  eventually(
    async () => {
      const answer = await by.post(path, { transaction });
      expect(answer).not.toMatchObject({ status: 409, body: { status: 'executing' } });
      expect(answer).not.toMatchObject({ status: 503 });
      return answer;
    },
    { timeoutMs: 60_000 },
  );

const pathOf = (asked: Body): string => `/v1/signature_requests/${asked.signature_request_id}`;
const auditOf = async ({ id }: { id: string }) => (await everyRow(`/v1/audit_log?object=${id}`, by)).map(({ action }) => action);

test.each<Failpoint>([
  'signature.claimed',
  'transfer.approved',
  'transfer.submitted',
  'transfer.sent',
  'transfer.landed',
  'transfer.settled',
  'signature.done',
])('after a crash at %s, a signed transfer is paid once, and handing in the signature again answers so', async (point) => {
  const [payer, payee] = [await anAccount({ by, usdc: '10' }), await anAccount({ by })];
  await holder.complete(by, await by.put(`/v1/accounts/${payer.id}/policy`, { escalation_threshold: 5 }));
  const { transfer_id: id } = bodyOf(await by.post('/v1/transfers', order(payer, payee, '5')), 202);
  const asked = bodyOf(await by.post(`/v1/transfers/${id}/approve`), 202);
  const transaction = holder.signTransaction(asked);
  await submitAndCrash(point, pathOf(asked), transaction);
  expect(await submitAgain(pathOf(asked), transaction)).toMatchObject({ status: 200, body: { transfer_id: id, status: 'settled' } });
  expect(await chainBalance(payee.tokenAccount)).toBe(5_000_000n);
  const types = (await eventsOf(payer, databaseUrl)).map(([type]) => type);
  expect(types.filter((type) => type !== 'escalation.required')).toEqual(['transfer.initiated', 'transfer.settled']);
});

const openSession = (payer: TestAccount, cap: string): Promise<Answer> =>
  by.post('/v1/sessions', {
    account_id: payer.id,
    provider: 'https://api.example.com',
    payee: payee.owner,
    cap,
    idempotency_key: randomUUID(),
  });

test.each<Failpoint>(['transfer.approved', 'transfer.sent', 'signature.done'])(
  'after a crash at %s, a signed session is opened once, and handing in the signature again answers so',
  async (point) => {
    const payer = await anAccount({ by, usdc: '10' });
    await holder.complete(by, await by.put(`/v1/accounts/${payer.id}/policy`, { escalation_threshold: 5 }));
    const { session_id: id } = bodyOf(await openSession(payer, '5'), 202);
    const asked = bodyOf(await by.post(`/v1/sessions/${id}/approve`), 202);
    const transaction = holder.signTransaction(asked);
    await submitAndCrash(point, pathOf(asked), transaction);
    expect(await submitAgain(pathOf(asked), transaction)).toMatchObject({ status: 201, body: { session_id: id, status: 'open' } });
    expect(await chainBalance(payer.tokenAccount)).toBe(5_000_000n);
  },
);

test.each<Failpoint>(['transfer.approved', 'transfer.sent', 'signature.done'])(
  'after a crash at %s, a signed top-up is made once, and handing in the signature again answers so',
  async (point) => {
    const payer = await anAccount({ by, usdc: '10' });
    const { session_id: id } = bodyOf(await openSession(payer, '1'), 201);
    await holder.complete(by, await by.put(`/v1/accounts/${payer.id}/policy`, { escalation_threshold: 3 }));
    bodyOf(await by.post(`/v1/sessions/${id}/top_up`, { amount: '2', idempotency_key: randomUUID() }), 202);
    const asked = bodyOf(await by.post(`/v1/sessions/${id}/approve`), 202);
    const transaction = holder.signTransaction(asked);
    await submitAndCrash(point, pathOf(asked), transaction);
    expect(await submitAgain(pathOf(asked), transaction)).toMatchObject({ status: 201, body: { session_id: id, cap_usdc: '3.000000' } });
    expect(await chainBalance(payer.tokenAccount)).toBe(7_000_000n);
  },
);

test.each<Failpoint>(['signature.claimed', 'signature.done'])('after a crash at %s, a signed policy change is made once', async (point) => {
  const account = await anAccount({ by });
  const asked = bodyOf(await by.put(`/v1/accounts/${account.id}/policy`, { max_daily_spend: 7 }), 202);
  const transaction = holder.signTransaction(asked);
  await submitAndCrash(point, pathOf(asked), transaction);
  expect(await submitAgain(pathOf(asked), transaction)).toMatchObject({ status: 200, body: { version: 2, max_daily_spend: 7 } });
  expect(await auditOf(account)).toEqual(['policy.changed', 'account.created']);
});

async function rotated(account: TestAccount): Promise<boolean> {
  const [row] = await query('SELECT pending_authority_key FROM accounts WHERE id = $1', [account.id], databaseUrl);
  return row?.pending_authority_key === null;
}

test.each<Failpoint>(['signature.claimed', 'signature.done'])(
  'after a crash at %s, an authority is rotated by the same signature, and the account pays',
  async (point) => {
    const [payer, payee] = [await anAccount({ by, usdc: '2' }), await anAccount({ by })];
    const asked = bodyOf(await by.post(`/v1/accounts/${payer.id}/rotate_authority`), 202);
    const transaction = holder.signTransaction(asked);
    await submitAndCrash(point, pathOf(asked), transaction);
    expect((await submitAgain(pathOf(asked), transaction)).status).toBe(200);
    expect(await rotated(payer)).toBe(true);
    bodyOf(await by.post('/v1/transfers', order(payer, payee, '1')), 200);
  },
);

test('after a crash at signature.done, an account is closed, and its money arrived once', async () => {
  const [account, other] = [await anAccount({ by, usdc: '2' }), await anAccount({ by })];
  const asked = bodyOf(await by.post(`/v1/accounts/${account.id}/close`, { destination: other.id }), 202);
  const transaction = holder.signTransaction(asked);
  await submitAndCrash('signature.done', pathOf(asked), transaction);
  expect(await submitAgain(pathOf(asked), transaction)).toMatchObject({ status: 200, body: { status: 'closed' } });
  expect(await chainBalance(other.tokenAccount)).toBe(2_000_000n);
});

test('after a crash at signature.done, a closed account is swept once, and handing in the signature again answers so', async () => {
  const [account, other] = [await anAccount({ by }), await anAccount({ by })];
  await holder.complete(by, await by.post(`/v1/accounts/${account.id}/close`));
  await mintInto(account, 3_000_000n);
  const asked = bodyOf(await by.post(`/v1/accounts/${account.id}/sweep`, { destination: other.id }), 202);
  const transaction = holder.signTransaction(asked);
  await submitAndCrash('signature.done', pathOf(asked), transaction);
  expect(await submitAgain(pathOf(asked), transaction)).toMatchObject({ status: 200, body: { swept_usdc: '3.000000' } });
  expect(await chainBalance(other.tokenAccount)).toBe(3_000_000n);
});
