/** The jobs of one operator: their order, their end, and what is left of them. */
import type { Api, Body } from '../../support/api';
import { aStuckAccount, aStuckJob, anOperatorWith, ended, idsOf, policyOf, showJob, startJob } from '../../support/bulk-jobs';
import { eventually } from '../../support/eventually';
import { startReceiver, type Receiver } from '../../support/receiver';
import { anAccount, bodyOf, everyRow, invalidFields, type TestAccount } from '../../support/world';

const auditOf = async (by: Api, action: string): Promise<Body[]> => everyRow(`/v1/audit_log?action=${action}`, by);

describe('jobs of one operator', () => {
  let by: Api;
  beforeAll(async () => void ({ by } = await anOperatorWith(0)));
  const some = (count: number): Promise<TestAccount[]> => Promise.all(Array.from({ length: count }, () => anAccount({ by })));

  test('run in the order of their 202, and a pause begins at once', async () => {
    const accounts = await some(2);
    const [one, two] = accounts as [TestAccount, TestAccount];
    const { job, release } = await aStuckJob(by, { action: 'set_policy', account_ids: [one.id], policy: { max_daily_spend: 1 } });
    const second = await startJob(by, { action: 'set_policy', account_ids: [one.id], policy: { max_daily_spend: 2 } });
    const pause = await startJob(by, { action: 'pause', account_ids: [two.id] });
    expect(await ended(by, pause)).toMatchObject({ status: 'finished', done: 1 });
    expect(await showJob(by, second)).toMatchObject({ status: 'running', done: 0 });
    expect((await policyOf(by, one)).max_daily_spend).toBe(1);
    await release();
    expect(await ended(by, job)).toMatchObject({ done: 2 });
    expect(await ended(by, second)).toMatchObject({ done: 1 });
    expect((await policyOf(by, one)).max_daily_spend).toBe(2);
  });

  test('a later pause supersedes the waiting step of an earlier job, which counts as done', async () => {
    const accounts = await some(2);
    const [one, two] = accounts as [TestAccount, TestAccount];
    const { job, release } = await aStuckJob(by, { action: 'set_policy', policy: { max_daily_spend: 1 } });
    const resume = await startJob(by, { action: 'resume', account_ids: idsOf(accounts) });
    const merged = await startJob(by, { action: 'set_policy', account_ids: [one.id], policy: { paused: false, max_daily_spend: 3 } });
    await ended(by, await startJob(by, { action: 'pause', account_ids: [one.id] }));
    expect(await showJob(by, resume)).toMatchObject({ status: 'running', done: 1 });
    const waiting = bodyOf(await by.get(`/v1/jobs/${resume.job_id}/accounts`), 200).data;
    expect(waiting.map(({ status }: Body) => status)).toEqual(['done', 'waiting']);
    bodyOf(await by.put(`/v1/accounts/${two.id}/policy`, { paused: true }), 200);
    await eventually(async () => expect(await showJob(by, resume)).toMatchObject({ done: 2 }));
    await release();
    for (const each of [job, resume, merged]) expect(await ended(by, each)).toMatchObject({ status: 'finished', failed: 0 });
    expect(await policyOf(by, one)).toMatchObject({ paused: true, max_daily_spend: 3 });
    expect((await policyOf(by, two)).paused).toBe(true);
  });

  test('what is changed after an account has had its turn stays', async () => {
    const accounts = await some(1);
    const [one] = accounts as [TestAccount];
    const early = await aStuckAccount(by);
    const job = await startJob(by, { action: 'pause', account_ids: [one.id, early.id] });
    await eventually(async () => expect((await policyOf(by, one)).paused).toBe(true));
    await eventually(async () => expect((await showJob(by, job)).done).toBe(1));
    bodyOf(await by.put(`/v1/accounts/${one.id}/policy`, { paused: false }), 200);
    await early.release();
    expect(await ended(by, job)).toMatchObject({ done: 2 });
    expect((await policyOf(by, one)).paused).toBe(false);
  });

  test('cancel begins no further account, is repeatable, and refuses a finished job', async () => {
    const accounts = await some(1);
    const { job, release } = await aStuckJob(by, { action: 'set_policy', policy: { max_daily_spend: 1 } });
    const queued = await startJob(by, { action: 'resume', account_ids: idsOf(accounts) });
    bodyOf(await by.post(`/v1/jobs/${queued.job_id}/cancel`), 200);
    expect(await ended(by, queued)).toMatchObject({ status: 'cancelled', done: 0, total: 1, finished_at: expect.any(String) });
    expect(bodyOf(await by.post(`/v1/jobs/${queued.job_id}/cancel`), 200)).toMatchObject({ status: 'cancelled' });
    expect((await auditOf(by, 'job.cancelled')).map(({ object }) => object)).toEqual([queued.job_id]);
    await release();
    await ended(by, job);
    expect(await by.post(`/v1/jobs/${job.job_id}/cancel`)).toMatchObject({ status: 409, body: { error: 'conflict', status: 'finished' } });
    expect(await by.post(`/v1/jobs/job_00000000000000000000000000/cancel`)).toMatchObject({ status: 404 });
  });

  test('are listed newest first, by status and action', async () => {
    const accounts = await some(1);
    const account_ids = idsOf(accounts);
    const jobs: Body[] = [];
    for (const action of ['pause', 'resume', 'pause']) jobs.push(await ended(by, await startJob(by, { action, account_ids })));
    const ids = jobs.map(({ job_id }) => job_id).toReversed();
    const listed = async (filter: string): Promise<string[]> =>
      (await everyRow(`/v1/jobs?${filter}`, by)).map(({ job_id }) => job_id).filter((id) => ids.includes(id));
    expect(await listed('')).toEqual(ids);
    expect(await listed('action=resume')).toEqual([ids[1]]);
    expect(await listed('status=finished')).toEqual(ids);
    expect(await listed('status=running')).toEqual([]);
    const page = bodyOf(await by.get('/v1/jobs?limit=2'), 200);
    expect(page).toMatchObject({ has_more: true, data: [{ job_id: ids[0] }, { job_id: ids[1] }] });
    expect(invalidFields(await by.get('/v1/jobs?status=done&limit=101&cursor=x&action=x'))).toEqual(
      expect.arrayContaining(['status', 'limit', 'cursor', 'action']),
    );
  });

  test('leave one audit entry and one event each, and none per account', async () => {
    const accounts = await some(2);
    const receiver: Receiver = await startReceiver();
    bodyOf(await by.post('/v1/webhooks', { url: receiver.url, events: ['job.finished'] }), 201);
    const filtered = bodyOf(await by.post('/v1/webhooks', { url: receiver.url, account_ids: idsOf(accounts) }), 201);
    const policy = { max_daily_spend: 7 };
    const first = await ended(by, await startJob(by, { action: 'set_policy', account_ids: idsOf(accounts), policy }));
    const { release, job: second } = await aStuckJob(by, { action: 'resume' });
    bodyOf(await by.post(`/v1/jobs/${second.job_id}/cancel`), 200);
    await ended(by, second);
    await release();
    const events = (await everyRow('/v1/events?type=job.finished', by)).slice(0, 2).toReversed();
    const sequence = Number(events[0]?.sequence);
    expect(events).toMatchObject([
      {
        account_id: null,
        sequence: expect.any(Number),
        data: {
          job_id: first.job_id,
          action: 'set_policy',
          total: 2,
          done: 2,
          failed: 0,
          status: 'finished',
          finished_at: first.finished_at,
        },
      },
      { account_id: null, sequence: sequence + 1, data: { job_id: second.job_id, total: 1, done: 0, failed: 0, status: 'cancelled' } },
    ]);
    expect((await auditOf(by, 'accounts.bulk')).slice(0, 2)).toMatchObject([
      { object: second.job_id },
      { object: first.job_id, before: null, after: { action: 'set_policy', total: 2, label: null, policy, labels: null } },
    ]);
    const changes = (await auditOf(by, 'policy.changed')).filter(({ object }) => idsOf(accounts).includes(object));
    expect(changes).toEqual([]);
    await eventually(() => expect(receiver.received.length).toBeGreaterThanOrEqual(2));
    const deliveries = bodyOf(await by.get(`/v1/webhooks/${filtered.webhook_id}/deliveries`), 200).data;
    expect(deliveries.filter(({ event_type }: Body) => event_type === 'job.finished')).toEqual([]);
    await receiver.close();
  });
});
