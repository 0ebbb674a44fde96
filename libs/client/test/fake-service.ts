import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown> | null;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Ends the connection without a response. */
  isCut?: boolean;
  /** Never answers. */
  isSilent?: boolean;
}

/** A server that gives the replies in their order, the last one again and again, and keeps what it received. */
export class FakeService {
  readonly received: Received[] = [];
  url = '';
  private server: Server;

  constructor(private replies: Reply[] = []) {}

  async start(): Promise<this> {
    this.server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      this.received.push({
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: text === '' ? null : JSON.parse(text),
      });
      const {
        status = 200,
        headers = {},
        body = {},
        isCut,
        isSilent,
      } = this.replies.length > 1 ? (this.replies.shift() ?? {}) : (this.replies[0] ?? {});
      if (isSilent) return;
      if (isCut) return void request.socket.destroy();
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return this;
  }

  replyWith(...replies: Reply[]): void {
    this.replies = replies;
    this.received.length = 0;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
