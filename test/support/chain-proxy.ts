/** A proxy between a service and its chain, which forwards everything unless a test sets another fate. */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { LossyNetwork } from './lossy-network';
import type { PrunedHistory } from './pruned-history';
import type { Fate, RpcAnswer, RpcCall } from './rpc-messages';
import type { SlowReads } from './slow-reads';

export type { Fate };

interface NumberedCall extends RpcCall {
  id: unknown;
}

export class ChainProxy {
  /** The fate of each call. */
  fate: (call: RpcCall) => Fate = () => 'pass';
  /** Returns accounts as they were some time ago. */
  slowReads: SlowReads | undefined;
  /** Loses, delays and refuses. */
  network: LossyNetwork | undefined;
  /** Hides old transactions. */
  history: PrunedHistory | undefined;
  /** The latest answer to each call, for a stale node. */
  private readonly answers = new Map<string, string>();
  /** Whether WebSockets are forwarded. */
  private webSockets = true;
  private readonly sockets = new Set<Duplex>();
  private server: Server | undefined;

  private constructor(
    private readonly target: URL,
    private readonly webSocketTarget: URL,
    private port = 0,
  ) {}

  static async start({ rpc_url, ws_url }: { rpc_url: string; ws_url: string }): Promise<ChainProxy> {
    const proxy = new ChainProxy(new URL(rpc_url), new URL(ws_url));
    await proxy.up();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get webSocketUrl(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  /** Refuses every connection from now on. */
  async down(): Promise<void> {
    const server = this.server;
    this.server = undefined;
    const closed = new Promise((resolve) => server?.close(resolve));
    this.dropAll();
    if (server) await closed;
  }

  /** Accepts connections again, and forwards everything. */
  async up(): Promise<void> {
    this.fate = () => 'pass';
    this.slowReads = undefined;
    this.history = undefined;
    this.network = undefined;
    this.webSockets = true;
    if (this.server) return;
    const server = createServer((incoming, response) => void this.answer(incoming, response));
    server.on('connection', (socket) => this.keep(socket));
    server.on('upgrade', (incoming, socket) => this.upgrade(incoming, socket));
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    const address = server.address();
    this.port = typeof address === 'object' && address !== null ? address.port : 0;
    this.server = server;
  }

  /** Cuts all WebSockets and forwards none: the service gets no notifications. */
  cutWebSockets(): void {
    this.webSockets = false;
    this.dropAll();
  }

  private async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as NumberedCall | NumberedCall[];
    const calls = Array.isArray(asked) ? asked : [asked];
    const ask = async (method: string, params: unknown[]) =>
      JSON.parse(await this.forward(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))) as RpcAnswer;
    const own = await Promise.all(
      calls.map(
        async (call) =>
          (await this.slowReads?.answer(call, ask)) ?? (await this.network?.answer(call, ask)) ?? (await this.history?.answer(call, ask)),
      ),
    );
    const fated = calls.map((call, index) => ({ call, fate: (own[index] as Fate | undefined) ?? this.fate(call) }));
    // Calls of one request share what happens to it.
    const whole = fated
      .map(({ fate }) => fate)
      .find((fate) => fate === 'hang' || fate === 'break' || (typeof fate === 'object' && 'text' in fate));
    if (whole === 'hang') return;
    if (whole === 'break') return void incoming.socket.destroy();
    if (typeof whole === 'object' && 'text' in whole) return void response.writeHead(whole.status ?? 200).end(whole.text);
    const texts = await Promise.all(fated.map(({ call, fate }) => this.textOf(call, fate)));
    if (texts.includes(undefined)) return void incoming.socket.destroy();
    response.setHeader('Content-Type', 'application/json').end(Array.isArray(asked) ? `[${texts.join(',')}]` : texts[0]);
  }

  /** The answer to a call; undefined if it is lost. */
  private async textOf(call: NumberedCall, fate: Fate): Promise<string | undefined> {
    const numbered = (answer: object): string => JSON.stringify({ jsonrpc: '2.0', ...answer, id: call.id });
    if (typeof fate === 'object') return numbered(fate);
    const known = fate === 'stale' ? this.answers.get(questionOf(call)) : undefined;
    if (known !== undefined) return numbered(JSON.parse(known) as object);
    const text = await this.forward(JSON.stringify(call)).catch(() => undefined);
    if (text !== undefined && call.method.startsWith('get')) this.answers.set(questionOf(call), text);
    return fate === 'lose' ? undefined : text;
  }

  private forward(body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const sent = request(
        this.target,
        { method: 'POST', headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) } },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks).toString()));
        },
      );
      sent.on('error', reject).end(body);
    });
  }

  private upgrade({ headers, url }: IncomingMessage, socket: Duplex): void {
    if (!this.webSockets) return void socket.destroy();
    const { hostname, port, host } = this.webSocketTarget;
    const onward: Socket = connect(Number(port), hostname, () => {
      const lines = Object.entries({ ...headers, host }).map(([name, value]) => `${name}: ${String(value)}`);
      onward.write(`GET ${url ?? '/'} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('error', () => onward.destroy()).on('close', () => onward.destroy());
  }

  private keep(socket: Duplex): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
  }

  private dropAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

/** A key for equal calls, whatever `minContextSlot` they have. */
function questionOf({ method, params }: RpcCall): string {
  return JSON.stringify([method, params], (key, value: unknown) => (key === 'minContextSlot' ? undefined : value));
}
