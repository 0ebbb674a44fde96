/** Labels of accounts: words for filters and bulk jobs. */
import { randomUUID } from 'node:crypto';
import type { Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { sharedService } from '../../support/service';
import { anAccount, anAgent, bodyOf, fund, invalidFields, operator, pay, stranger } from '../../support/world';

const create = (labels: unknown, headers: Record<string, string> = {}) =>
  operator().post('/v1/accounts', { name: 'labelled', labels }, headers);
const labelled = async (labels: string[]): Promise<string> => bodyOf(await create(labels), 201).account_id;
const labelsOf = async (id: string): Promise<string[]> => bodyOf(await operator().get(`/v1/accounts/${id}`), 200).labels;
const idsWith = async (query: string): Promise<string[]> =>
  bodyOf(await operator().get(`/v1/accounts?${query}`), 200).data.map(({ account_id }: Body) => account_id);
const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `label-${String(index).padStart(2, '0')}`);
/** A label of this run alone. */
const aLabel = (): string => `run:${randomUUID()}`;

/** A bulk job once it has finished. */
async function finished(body: Body): Promise<Body> {
  const { job_id } = bodyOf(await operator().post('/v1/accounts/bulk', body), 202);
  return eventually(async () => {
    const job = bodyOf(await operator().get(`/v1/jobs/${job_id}`), 200);
    expect(job.status).toBe('finished');
    return job;
  });
}

test('labels are stored at the creation, sorted in answers, replaced by PATCH, and removed by null and by an empty list', async () => {
  const id = await labelled(['team:b', 'a', '9.x_y-z']);
  expect(await labelsOf(id)).toEqual(['9.x_y-z', 'a', 'team:b']);
  const patched = async (change: Body): Promise<string[]> => bodyOf(await operator().patch(`/v1/accounts/${id}`, change), 200).labels;
  expect(await patched({ labels: ['z', 'b'] })).toEqual(['b', 'z']);
  expect(await patched({ name: 'other' })).toEqual(['b', 'z']);
  expect(await patched({ labels: null })).toEqual([]);
  expect(await patched({ labels: numbered(16) })).toHaveLength(16);
  expect(await patched({ labels: [] })).toEqual([]);
  expect(bodyOf(await operator().post('/v1/accounts', { name: 'none' }), 201).labels).toEqual([]);
});

test.each<[string, unknown, string]>([
  ['more than 16', numbered(17), 'labels'],
  ['a duplicate', ['a', 'a'], 'labels[1]'],
  ['an upper-case letter', ['Team'], 'labels[0]'],
  ['a first character that is no letter or digit', ['-a'], 'labels[0]'],
  ['a space', ['a b'], 'labels[0]'],
  ['65 characters', ['a'.repeat(65)], 'labels[0]'],
  ['an empty label', [''], 'labels[0]'],
  ['no list', 'a', 'labels'],
])('labels with %s are 400', async (_what, labels, field) => {
  const { id } = await anAccount();
  expect(invalidFields(await create(labels))).toEqual([field]);
  expect(invalidFields(await operator().patch(`/v1/accounts/${id}`, { labels }))).toEqual([field]);
});

test('a creation with the same key and other labels is a conflict, and in another order a replay', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  bodyOf(await create(['a', 'b'], headers), 201);
  expect(bodyOf(await create(['b', 'a'], headers), 201).labels).toEqual(['a', 'b']);
  expect((await create(['a'], headers)).status).toBe(409);
});

test('label= finds the accounts that have all the labels, and no other parameter may be repeated', async () => {
  const [run, other] = [aLabel(), aLabel()];
  const [both, one] = [await labelled([run, other]), await labelled([run])];
  expect(await idsWith(`label=${run}`)).toEqual([one, both]);
  expect(await idsWith(`label=${run}&label=${other}`)).toEqual([both]);
  expect(await idsWith(`label=${run}&status=paused`)).toEqual([]);
  expect(bodyOf(await stranger().get(`/v1/accounts?label=${run}`), 200).data).toEqual([]);
  const many = numbered(17).map((label) => `label=${label}`);
  expect(invalidFields(await operator().get(`/v1/accounts?${many.join('&')}`))).toEqual(['label']);
  expect(bodyOf(await operator().get(`/v1/accounts?${many.slice(1).join('&')}`), 200).data).toEqual([]);
  expect(invalidFields(await operator().get('/v1/accounts?status=paused&status=active'))).toEqual(['status']);
});

test('bulk adds and removes labels; an account that would exceed 16 keeps its own and fails', async () => {
  const [run, added] = [aLabel(), aLabel()];
  const [full, some] = [await labelled([run, ...numbered(15)]), await labelled([run])];
  const job = await finished({ action: 'add_labels', label: run, labels: [added] });
  expect(job).toMatchObject({ action: 'add_labels', total: 2, done: 1, failed: 1 });
  expect(job.failures).toMatchObject([{ account_id: full, error: 'invalid_request' }]);
  expect(await labelsOf(full)).toEqual([...numbered(15), run]);
  expect(await labelsOf(some)).toEqual([run, added].toSorted());
  expect(await finished({ action: 'add_labels', account_ids: [some], labels: [added] })).toMatchObject({ done: 1, failed: 0 });
  expect(await finished({ action: 'remove_labels', label: run, labels: [added, 'absent'] })).toMatchObject({ total: 2, done: 2 });
  expect(await labelsOf(some)).toEqual([run]);
  // Other suites make bulk jobs at the same time.
  const { data: entries } = bodyOf(await operator().get('/v1/audit_log?action=accounts.bulk&limit=100'), 200);
  const entry = entries.find(({ after }: Body) => after.action === 'remove_labels' && after.label === run);
  expect(entry.after).toEqual({ action: 'remove_labels', total: 2, label: run, policy: null, labels: ['absent', added] });
});

