/** One change of many accounts, as a job. */
import { api, type Answer, type Api, type Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { newOperatorKey } from '../../support/operators';
import { startReceiver, type Receiver } from '../../support/receiver';
import { sharedService } from '../../support/service';
import {
  anAccount,
  anAgent,
  bodyOf,
  everyRow,
  invalidFields,
  operator,
  query,
  sendText,
  stranger,
  type TestAccount,
} from '../../support/world';

/** An operator of its own, with so many accounts. */
async function anOperatorWith(count: number): Promise<{ by: Api; accounts: TestAccount[] }> {
  const by = api(sharedService().baseUrl, await newOperatorKey(sharedService()));
  return { by, accounts: await Promise.all(Array.from({ length: count }, () => anAccount({ by }))) };
}

const bulk = (by: Api, body: Body, headers: Record<string, string> = {}): Promise<Answer> => by.post('/v1/accounts/bulk', body, headers);
const idsOf = (accounts: TestAccount[]): string[] => accounts.map(({ id }) => id);
const policyOf = async (by: Api, { id }: { id: string }): Promise<Body> => bodyOf(await by.get(`/v1/accounts/${id}/policy`), 200);
const unknownId = 'acct_00000000000000000000000000';

/** The job once it has ended. */
const ended = (by: Api, { job_id }: Body): Promise<Body> =>
  eventually(
    async () => {
      const job = bodyOf(await by.get(`/v1/jobs/${job_id}`), 200);
      expect(['finished', 'cancelled']).toContain(job.status);
      return job;
    },
    { timeoutMs: 50_000 },
  );

const auditOf = async (by: Api, action: string): Promise<Body[]> => everyRow(`/v1/audit_log?action=${action}`, by);

/** A job that does not go on: one of its accounts is in creation for ever. */
async function aStuckJob(by: Api, body: Body): Promise<{ job: Body; release: () => Promise<void> }> {
  const stuck = await anAccount({ by });
  await query(`UPDATE accounts SET state = 'creating', lease_until = 'infinity' WHERE id = $1`, [stuck.id]);
  const release = async (): Promise<void> =>
    void (await query(`UPDATE accounts SET state = 'open', lease_until = now() WHERE id = $1`, [stuck.id]));
  return { job: bodyOf(await bulk(by, { ...body, account_ids: [stuck.id, ...(body.account_ids ?? [])] }), 202), release };
}

describe('POST /v1/accounts/bulk', () => {
  let by: Api;
  let accounts: TestAccount[];
  beforeAll(async () => ({ by, accounts } = await anOperatorWith(3)));

  test('pauses and resumes all accounts of the operator, and no others', async () => {
    const others = await anAccount();
    const job = bodyOf(await bulk(by, { action: 'pause', all: true }), 202);
    expect(job).toEqual({
      job_id: expect.stringMatching(/^job_/),
      action: 'pause',
      total: 3,
      done: expect.any(Number),
      failed: 0,
      status: expect.stringMatching(/^(running|finished)$/),
      message: expect.any(String),
      created_at: expect.any(String),
      finished_at: null,
    });
    expect(await ended(by, job)).toMatchObject({ status: 'finished', done: 3, failed: 0, failures: [], failures_truncated: false });
    for (const account of accounts) expect(await policyOf(by, account)).toMatchObject({ paused: true, version: 2 });
    expect((await policyOf(operator(), others)).paused).toBe(false);
    const listed = bodyOf(await by.get('/v1/accounts'), 200).data;
    expect(listed.map(({ status }: Body) => status)).toEqual(['paused', 'paused', 'paused']);
    await ended(by, bodyOf(await bulk(by, { action: 'resume', all: true }), 202));
    for (const account of accounts) expect((await policyOf(by, account)).paused).toBe(false);
  });

  test('set_policy is merged into each policy as by PUT, and leaves those alone that are as asked', async () => {
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => anAccount({ by })));
    const [asked, other, named] = [one ?? accounts[0], two ?? accounts[0], three ?? accounts[0]] as [TestAccount, TestAccount, TestAccount];
    bodyOf(await by.put(`/v1/accounts/${asked.id}/policy`, { max_daily_spend: 9, categories: ['data'] }), 200);
    bodyOf(await by.put(`/v1/accounts/${other.id}/policy`, { max_single_transfer: 4, max_daily_spend: 1 }), 200);
    const policy = { max_daily_spend: 9, categories: ['data'] };
    const job = bodyOf(await bulk(by, { action: 'set_policy', account_ids: [asked.id, other.handle], policy }), 202);
    expect(await ended(by, job)).toMatchObject({ total: 2, done: 2, failed: 0 });
    expect(await policyOf(by, asked)).toMatchObject({ ...policy, version: 2 });
    expect(await policyOf(by, other)).toMatchObject({ ...policy, max_single_transfer: 4, version: 3 });
    const listing = { allowed_counterparties: [asked.id], require_memo: true };
    await ended(by, bodyOf(await bulk(by, { action: 'set_policy', account_ids: [named.id, other.id], policy: listing }), 202));
    expect(await policyOf(by, named)).toMatchObject(listing);
    expect(await policyOf(by, other)).toMatchObject({ ...policy, ...listing });
  });

  test('a list that is too long for one transaction is set on each account', async () => {
    const [one, two] = (await Promise.all([1, 2].map(() => anAccount({ by })))) as [TestAccount, TestAccount];
    const categories = Array.from({ length: 32 }, (_, index) => `category-${index}`);
    const job = bodyOf(await bulk(by, { action: 'set_policy', account_ids: idsOf([one, two]), policy: { categories } }), 202);
    expect(await ended(by, job)).toMatchObject({ done: 2, failed: 0 });
    for (const account of [one, two]) expect((await policyOf(by, account)).categories).toEqual(categories);
  });

  test('duplicates count once, unknown accounts fail as not_found, closed ones as conflict', async () => {
    const [open, closed] = (await Promise.all([1, 2].map(() => anAccount({ by })))) as [TestAccount, TestAccount];
    const foreign = await anAccount();
    bodyOf(await by.post(`/v1/accounts/${closed.id}/close`), 200);
    const account_ids = [unknownId, open.id, open.handle, closed.id, foreign.id, open.id, 'no-such-handle'];
    const job = bodyOf(await bulk(by, { action: 'pause', account_ids }), 202);
    expect(job.total).toBe(5);
    expect(await ended(by, job)).toMatchObject({
      total: 5,
      done: 1,
      failed: 4,
      failures: [
        { account_id: unknownId, error: 'not_found', message: expect.any(String) },
        { account_id: closed.id, error: 'conflict', message: expect.any(String) },
        { account_id: foreign.id, error: 'not_found', message: expect.any(String) },
        { account_id: 'no-such-handle', error: 'not_found', message: expect.any(String) },
      ],
    });
    expect((await policyOf(operator(), foreign)).paused).toBe(false);
    const page = bodyOf(await by.get(`/v1/jobs/${job.job_id}/accounts?limit=2`), 200);
    expect(page).toMatchObject({
      has_more: true,
      data: [
        { account_id: unknownId, status: 'failed', error: 'not_found' },
        { account_id: open.id, status: 'done', error: null },
      ],
    });
    const rest = bodyOf(await by.get(`/v1/jobs/${job.job_id}/accounts?limit=3&cursor=${page.cursor}`), 200);
    expect(rest).toMatchObject({ has_more: false, cursor: null });
    expect(rest.data.map(({ account_id }: Body) => account_id)).toEqual([closed.id, foreign.id, 'no-such-handle']);
  });

  test('accounts in creation are in the list, and have their turn once they exist', async () => {
    const before = (await everyRow('/v1/accounts', by)).length;
    const { job, release } = await aStuckJob(by, { action: 'pause', account_ids: [] });
    const all = bodyOf(await bulk(by, { action: 'pause', all: true }), 202);
    expect(all.total).toBe(before + 1);
    await eventually(async () =>
      expect(bodyOf(await by.get(`/v1/jobs/${all.job_id}`), 200)).toMatchObject({ status: 'running', done: before }),
    );
    await release();
    expect(await ended(by, all)).toMatchObject({ status: 'finished', done: before + 1, failed: 0 });
    expect(await ended(by, job)).toMatchObject({ status: 'finished', done: 1 });
  });

  test.each<[string, Body, string[]]>([
    ['no selection', { action: 'pause' }, ['account_ids', 'all', 'fleet_id', 'label']],
    ['two selections', { action: 'pause', all: true, account_ids: [unknownId] }, ['account_ids', 'all', 'fleet_id', 'label']],
    ['all that is not true', { action: 'pause', all: false }, ['all']],
    ['no account_ids', { action: 'pause', account_ids: [] }, ['account_ids']],
    ['more than 10,000 account_ids', { action: 'pause', account_ids: Array.from({ length: 10_001 }, () => 'a') }, ['account_ids']],
    ['an id that is no text', { action: 'pause', account_ids: [unknownId, 7] }, ['account_ids[1]']],
    ['no action', { all: true }, ['action']],
    ['an unknown action', { action: 'close', all: true }, ['action']],
    ['set_policy without a policy', { action: 'set_policy', all: true }, ['policy']],
    ['a policy with another action', { action: 'resume', all: true, policy: { paused: false } }, ['policy']],
    ['a policy that PUT refuses', { action: 'set_policy', all: true, policy: { max_daily_spend: -1 } }, ['policy.max_daily_spend']],
    [
      'a counterparty that does not exist',
      { action: 'set_policy', all: true, policy: { allowed_counterparties: ['acct_nowhere'] } },
      ['policy.allowed_counterparties[0]'],
    ],
    ['set_fleet without a fleet', { action: 'set_fleet', all: true }, ['new_fleet_id']],
  ])('refuses %s with 400, and stores nothing', async (_what, body, fields) => {
    const before = await everyRow('/v1/jobs', by);
    expect(invalidFields(await bulk(by, body)).toSorted()).toEqual(fields.toSorted());
    expect(await everyRow('/v1/jobs', by)).toEqual(before);
  });

  test('takes 10,000 ids in a body of up to 1 MiB', async () => {
    const account_ids = Array.from({ length: 10_000 }, (_, index) => `acct_${String(index).padStart(26, '0')}`);
    const { failures, ...job } = await ended(by, bodyOf(await bulk(by, { action: 'pause', account_ids }), 202));
    expect(job).toMatchObject({ total: 10_000, done: 0, failed: 10_000, failures_truncated: true });
    expect(failures).toHaveLength(1_000);
    const tooLarge = JSON.stringify({ action: 'pause', account_ids: ['a'.repeat(1024 * 1024)] });
    expect(await sendText('POST', '/v1/accounts/bulk', tooLarge)).toMatchObject({ status: 413, body: { error: 'payload_too_large' } });
    const nested = JSON.stringify({ action: 'set_policy', all: true, policy: { categories: Array.from({ length: 2_001 }, () => 'a') } });
    expect(await sendText('POST', '/v1/accounts/bulk', nested)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('a dry run stores nothing and takes no key; the key’s job is answered again, and refused with other parameters', async () => {
    const { by, accounts } = await anOperatorWith(2);
    const [paused] = accounts as [TestAccount];
    bodyOf(await by.put(`/v1/accounts/${paused.id}/policy`, { paused: true }), 200);
    let headers: Record<string, string> = { 'Dry-Run': 'true', 'Idempotency-Key': 'dry' };
    expect(await bulk(by, { action: 'pause', all: true }, headers)).toMatchObject({
      status: 200,
      body: {
        dry_run: true,
        action: 'pause',
        total: 2,
        changes: expect.arrayContaining([
          '1 account: The account is as asked already.',
          expect.stringMatching(/^1 account: The account is paused/),
        ]),
      },
    });
    const some = { action: 'set_policy', account_ids: [...idsOf(accounts), unknownId], policy: { max_daily_spend: 5 } };
    expect(bodyOf(await bulk(by, some, headers), 200).changes).toEqual([
      '2 accounts: The limit in any 24 hours changes from none to 5 USDC.',
      expect.stringContaining('not_found'),
    ]);
    expect(invalidFields(await bulk(by, { action: 'set_policy', all: true }, headers))).toEqual(['policy']);
    expect(await everyRow('/v1/jobs', by)).toEqual([]);
    expect((await policyOf(by, accounts[1] ?? paused)).paused).toBe(false);

    // The same key answers with the job as it is now, and with other parameters 409.
    headers = { 'Idempotency-Key': 'dry' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => bulk(by, { action: 'pause', all: true }, headers)));
    const jobs = new Set(answers.map((answer) => bodyOf(answer, 202).job_id));
    expect(jobs.size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('Idempotent-Replayed') === 'true')).toHaveLength(4);
    const [answer] = answers as [Answer];
    await ended(by, answer.body);
    const replay = await bulk(by, { action: 'pause', all: true }, headers);
    expect(replay).toMatchObject({ status: 202, body: { job_id: answer.body.job_id, status: 'finished', done: 2 } });
    expect(replay.headers.get('Idempotent-Replayed')).toBe('true');
    expect(await bulk(by, { action: 'resume', all: true }, headers)).toMatchObject({
      status: 409,
      body: { error: 'idempotency_conflict' },
    });
    expect((await bulk(operator(), { action: 'pause', account_ids: [unknownId] }, headers)).headers.get('Idempotent-Replayed')).toBeNull();
    expect((await bulk(by, { action: 'pause', all: true }, { 'Idempotency-Key': '' })).status).toBe(400);
  });

  test('an agent key may start, list, read and cancel no job', async () => {
    const account = await anAccount();
    const agent = await anAgent(account);
    const job = bodyOf(await bulk(operator(), { action: 'pause', account_ids: [account.id] }), 202);
    const path = `/v1/jobs/${job.job_id}`;
    const answers = [
      await bulk(agent, { action: 'pause', account_ids: [account.id] }),
      await agent.get('/v1/jobs'),
      await agent.get(path),
      await agent.get(`${path}/accounts`),
      await agent.post(`${path}/cancel`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    const foreign = [await stranger().get(path), await stranger().get(`${path}/accounts`), await stranger().post(`${path}/cancel`)];
    expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404]);
    await ended(operator(), job);
  });
});

