import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer to be passed on. */
interface Passed {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** A load balancer with kept connections that goes on to the next server only where a connection is refused, and retries nothing else. */
export class RetryingProxy {
  /** What went wrong besides refused connections: a reset, an answer cut short. */
  readonly faults: string[] = [];
  refused = 0;
  url = '';
  private next = 0;
  /** Each kept connection is used in turn, so that all of them are soon told that their server leaves. */
  private readonly agent = new Agent({ keepAlive: true, scheduling: 'fifo' });
  private readonly server = createServer((incoming, outgoing) => void this.pass(incoming, outgoing));

  constructor(private readonly servers: string[]) {}

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.agent.destroy();
    this.server.close();
    this.server.closeAllConnections();
  }

  private async pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const first = this.next++;
    for (let tries = 0; tries < this.servers.length; tries++) {
      try {
        const server = this.servers[(first + tries) % this.servers.length] ?? '';
        const { status, headers, body } = await this.ask(server, incoming, Buffer.concat(chunks));
        outgoing.writeHead(status, { 'Content-Type': headers['content-type'] ?? 'text/plain' }).end(body);
        return;
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        if (code === 'ECONNREFUSED') this.refused++;
        else {
          this.faults.push(`${incoming.method} ${incoming.url}: ${message}`);
          break;
        }
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
