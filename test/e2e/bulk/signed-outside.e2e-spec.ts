/** Bulk jobs of an operator who holds its chain key itself. */
import { verifySignatureRequest } from '#client';
import type { Api, Body } from '../../support/api';
import { anExternalOperator, type ChainKeyHolder } from '../../support/chain-keys';
import { eventually } from '../../support/eventually';
import { anAccount, bodyOf, type TestAccount } from '../../support/world';

/** More than fit one transaction. */
const ACCOUNTS = 12;

let by: Api;
let holder: ChainKeyHolder;
let accounts: TestAccount[];
beforeAll(async () => {
  ({ by, holder } = await anExternalOperator());
  accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => anAccount({ by })));
});

const idsOf = (some: TestAccount[]): string[] => some.map(({ id }) => id);
const jobOf = async ({ job_id }: Body): Promise<Body> => bodyOf(await by.get(`/v1/jobs/${job_id}`), 200);
const request = async (id: string): Promise<Body> => bodyOf(await by.get(`/v1/signature_requests/${id}`), 200);
const isPaused = async ({ id }: TestAccount): Promise<boolean> => bodyOf(await by.get(`/v1/accounts/${id}/policy`), 200).paused;
const sign = async (id: string): Promise<Body> => {
  const asked = { ...(await request(id)), status: 'signature_required' };
  const { body, status } = await holder.complete(by, { status: 202, body: asked, headers: new Headers() });
  expect(status).toBe(202);
  return body;
};

test('a job answers signature requests, each for as many accounts as fit, and runs until the last is signed', async () => {
  const job = bodyOf(await by.post('/v1/accounts/bulk', { action: 'pause', account_ids: idsOf(accounts) }), 202);
  const { signature_requests: ids } = job;
  expect(job).toMatchObject({ status: 'running', total: ACCOUNTS, done: 0 });
  expect(ids.length).toBeGreaterThan(1);
  expect(ids.length).toBeLessThanOrEqual(ACCOUNTS / 5);
  const asked = await request(ids[0]);
  expect(asked).toMatchObject({ action: 'accounts.bulk', account_id: null, status: 'pending' });
  const { sentences } = verifySignatureRequest({ transaction: asked.transaction }, { chainKey: holder.address, only: ['set_policy'] });
  expect(sentences.length).toBeGreaterThan(4);
  expect(await sign(ids[0])).toMatchObject({ job_id: job.job_id, status: 'running' });
  // A job that waits for signatures holds no other up.
  const label = bodyOf(await by.post('/v1/accounts/bulk', { action: 'resume', account_ids: ['acct_nowhere'] }), 202);
  await eventually(async () => expect(await jobOf(label)).toMatchObject({ status: 'finished', failed: 1 }));
  for (const id of ids.slice(1)) await sign(id);
  expect(await jobOf(job)).toMatchObject({ status: 'finished', done: ACCOUNTS, failed: 0, signature_requests: ids });
  expect(await Promise.all(accounts.map(isPaused))).toEqual(accounts.map(() => true));
});

test('a policy that was changed after the question is asked for again, and set once it is signed', async () => {
  const [one, two] = (await Promise.all([1, 2].map(() => anAccount({ by })))) as [TestAccount, TestAccount];
  const change = { action: 'set_policy', account_ids: idsOf([one, two]), policy: { max_daily_spend: 5 } };
  const job = bodyOf(await by.post('/v1/accounts/bulk', change), 202);
  await holder.complete(by, await by.put(`/v1/accounts/${one.id}/policy`, { max_single_transfer: 2 }));
  const [id] = job.signature_requests as [string];
  expect(await sign(id)).toMatchObject({ job_id: job.job_id, status: 'finished', done: 2 });
  expect(bodyOf(await by.get(`/v1/accounts/${one.id}/policy`), 200)).toMatchObject({ max_single_transfer: 2, max_daily_spend: 5 });
  expect(bodyOf(await by.get(`/v1/accounts/${two.id}/policy`), 200)).toMatchObject({ max_daily_spend: 5 });
});

test('a long list is signed account by account', async () => {
  const account = await anAccount({ by });
  const categories = Array.from({ length: 30 }, (_, index) => `category-${index}`);
  const job = bodyOf(await by.post('/v1/accounts/bulk', { action: 'set_policy', account_ids: [account.id], policy: { categories } }), 202);
  const [id] = job.signature_requests as [string];
  expect(await sign(id)).toMatchObject({ status: 'finished', done: 1 });
  expect(bodyOf(await by.get(`/v1/accounts/${account.id}/policy`), 200).categories).toEqual(categories);
});

test('a job is cancelled while it waits for signatures, which do nothing from then on', async () => {
  const account = await anAccount({ by });
  const job = bodyOf(await by.post('/v1/accounts/bulk', { action: 'pause', account_ids: [account.id] }), 202);
  const [id] = job.signature_requests as [string];
  expect(bodyOf(await by.post(`/v1/jobs/${job.job_id}/cancel`), 200)).toMatchObject({ status: 'cancelled', done: 0, total: 1 });
  const transaction = holder.signTransaction(await request(id));
  expect(await by.post(`/v1/signature_requests/${id}`, { transaction })).toMatchObject({ status: 409, body: { status: 'cancelled' } });
  expect(await isPaused(account)).toBe(false);
});

test('a later resume supersedes a pause that waits for its signature', async () => {
  const account = await anAccount({ by });
  const pause = bodyOf(await by.post('/v1/accounts/bulk', { action: 'pause', account_ids: [account.id] }), 202);
  const resume = bodyOf(await by.post('/v1/accounts/bulk', { action: 'resume', account_ids: [account.id] }), 202);
  for (const job of [pause, resume]) await eventually(async () => expect(await jobOf(job)).toMatchObject({ status: 'finished', done: 1 }));
  expect(await isPaused(account)).toBe(false);
});