describe('jobs of one operator', () => {
  let by: Api;
  beforeAll(async () => void ({ by } = await anOperatorWith(0)));
  const some = (count: number): Promise<TestAccount[]> => Promise.all(Array.from({ length: count }, () => anAccount({ by })));

  test('run in the order of their 202, and a pause begins at once', async () => {
    const accounts = await some(2);
    const [one, two] = accounts as [TestAccount, TestAccount];
    const { job, release } = await aStuckJob(by, { action: 'set_policy', account_ids: [one.id], policy: { max_daily_spend: 1 } });
    const second = bodyOf(await bulk(by, { action: 'set_policy', account_ids: [one.id], policy: { max_daily_spend: 2 } }), 202);
    const pause = bodyOf(await bulk(by, { action: 'pause', account_ids: [two.id] }), 202);
    expect(await ended(by, pause)).toMatchObject({ status: 'finished', done: 1 });
    expect(bodyOf(await by.get(`/v1/jobs/${second.job_id}`), 200)).toMatchObject({ status: 'running', done: 0 });
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
    const resume = bodyOf(await bulk(by, { action: 'resume', account_ids: idsOf(accounts) }), 202);
    const merged = bodyOf(
      await bulk(by, { action: 'set_policy', account_ids: [one.id], policy: { paused: false, max_daily_spend: 3 } }),
      202,
    );
    await ended(by, bodyOf(await bulk(by, { action: 'pause', account_ids: [one.id] }), 202));
    expect(bodyOf(await by.get(`/v1/jobs/${resume.job_id}`), 200)).toMatchObject({ status: 'running', done: 1 });
    const waiting = bodyOf(await by.get(`/v1/jobs/${resume.job_id}/accounts`), 200).data;
    expect(waiting.map(({ status }: Body) => status)).toEqual(['done', 'waiting']);
    bodyOf(await by.put(`/v1/accounts/${two.id}/policy`, { paused: true }), 200);
    await eventually(async () => expect(bodyOf(await by.get(`/v1/jobs/${resume.job_id}`), 200)).toMatchObject({ done: 2 }));
    await release();
    for (const each of [job, resume, merged]) expect(await ended(by, each)).toMatchObject({ status: 'finished', failed: 0 });
    expect(await policyOf(by, one)).toMatchObject({ paused: true, max_daily_spend: 3 });
    expect((await policyOf(by, two)).paused).toBe(true);
  });

  test('what is changed after an account has had its turn stays', async () => {
    const accounts = await some(1);
    const [one] = accounts as [TestAccount];
    const early = await anAccount({ by });
    await query(`UPDATE accounts SET state = 'creating', lease_until = 'infinity' WHERE id = $1`, [early.id]);
    const job = bodyOf(await bulk(by, { action: 'pause', account_ids: [one.id, early.id] }), 202);
    await eventually(async () => expect((await policyOf(by, one)).paused).toBe(true));
    await eventually(async () => expect(bodyOf(await by.get(`/v1/jobs/${job.job_id}`), 200).done).toBe(1));
    bodyOf(await by.put(`/v1/accounts/${one.id}/policy`, { paused: false }), 200);
    await query(`UPDATE accounts SET state = 'open', lease_until = now() WHERE id = $1`, [early.id]);
    expect(await ended(by, job)).toMatchObject({ done: 2 });
    expect((await policyOf(by, one)).paused).toBe(false);
  });

  test('cancel begins no further account, is repeatable, and refuses a finished job', async () => {
    const accounts = await some(1);
    const { job, release } = await aStuckJob(by, { action: 'set_policy', policy: { max_daily_spend: 1 } });
    const queued = bodyOf(await bulk(by, { action: 'resume', account_ids: idsOf(accounts) }), 202);
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
    for (const action of ['pause', 'resume', 'pause']) jobs.push(await ended(by, bodyOf(await bulk(by, { action, account_ids }), 202)));
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
    const first = await ended(by, bodyOf(await bulk(by, { action: 'set_policy', account_ids: idsOf(accounts), policy }), 202));
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
