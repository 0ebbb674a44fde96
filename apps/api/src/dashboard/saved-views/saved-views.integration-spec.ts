/** The saved views of a list: who sees them, what replaces them, and their bounds. */
import { startApp, type TestApp } from '../../../../../test/support/app';
import { DashboardSession } from '../../../../../test/support/dashboard-session';
import { OperatorsService } from '../../keys/operators/operators.service';

const PATH = '/dashboard/data/views';
const VIEW = { list: '/transfers', name: 'declined data', search: '?status=rejected&category=data' };

let app: TestApp;
beforeAll(async () => void (app = await startApp()));
afterAll(() => app.close());

const { fromPage, signIn } = new DashboardSession(() => app);
const newKey = async (body: object): Promise<string> => (await app.send('post', '/v1/api_keys').send(body).expect(201)).body.key;
const newCookie = async (): Promise<string> => signIn((await app.app.get(OperatorsService).create('another')).key.key);
const save = (cookie: string, change: object = {}) => fromPage('post', PATH, cookie).send({ ...VIEW, ...change });
const viewsOf = async (cookie: string, list = VIEW.list): Promise<unknown> =>
  (await fromPage('get', `${PATH}?list=${encodeURIComponent(list)}`, cookie).expect(200)).body.data;

test('a saved view is seen by every operator key of its operator, under its list alone', async () => {
  await save(await signIn()).expect(204);
  const other = await signIn(await newKey({ type: 'operator' }));
  expect(await viewsOf(other)).toEqual([{ name: VIEW.name, search: VIEW.search }]);
  expect(await viewsOf(other, '/payments')).toEqual([]);
});

test('a saved view is not seen, replaced or removed by another operator', async () => {
  const [own, other] = [await newCookie(), await newCookie()];
  await save(own).expect(204);
  expect(await viewsOf(other)).toEqual([]);
  await save(other, { search: '' }).expect(204);
  await fromPage('delete', PATH, other).send({ list: VIEW.list, name: VIEW.name }).expect(204);
  expect(await viewsOf(own)).toEqual([{ name: VIEW.name, search: VIEW.search }]);
});

test('a view saved again under its name replaces the first, and one that is removed is gone', async () => {
  const cookie = await newCookie();
  await save(cookie).expect(204);
  await save(cookie, { name: ' declined data ', search: '?status=rejected' }).expect(204);
  expect(await viewsOf(cookie)).toEqual([{ name: VIEW.name, search: '?status=rejected' }]);
  await fromPage('delete', PATH, cookie).send({ list: VIEW.list, name: VIEW.name }).expect(204);
  expect(await viewsOf(cookie)).toEqual([]);
});

test('the 31st view of a list is 409, also if many are saved at once, and a known name is still saved', async () => {
  const cookie = await newCookie();
  const names = Array.from({ length: 34 }, (_, index) => `view ${index}`);
  const statuses = await Promise.all(names.map(async (name) => (await save(cookie, { name })).status));
  expect(statuses.filter((status) => status === 204)).toHaveLength(30);
  expect(statuses.filter((status) => status === 409)).toHaveLength(4);
  const saved = names[statuses.indexOf(204)];
  await save(cookie, { name: saved, search: '' }).expect(204);
  expect(await viewsOf(cookie)).toContainEqual({ name: saved, search: '' });
  await save(cookie, { list: '/payments' }).expect(204);
});

test.each([
  ['a list of another origin', 'list', 'https://example.com'],
  ['a list without a scheme', 'list', '//example.com'],
  ['an empty list', 'list', ''],
  ['a blank name', 'name', '   '],
  ['a name of 61 characters', 'name', 'n'.repeat(61)],
  ['a query without its question mark', 'search', 'status=rejected'],
  ['a query of 2,001 characters', 'search', `?${'s'.repeat(2000)}`],
])('a saved view with %s is 400', async (_defect, field, value) => {
  const { body } = await save(await signIn(), { [field]: value }).expect(400);
  expect(body.details).toEqual([expect.objectContaining({ field })]);
});

test('saved views are 401 without a key, and 403 for an agent key', async () => {
  await app.send('get', `${PATH}?list=/transfers`, null).expect(401);
  const agent = await newKey({ type: 'agent', account_ids: [await app.insertAccount()] });
  await app.send('get', `${PATH}?list=/transfers`, agent).expect(403);
  await app.send('post', PATH, agent).send(VIEW).expect(403);
  await app.send('delete', PATH, agent).send({ list: VIEW.list, name: VIEW.name }).expect(403);
});
