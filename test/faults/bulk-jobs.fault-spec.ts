/** Processes that die, and a chain that is away, while a bulk job changes accounts. */
import type { Failpoint } from '../../apps/api/src/runtime/failpoints';
import { api, type Api, type Body } from '../support/api';
import { eventually } from '../support/eventually';
import { ProcessGroup } from '../support/process-group';
import { ChainProxy } from '../support/chain-proxy';
import { sharedService, type Service } from '../support/service';
import { anAccount, bodyOf, everyRow, type TestAccount } from '../support/world';

jest.setTimeout(180_000);

const ACCOUNTS = 80;
let group: ProcessGroup;
beforeAll(async () => void (group = await ProcessGroup.create()));
afterEach(() => group.stop());

async function start(variables: Record<string, string> = {}): Promise<{ service: Service; by: Api }> {
  const service = await group.start({ LEASE_MS: '2000', ...variables });
  return { service, by: api(service.baseUrl, group.operatorKey) };
}

const ended = (by: Api, { job_id }: Body): Promise<Body> =>
  eventually(
    async () => {
      const job = bodyOf(await by.get(`/v1/jobs/${job_id}`), 200);
      expect(job.status).toBe('finished');
      return job;
    },
    { timeoutMs: 120_000 },
  );

async function someAccounts(by: Api): Promise<TestAccount[]> {
  const accounts: TestAccount[] = [];
  while (accounts.length < ACCOUNTS) accounts.push(...(await Promise.all(Array.from({ length: 16 }, () => anAccount({ by })))));
  return accounts;
}

test.each<Failpoint>(['bulk.taken', 'bulk.changed'])('a job survives kill -9 at %s, and another process finishes it', async (point) => {
  const { service: doomed, by: first } = await start({ CRASH_AT: point });
  const accounts = await someAccounts(first);
  const account_ids = accounts.map(({ id }) => id);
  const job = bodyOf(await first.post('/v1/accounts/bulk', { action: 'set_policy', account_ids, policy: { max_daily_spend: 3 } }), 202);
  await eventually(() => expect(() => process.kill(doomed.pid, 0)).toThrow(), { timeoutMs: 30_000 });
  const { by } = await start();
  expect(await ended(by, job)).toMatchObject({ total: ACCOUNTS, done: ACCOUNTS, failed: 0 });
  const policies = await Promise.all(accounts.map(async ({ id }) => bodyOf(await by.get(`/v1/accounts/${id}/policy`), 200)));
  expect(new Set(policies.map(({ max_daily_spend }) => max_daily_spend))).toEqual(new Set([3]));
  // No account was changed twice.
  expect(new Set(policies.map(({ version }) => version))).toEqual(new Set([2]));
  const finished = (await everyRow('/v1/events?type=job.finished', by)).filter(({ data }) => data.job_id === job.job_id);
  expect(finished).toHaveLength(1);
});

test('a job waits while the chain is away, says so, and goes on when it is back', async () => {
  const proxy = await ChainProxy.start(sharedService().sandbox);
  const { by } = await start({ SOLANA_RPC_URL: proxy.url, SOLANA_WS_URL: proxy.webSocketUrl });
  const account = await anAccount({ by });
  await proxy.down();
  const job = bodyOf(await by.post('/v1/accounts/bulk', { action: 'pause', account_ids: [account.id] }), 202);
  await eventually(async () => expect(bodyOf(await by.get(`/v1/jobs/${job.job_id}`), 200).message).toMatch(/chain cannot be reached/));
  expect(bodyOf(await by.get(`/v1/jobs/${job.job_id}`), 200)).toMatchObject({ status: 'running', done: 0, failed: 0 });
  await proxy.up();
  expect(await ended(by, job)).toMatchObject({ done: 1, failed: 0 });
  await proxy.down();
});