test('bulk pauses the accounts with a label, and no others', async () => {
  const run = aLabel();
  const [one, other] = [await labelled([run]), await labelled([])];
  expect(await finished({ action: 'pause', label: run })).toMatchObject({ total: 1, done: 1 });
  expect(bodyOf(await operator().get(`/v1/accounts/${one}`), 200).status).toBe('paused');
  expect(bodyOf(await operator().get(`/v1/accounts/${other}`), 200).status).toBe('active');
});

test('bulk takes labels with the label actions alone, and says in a dry run what they change', async () => {
  const run = aLabel();
  await labelled([run]);
  const bulk = (body: Body, headers: Record<string, string> = {}) => operator().post('/v1/accounts/bulk', body, headers);
  expect(invalidFields(await bulk({ action: 'add_labels', label: run }))).toEqual(['labels']);
  expect(invalidFields(await bulk({ action: 'add_labels', label: run, labels: [] }))).toEqual(['labels']);
  expect(invalidFields(await bulk({ action: 'pause', label: run, labels: ['a'] }))).toEqual(['labels']);
  expect(invalidFields(await bulk({ action: 'pause', label: 'No' }))).toEqual(['label']);
  const dry = bodyOf(await bulk({ action: 'add_labels', label: run, labels: ['b', 'a'] }, { 'Dry-Run': 'true' }), 200);
  expect(dry).toEqual({ dry_run: true, action: 'add_labels', total: 1, changes: ['1 account: Labels added: a, b.'] });
});

test('label= narrows transfers, payments, records and usage to the accounts that have all labels, for an agent to its own', async () => {
  const [one, both] = [aLabel(), aLabel()];
  const [a, b, other] = [await labelled([one, both]), await labelled([one]), (await anAccount()).id];
  for (const id of [a, b]) await fund({ id }, '5');
  for (const from of [a, b]) bodyOf(await pay(from, other, '1'), 200);
  const transfers = async (query: string, by = operator()): Promise<string[]> =>
    bodyOf(await by.get(`/v1/transfers?${query}`), 200).data.map(({ from }: Body) => from);
  expect((await transfers(`label=${one}`)).toSorted()).toEqual([a, b].toSorted());
  expect(await transfers(`label=${one}&label=${both}`)).toEqual([a]);
  expect(await transfers(`label=${one}&account_id=${b}`)).toEqual([b]);
  expect(await transfers(`label=${both}&account_id=${b}`)).toEqual([]);
  expect(await transfers(`label=${one}`, await anAgent({ id: b }))).toEqual([b]);

  const records = bodyOf(await operator().get(`/v1/transactions?type=transfer&label=${both}`), 200).data;
  expect(records.map(({ account_id }: Body) => account_id)).toEqual([a]);
  expect(bodyOf(await operator().get(`/v1/payments?label=${both}`), 200).data).toEqual([]);
  const settled = { settled_usdc: '1.000000', settled_count: 1, rejected_count: 0 };
  expect(bodyOf(await operator().get(`/v1/usage?group_by=account&label=${both}`), 200)).toEqual({
    data: [{ group: a, ...settled }],
    total: settled,
    has_more: false,
  });
  for (const path of ['transfers', 'payments', 'transactions', 'usage'])
    expect(invalidFields(await operator().get(`/v1/${path}?group_by=account&label=Bad`)).at(-1)).toBe('label[0]');
});

test('usage by label counts a record in each label that its account has now, and null where it has none; the total counts it once', async () => {
  const [one, both] = [aLabel(), aLabel()];
  const [a, b, other] = [await labelled([one, both]), await labelled([one]), (await anAccount()).id];
  for (const id of [a, b]) await fund({ id }, '5');
  bodyOf(await pay(a, other, '1'), 200);
  bodyOf(await pay(b, other, '2'), 200);
  const { data, total } = bodyOf(await operator().get(`/v1/usage?group_by=label&label=${one}`), 200);
  expect(data).toEqual([
    { group: one, settled_usdc: '3.000000', settled_count: 2, rejected_count: 0 },
    { group: both, settled_usdc: '1.000000', settled_count: 1, rejected_count: 0 },
  ]);
  expect(total).toEqual({ settled_usdc: '3.000000', settled_count: 2, rejected_count: 0 });
  bodyOf(await operator().patch(`/v1/accounts/${a}`, { labels: [] }), 200);
  const unlabelled = bodyOf(await operator().get(`/v1/usage?group_by=label&account_id=${a}`), 200).data;
  expect(unlabelled).toEqual([{ group: null, settled_usdc: '1.000000', settled_count: 1, rejected_count: 0 }]);
});

test('an export has the labels of each account, joined by a space', async () => {
  const label = aLabel();
  const id = await labelled([label, 'a-first']);
  await fund({ id }, '5');
  const { baseUrl, operatorKey } = sharedService();
  const headers = { Authorization: `Bearer ${operatorKey}`, Accept: 'text/csv' };
  const [header, line] = await eventually(async () => {
    const lines = (await (await fetch(new URL(`/v1/transactions?label=${label}`, baseUrl), { headers })).text()).split('\r\n');
    expect(lines).toHaveLength(3);
    return lines;
  });
  const column = header?.split(',').indexOf('labels') ?? -1;
  expect(line?.split(',')[column]).toBe(`a-first ${label}`);
});
