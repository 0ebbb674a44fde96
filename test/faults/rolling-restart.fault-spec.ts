import { Agent, get, type IncomingHttpHeaders } from 'node:http';
import { api, type Answer } from '../support/api';
import { eventually } from '../support/eventually';
import { startBeside } from '../support/operators';
import { RetryingProxy } from '../support/retrying-proxy';
import { sharedService, type Service } from '../support/service';
import { anAccount, balanceOf, order, countByStatus } from '../support/world';

jest.setTimeout(120_000);

/** Clients in a loop, each with one request at a time. */
const PAYING = 4;
const READING = 4;

let services: Service[];
beforeAll(async () => {
  // Long enough for the proxy to notice, on a loaded machine too.
  const variables = { DRAIN_DELAY_MS: '3000' };
  services = await Promise.all([1, 2].map(() => startBeside(sharedService(), { variables })));
});
afterAll(() => Promise.all(services.map((service) => service.stop())));

/** Status and headers of a response, or the error code. */
function ask(url: string, agent?: Agent): Promise<{ status: number | string; headers: IncomingHttpHeaders }> {
  return new Promise((resolve) => {
    const asked = get(url, { agent: agent ?? false });
    asked.on(
      'response',
      (answer) => void answer.resume().on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers })),
    );
    asked.on('error', (error: NodeJS.ErrnoException) => resolve({ status: error.code ?? error.message, headers: {} }));
  });
}

test('a rolling restart by SIGTERM under load resets no connection, and every transfer answers 200 and is paid once', async () => {
  const [payer, payee] = [await anAccount({ usdc: '1000' }), await anAccount()];
  const proxy = new RetryingProxy(services.map(({ baseUrl }) => baseUrl));
  await proxy.start();
  const client = api(proxy.url, sharedService().operatorKey);
  let isOver = false;
  const load = async (send: () => Promise<Answer>): Promise<Answer[]> => {
    const answers: Answer[] = [];
    while (!isOver) answers.push(await send());
    return answers;
  };
  const paying = Promise.all(
    Array.from({ length: PAYING }, () => load(() => client.post('/v1/transfers', order(payer, payee, '0.000001')))),
  );
  const reading = Promise.all(Array.from({ length: READING }, () => load(() => client.get(`/v1/accounts/${payer.id}`))));
  for (const service of services) {
    const port = new URL(service.baseUrl).port;
    await service.kill('SIGTERM');
    await service.start({ PORT: port });
    // The next server is restarted once this one takes its share again.
    await eventually(() => expect(proxy.isReady(service.baseUrl)).toBe(true), { timeoutMs: 30_000 });
  }
  isOver = true;
  const [paid, read] = [(await paying).flat(), (await reading).flat()];
  proxy.stop();
  expect(proxy.faults).toEqual([]);
  expect([countByStatus(paid), countByStatus(read)]).toEqual([{ 200: paid.length }, { 200: read.length }]);
  expect(await balanceOf(payee)).toBe(`0.${String(paid.length).padStart(6, '0')}`);
});

test('/ready answers 503 before the port closes, and keep-alive connections are closed by header', async () => {
  const [service] = services;
  const { baseUrl } = service!;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect((await ask(`${baseUrl}/health`, agent)).headers.connection).toBe('keep-alive');
  const ended = service!.kill('SIGTERM');
  const seen: (number | string)[] = [];
  let kept: string | undefined;
  while (seen.at(-1) !== 'ECONNREFUSED') {
    const { status } = await ask(`${baseUrl}/ready`);
    if (status !== seen.at(-1)) seen.push(status);
    if (status === 503) kept ??= (await ask(`${baseUrl}/health`, agent)).headers.connection;
  }
  // The kernel resets a connection that was not yet accepted when the port closed.
  expect(seen.filter((status) => status !== 200 && status !== 'ECONNRESET')).toEqual([503, 'ECONNREFUSED']);
  expect(kept).toBe('close');
  await ended;
  agent.destroy();
  await service!.start({ PORT: new URL(baseUrl).port });
});
