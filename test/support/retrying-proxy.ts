import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from './listening';

/** A response to be forwarded. */
interface Passed {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** How often each server's readiness is polled. */
const PROBE_MS = 100;

/**
 * A load balancer with keep-alive connections. It sends to servers that are ready, and to the next one only if a connection is
 * refused. It retries nothing else.
 */
export class RetryingProxy {
  /** Errors other than refused connections: a reset, a truncated response. */
  readonly faults: string[] = [];
  url = '';
  private next = 0;
  private readonly unready = new Set<string>();
  private probes: NodeJS.Timeout | undefined;
  /** Connections are used in turn, so that all of them soon learn that their server leaves. */
  private readonly agent = new Agent({ keepAlive: true, scheduling: 'fifo' });
  private readonly server = createServer((incoming, outgoing) => void this.pass(incoming, outgoing));

  constructor(private readonly servers: string[]) {}

  async start(): Promise<void> {
    this.url = await listening(this.server);
    this.probes = setInterval(() => this.servers.forEach((server) => void this.probe(server)), PROBE_MS);
  }

  /** Whether a server answered its last probe. */
  isReady(server: string): boolean {
    return !this.unready.has(server);
  }

  stop(): void {
    clearInterval(this.probes);
    this.agent.destroy();
    this.server.close();
    this.server.closeAllConnections();
  }

  private async probe(server: string): Promise<void> {
    const answer = await fetch(`${server}/ready`).catch(() => undefined);
    if (answer?.ok) this.unready.delete(server);
    else this.unready.add(server);
    await answer?.body?.cancel();
  }

  private async pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const first = this.next++;
    const ready = this.servers.filter((server) => !this.unready.has(server));
    for (let tries = 0; tries < ready.length; tries++) {
      try {
        const server = ready[(first + tries) % ready.length] ?? '';
        const { status, headers, body } = await this.ask(server, incoming, Buffer.concat(chunks));
        // These concern one connection, and the body is sent whole.
        const { connection: _connection, 'keep-alive': _keepAlive, 'transfer-encoding': _encoding, ...forwarded } = headers;
        outgoing.writeHead(status, forwarded).end(body);
        return;
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        if (code === 'ECONNREFUSED') continue;
        this.faults.push(`${incoming.method} ${incoming.url}: ${message}`);
        break;
      }
    }
    outgoing.writeHead(502).end('{}');
  }

  private ask(server: string, { method, url, headers }: IncomingMessage, body: Buffer): Promise<Passed> {
    return new Promise((resolve, reject) => {
      const { authorization = '', 'content-type': type = 'application/json' } = headers;
      const kept = { authorization, 'content-type': type, 'content-length': body.length };
      const asked = request(new URL(url ?? '/', server), { method, agent: this.agent, headers: kept });
      asked.on('error', reject).on('response', (answer) => {
        const chunks: Buffer[] = [];
        answer.on('error', reject).on('data', (chunk: Buffer) => void chunks.push(chunk));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }));
      });
      asked.end(body);
    });
  }
}
