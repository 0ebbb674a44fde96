/** One change of many accounts, as a job. */
import type { Answer, Api, Body } from '../../support/api';
import { aStuckJob, anOperatorWith, bulk, ended, idsOf, policyOf, showJob, startJob } from '../../support/bulk-jobs';
import { eventually } from '../../support/eventually';
import {
  anAccount,
  anAgent,
  bodyOf,
  everyRow,
  invalidFields,
  operator,
  sendText,
  stranger,
  isReplay,
  type TestAccount,
} from '../../support/world';

const unknownId = 'acct_00000000000000000000000000';

describe('POST /v1/accounts/bulk', () => {
  let by: Api;
  let accounts: TestAccount[];
  beforeAll(async () => ({ by, accounts } = await anOperatorWith(3)));

  test('pauses and resumes all accounts of the operator, and no others', async () => {
    const others = await anAccount();
    const job = await startJob(by, { action: 'pause', all: true });
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
    await ended(by, await startJob(by, { action: 'resume', all: true }));
    for (const account of accounts) expect((await policyOf(by, account)).paused).toBe(false);
  });

  test('set_policy is merged into each policy as by PUT, and leaves those alone that are as asked', async () => {
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => anAccount({ by })));
    const [asked, other, named] = [one ?? accounts[0], two ?? accounts[0], three ?? accounts[0]] as [TestAccount, TestAccount, TestAccount];
    bodyOf(await by.put(`/v1/accounts/${asked.id}/policy`, { max_daily_spend: 9, categories: ['data'] }), 200);
    bodyOf(await by.put(`/v1/accounts/${other.id}/policy`, { max_single_transfer: 4, max_daily_spend: 1 }), 200);
    const policy = { max_daily_spend: 9, categories: ['data'] };
    const job = await startJob(by, { action: 'set_policy', account_ids: [asked.id, other.handle], policy });
    expect(await ended(by, job)).toMatchObject({ total: 2, done: 2, failed: 0 });
    expect(await policyOf(by, asked)).toMatchObject({ ...policy, version: 2 });
    expect(await policyOf(by, other)).toMatchObject({ ...policy, max_single_transfer: 4, version: 3 });
    const listing = { allowed_counterparties: [asked.id], require_memo: true };
    await ended(by, await startJob(by, { action: 'set_policy', account_ids: [named.id, other.id], policy: listing }));
    expect(await policyOf(by, named)).toMatchObject(listing);
    expect(await policyOf(by, other)).toMatchObject({ ...policy, ...listing });
  });

  test('a list that is too long for one transaction is set on each account', async () => {
    const [one, two] = (await Promise.all([1, 2].map(() => anAccount({ by })))) as [TestAccount, TestAccount];
    const categories = Array.from({ length: 32 }, (_, index) => `category-${index}`);
    const job = await startJob(by, { action: 'set_policy', account_ids: idsOf([one, two]), policy: { categories } });
    expect(await ended(by, job)).toMatchObject({ done: 2, failed: 0 });
    for (const account of [one, two]) expect((await policyOf(by, account)).categories).toEqual(categories);
  });

  test('duplicates count once, unknown accounts fail as not_found, closed ones as conflict', async () => {
    const [open, closed] = (await Promise.all([1, 2].map(() => anAccount({ by })))) as [TestAccount, TestAccount];
    const foreign = await anAccount();
    bodyOf(await by.post(`/v1/accounts/${closed.id}/close`), 200);
    const account_ids = [unknownId, open.id, open.handle, closed.id, foreign.id, open.id, 'no-such-handle'];
    const job = await startJob(by, { action: 'pause', account_ids });
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
    const all = await startJob(by, { action: 'pause', all: true });
    expect(all.total).toBe(before + 1);
    await eventually(async () => expect(await showJob(by, all)).toMatchObject({ status: 'running', done: before }));
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
    const { failures, ...job } = await ended(by, await startJob(by, { action: 'pause', account_ids }));
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
    expect(answers.filter(isReplay)).toHaveLength(4);
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
    const job = await startJob(operator(), { action: 'pause', account_ids: [account.id] });
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
