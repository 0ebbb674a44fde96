import { methodsOf, pathNear } from './routes';

const routes = [
  { method: 'GET', path: '/v1/accounts' },
  { method: 'POST', path: '/v1/accounts' },
  { method: 'GET', path: '/v1/accounts/:id' },
  { method: 'PUT', path: '/v1/accounts/:id/policy' },
  { method: 'POST', path: '/v1/accounts/bulk' },
  { method: 'GET', path: '/v1/jobs/:id' },
  { method: 'GET', path: '/v1/jobs/:id/accounts' },
  { method: 'GET', path: '/v1/api_keys' },
  { method: 'GET', path: '/dashboard/{*path}' },
  { method: 'GET', path: '/' },
];

test.each([
  ['/v1/accounts', ['GET', 'HEAD', 'POST']],
  ['/v1/accounts/', []],
  ['/v1//accounts', []],
  ['/v1/accounts/acct_1', ['GET', 'HEAD']],
  ['/v1/accounts/acct_1/policy', ['PUT']],
  ['/v1/accounts/bulk', ['POST']],
  ['/dashboard/assets/a.js', ['GET', 'HEAD']],
  ['/', ['GET', 'HEAD']],
])('the methods of %s are %j', (path, methods) => expect(methodsOf(routes, path)).toEqual(methods));

test.each(['/v1', '/v1/accounts/acct_1/nothing', '/accounts', '/dashboard', '/v1/accounts/a/policy/b'])(
  'the unknown path %s takes no method',
  (path) => expect(methodsOf(routes, path)).toEqual([]),
);

test.each([
  ['/accounts', '/v1/accounts'],
  ['/v1/acounts', '/v1/accounts'],
  ['/v1/accounts/acct_1/polcy', '/v1/accounts/acct_1/policy'],
  ['/V1/accounts', '/v1/accounts'],
  ['/v1/account', '/v1/accounts'],
  ['/api/v1/accounts', '/v1/accounts'],
  ['/api/accounts/acct_1', '/v1/accounts/acct_1'],
  ['/wp-admin/setup.php', undefined],
  ['/v1/api/keys', '/v1/api_keys'],
  ['/v1/keys', '/v1/api_keys'],
  ['/v1/job/job_1', '/v1/jobs/job_1'],
  ['/v1/foo/bar', undefined],
  ['/v1/foos/job_1', undefined],
  ['/v1/foo/acct_01m8cadymedn2f9w9094zb77en', undefined],
  ['/v1/accounts/acct_01m8cadymedn2f9w9094zb77en/nothing', undefined],
  ['/dashbord/a', undefined],
])('the path near to %s is %s', (path, near) => expect(pathNear(routes, path)).toBe(near));
