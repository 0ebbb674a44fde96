import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createRawServer, type AddressInfo, type Socket } from 'node:net';
import { startNameServer, type NameServer } from '../../../../test/support/name-server';
import { Config } from '../runtime/config';
import { EgressClient, type EgressRequest } from './egress-client';
import { NameResolver } from './dns';
import { listening } from '../../../../test/support/listening';

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

const client = (allowPrivate: boolean, names?: NameResolver): EgressClient =>
  new EgressClient(Object.assign(new Config(), { ALLOW_PRIVATE_URLS: allowPrivate }), names);
const call = (url: string, more: Partial<EgressRequest> = {}, by = client(true)) =>
  by.fetch({ url, method: 'POST', headers: { 'x-a': 'b' }, body: '{}', timeoutMs: 2_000, maxBodyBytes: () => 8_192, ...more });

async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  closing.push(() => (server.closeAllConnections(), server.close()));
  return listening(server);
}

async function serveRaw(listener: (socket: Socket) => void): Promise<string> {
  const server = createRawServer((socket) => {
    closing.push(() => void socket.destroy());
    listener(socket.on('error', () => undefined));
  });
  closing.push(() => void server.close());
  return listening(server);
}

async function nameServer(answer: (type: 'A' | 'AAAA', count: number) => string[]): Promise<NameServer> {
  const server = await startNameServer(answer);
  closing.push(() => server.close());
  return server;
}

/** Queries a test's name server even if the machine's resolver would be used. */
class TestNames extends NameResolver {
  override resolveLocally(name: string, signal: AbortSignal): Promise<string[]> {
    return this.resolve(name, signal);
  }
}

describe('EgressClient resolving a name', () => {
  test.each([
    ['a private address', ['10.0.0.1'], []],
    ['this machine', ['127.0.0.1'], []],
    ['a private address among public ones', ['8.8.8.8', '192.168.1.1'], []],
    ['a public IPv4 and a private IPv6 address', ['8.8.8.8'], ['fd000000000000000000000000000001']],
    ['an IPv4 address hidden in IPv6', [], ['00000000000000000000ffff7f000001']],
    ['an address behind NAT64', [], ['0064ff9b00000000000000007f000001']],
  ])('rejects a name that resolves to %s', async (_what, a, aaaa) => {
    const { address } = await nameServer((type) => (type === 'A' ? a : aaaa));
    await expect(call('https://inside.example.com/', {}, client(false, new NameResolver([address])))).rejects.toThrow(
      'private or reserved',
    );
  });

  test('rejects a name without an address', async () => {
    const { address } = await nameServer(() => []);
    await expect(call('https://nowhere.example.com/', {}, client(false, new NameResolver([address])))).rejects.toThrow('has no address');
  });

  test('resolves a name once and ignores a later answer of the name server', async () => {
    const names = await nameServer((type, count) => (type === 'A' ? [count <= 2 ? '127.0.0.1' : '127.0.0.2'] : []));
    const url = new URL(await serve((request, response) => void response.end(request.headers.host)));
    url.hostname = 'rebinding.example.com';
    const answer = await call(url.href, {}, client(true, new TestNames([names.address])));
    expect([answer.body.toString(), names.asked.sort()]).toEqual([url.host, ['A', 'AAAA']]);
  });

  test('sends the name by TLS, so that the certificate must be for it and not for the address', async () => {
    let hello = '';
    const url = new URL(
      await serveRaw((socket) => void socket.once('data', (data) => ((hello = data.toString('latin1')), socket.destroy()))),
    );
    const names = await nameServer((type) => (type === 'A' ? ['127.0.0.1'] : []));
    await expect(call(`https://pinned.example.com:${url.port}/`, {}, client(true, new TestNames([names.address])))).rejects.toThrow(
      'cut before an answer',
    );
    expect(hello).toContain('pinned.example.com');
  });

  test('never connects to a private address when a name resolves to a public address first (DNS rebinding)', async () => {
    let privateRequests = 0;
    const { port } = new URL(await serve(() => void privateRequests++));
    const names = await nameServer((type, count) => (type === 'A' ? [count <= 2 ? '8.8.8.8' : '127.0.0.1'] : []));
    const by = client(false, new NameResolver([names.address]));
    await expect(call(`https://rebinding.example.com:${port}/`, { timeoutMs: 2_000 }, by)).rejects.toThrow();
    expect([privateRequests, names.asked.length]).toEqual([0, 2]);
    await expect(call(`https://rebinding.example.com:${port}/`, {}, by)).rejects.toThrow('private or reserved');
  });

  test('ends with the time-out when the name server hangs', async () => {
    const silent = await serveSilently();
    await expect(call('https://slow.example.com/', { timeoutMs: 150 }, client(false, new NameResolver([silent])))).rejects.toThrow(
      'No answer within 0.15 s',
    );
  });
});

test.each([
  'http://127.0.0.1/',
  'https://127.0.0.1/',
  'https://[::ffff:127.0.0.1]/',
  'https://localhost/',
  'https://user:word@example.com/',
])('EgressClient rejects %s before it connects', async (url) => {
  await expect(call(url, {}, client(false))).rejects.toThrow('The URL must');
});

test('EgressClient does not follow a redirect', async () => {
  let followed = 0;
  const target = await serve(() => void followed++);
  const url = await serve((_request, response) => void response.writeHead(307, { location: target }).end());
  expect([(await call(url)).status, followed]).toEqual([307, 0]);
});

