import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { sharedService } from '../../support/service';
import { bodyOf, operator, anAccount } from '../../support/world';

const SOURCES = join(__dirname, '..', '..', '..', 'apps', 'api', 'src');

interface Route {
  method: string;
  path: string;
  isForAgents: boolean;
  isForOperators: boolean;
}

/** A route's method, path and further decorators. */
const HANDLER = /^ {2}@(Get|Post|Put|Patch|Delete)\((?:'([^']*)')?\)\n((?: {2}@.*\n)*)/gm;

/** Every route that needs a key, as the controllers declare them, with ids that do not exist. */
const routes: Route[] = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.controller.ts'))
  .map((file) => readFileSync(join(SOURCES, file), 'utf8'))
  .filter((source) => !/^@Public\(\)/m.test(source))
  .flatMap((source) => {
    const controller = /^@Controller\((.*)\)$/m.exec(source)?.[1] ?? '';
    const base = /'([^']*)'/.exec(controller)?.[1] ?? '';
    const prefix = controller.includes('VERSION_NEUTRAL') ? [] : ['v1'];
    return [...source.matchAll(HANDLER)].map(([, method = '', path = '', decorators = '']) => ({
      method: method.toUpperCase(),
      path: `/${[...prefix, base, path].filter((part) => part !== '').join('/')}`.replaceAll(/:\w+/g, 'x_00000000000000000000000000'),
      isForAgents: /@Agent(Allowed|Only)\(\)/.test(decorators),
      isForOperators: !decorators.includes('@AgentOnly()'),
    }));
  });

/** The status of the response to any method with any body. */
function statusOf({ method, path }: Route, key: string | null, body: string, type: string): Promise<number> {
  const authorization = key !== null && { Authorization: `Bearer ${key}` };
  const headers = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body), ...authorization };
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, sharedService().baseUrl), { method, headers });
    sent.on('response', (answer) => void answer.resume().on('end', () => resolve(answer.statusCode ?? 0)));
    sent.on('error', reject).end(body);
  });
}

let agentKey: string;
beforeAll(async () => {
  const { id } = await anAccount();
  agentKey = bodyOf(await operator().post('/v1/api_keys', { type: 'agent', account_ids: [id] }), 201).key;
});

test('the table of routes that need a key is complete', () => expect(routes.length).toBeGreaterThanOrEqual(60));

test.each([
  ['malformed JSON', '{', 'application/json', 400],
  ['an unknown field', '{"no_such_field":1}', 'application/json', 400],
  ['another content type', 'a=b', 'text/plain', 415],
  ['more than 1 MiB', `{"a":"${'a'.repeat(1100 * 1024)}"}`, 'application/json', 413],
])('every route checks a body with %s after 401 and 403 for the kind of key, and before 404', async (_what, body, type, status) => {
  for (const route of routes) {
    // GET and DELETE ignore their body, but it must be readable.
    const looks = !['GET', 'DELETE'].includes(route.method) || !body.includes('no_such_field');
    const forBody = looks ? status : expect.any(Number);
    const got = await Promise.all([null, agentKey, sharedService().operatorKey].map((key) => statusOf(route, key, body, type)));
    expect([route, got]).toEqual([route, [401, route.isForAgents ? forBody : 403, route.isForOperators ? forBody : 403]]);
  }
});
