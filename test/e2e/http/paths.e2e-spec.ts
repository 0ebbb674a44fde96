import { sharedService } from '../../support/service';

const { baseUrl, operatorKey } = sharedService();
const statusOf = async (path: string, method = 'GET'): Promise<number> =>
  (await fetch(`${baseUrl}${path}`, { method, headers: { Authorization: `Bearer ${operatorKey}` } })).status;

test.each(['/v1/accounts', '/v1/me', '/metrics', '/ready', '/openapi.json', '/dashboard', '/docs/errors'])('%s is a path', async (path) => {
  expect(await statusOf(path)).toBe(200);
});

test.each(['/dashboard', '/docs', '/docs/api'])('the page %s is also found with a final slash', async (path) => {
  expect([await statusOf(path), await statusOf(`${path}/`)]).toEqual([200, 200]);
});

test.each([
  ['capitals', '/v1/Accounts'],
  ['capitals in the version', '/V1/accounts'],
  ['capitals outside of the API', '/METRICS'],
  ['a final slash', '/v1/accounts/'],
  ['a final slash outside of the API', '/metrics/'],
  ['two slashes', '/v1//accounts'],
])('a path with %s is 404', async (_what, path) => {
  expect(await statusOf(path)).toBe(404);
});

test('a wrong method at another spelling of a path is 404 and not 405', async () => {
  expect(await statusOf('/v1/accounts', 'DELETE')).toBe(405);
  expect(await statusOf('/v1/accounts/', 'DELETE')).toBe(404);
  expect(await statusOf('/v1/Accounts', 'DELETE')).toBe(404);
});