test('EgressClient reads the first bytes of an endless body', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200);
    const flood = (): void =>
      void (response.destroyed || (response.write(Buffer.alloc(4_096, 'x')) ? setImmediate(flood) : response.once('drain', flood)));
    flood();
  });
  const { status, body, truncated } = await call(url);
  expect([status, body.length, truncated]).toEqual([200, 8_192, true]);
});

test('EgressClient returns a response that ends early as truncated', async () => {
  const url = await serveRaw((socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'));
  expect(await call(url)).toMatchObject({ status: 200, body: Buffer.from('half'), truncated: true });
});

test('EgressClient returns a response whose body takes too long as truncated', async () => {
  const url = await serveRaw((socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'));
  expect(await call(url, { timeoutMs: 2_000 })).toMatchObject({ status: 200, body: Buffer.from('half'), truncated: true });
});

test.each([
  ['nothing', () => undefined],
  ['half of its headers', (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nx: ')],
])('EgressClient fails with the time-out when a receiver sends %s', async (_what, listener) => {
  await expect(call(await serveRaw(listener), { timeoutMs: 200 })).rejects.toThrow('No answer within 0.2 s');
});

test.each([
  ['closes the connection', (socket: Socket) => void socket.destroy(), 'cut before an answer'],
  ['speaks another protocol', (socket: Socket) => void socket.end('220 mail.example.com ESMTP\r\n'), 'not HTTP'],
  [
    'sends 80 KB of headers',
    (socket: Socket) => void socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(80_000)}\r\n\r\n`),
    'too many headers',
  ],
])('EgressClient fails when a receiver %s', async (_what, listener, message) => {
  await expect(call(await serveRaw(listener), { timeoutMs: 20_000 })).rejects.toThrow(message);
});

test('EgressClient sends nothing when beforeSending throws', async () => {
  let requests = 0;
  const url = await serve((_request, response) => void response.end(String(++requests)));
  const reason = new Error('not any more');
  await expect(call(url, { beforeSending: () => Promise.reject(reason) })).rejects.toBe(reason);
  expect(requests).toBe(0);
});

test('the time-out of EgressClient includes beforeSending', async () => {
  const url = await serve((_request, response) => void response.end());
  // It never ends, so without the time-out this test would not either.
  await expect(call(url, { timeoutMs: 200, beforeSending: () => new Promise(() => undefined) })).rejects.toThrow('No answer within 0.2 s');
});

describe('EgressClient with a pooled connection', () => {
  /** A receiver that answers the first request of each connection with the connection's number, and the second one by `second`. */
  async function counting(second: (socket: Socket) => void, first = ''): Promise<{ url: string; requests: () => number }> {
    const [sockets, seen] = [new Map<Socket, number>(), [] as string[]];
    const url = await serveRaw((socket) => {
      sockets.set(socket, sockets.size + 1);
      let requests = 0;
      socket.on('data', (data) => {
        seen.push(data.toString());
        if (++requests === 1) socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n${sockets.get(socket)}${first}`);
        else second(socket);
      });
    });
    return { url, requests: () => seen.length };
  }
  const over = (by: EgressClient, url: string, more: Partial<EgressRequest> = {}) =>
    call(url, { method: 'GET', body: undefined, connection: 'pooled', ...more }, by);
  const bodies = (answers: { body: Buffer }[]) => answers.map(({ body }) => body.toString());
  const again = (socket: Socket): void => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nagain');

  test('uses it for the next pooled exchange with its origin only', async () => {
    const [{ url }, by] = [await counting(again), client(true)];
    expect(
      bodies([
        await over(by, url),
        await over(by, url),
        await over(by, url, { connection: 'new' }),
        await over(by, url, { connection: undefined }),
      ]),
    ).toEqual(['1', 'again', '2', '3']);
  });

  test('does not share it between concurrent exchanges', async () => {
    const [{ url }, by] = [await counting(again), client(true)];
    await over(by, url);
    expect(bodies(await Promise.all([over(by, url), over(by, url)])).sort()).toEqual(['2', 'again']);
  });

  test('repeats a repeatable request over a new connection when it breaks, and no other request', async () => {
    const [{ url, requests }, by] = [await counting((socket) => void socket.destroy()), client(true)];
    await over(by, url);
    expect(bodies([await over(by, url, { repeatable: true })])).toEqual(['2']);
    await expect(over(by, url)).rejects.toThrow('cut before an answer');
    expect(requests()).toBe(4);
  });

  test('does not use it after the receiver has closed it', async () => {
    const by = client(true);
    const url = await serve((_request, response) => void response.end('kept', () => response.socket?.end()));
    await over(by, url);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(bodies([await over(by, url)])).toEqual(['kept']);
  });

  test('takes no unsolicited response on it for the next answer', async () => {
    const [{ url }, by] = [await counting(again, 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged'), client(true)];
    await over(by, url);
    expect(bodies([await over(by, url, { repeatable: true })])).toEqual(['2']);
  });

  test('closes it when a response was not read to its end', async () => {
    const [{ url }, by] = [await counting(again), client(true)];
    await over(by, url, { maxBodyBytes: () => 0 });
    expect(bodies([await over(by, url)])).toEqual(['2']);
  });
});

/** A UDP port that takes queries and answers none. */
async function serveSilently(): Promise<string> {
  const { createSocket } = await import('node:dgram');
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  closing.push(() => void socket.close());
  return `127.0.0.1:${(socket.address() as AddressInfo).port}`;
}
