/** A proxy of an RPC node that misbehaves as configured, method by method. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A port at which nothing listens. */
export const DEAD_URL = 'http://127.0.0.1:9';

/** The treatment of a call: answer, hang, break off, or pass it on and then hang. */
export type Misbehaviour =
  | 'hang'
  | 'break'
  | 'garbage'
  | 'accept-and-hang'
  | { status: number }
  | { result: unknown }
  | { error: { code: number; message: string; data?: unknown } };

export class LyingRpc {
  readonly seen: string[] = [];
  /** By method and commitment (`getMultipleAccounts finalized`), by method, or `*` for all. */
  readonly lies = new Map<string, Misbehaviour>();
  private readonly server: Server;

  private constructor(private readonly upstream: string) {
    this.server = createServer((request, response) => {
      void this.answer(request).then(
        (answer) => {
          if (answer === 'break') response.destroy();
          else if (answer !== 'hang')
            response.writeHead(answer.status, { 'Content-Type': 'application/json', 'Retry-After': '1' }).end(answer.body);
        },
        () => response.destroy(),
      );
    });
  }

  static async start(upstream: string): Promise<LyingRpc> {
    const rpc = new LyingRpc(upstream);
    await new Promise<void>((resolve) => rpc.server.listen(0, '127.0.0.1', resolve));
    return rpc;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private async answer(request: IncomingMessage): Promise<'hang' | 'break' | { status: number; body: string }> {
    const body = await textOf(request);
    const asked = JSON.parse(body) as Call | Call[];
    const calls = Array.isArray(asked) ? asked : [asked];
    this.seen.push(...calls.map(({ method }) => method));
    const lies = calls.map((call) => this.lieOf(call));
    // Calls of one request share what happens to it.
    const lie = lies.find((one) => one !== undefined);
    if (lie === 'hang' || lie === 'break') return lie;
    if (lie === 'garbage') return { status: 200, body: '<html>not json' };
    if (typeof lie === 'object' && 'status' in lie) return { status: lie.status, body: 'no' };
    if (typeof lie === 'object' && !Array.isArray(asked))
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...lie }) };
    const answer = await fetch(this.upstream, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    if (lie === 'accept-and-hang') return 'hang';
    const text = await answer.text();
    if (lie === undefined) return { status: answer.status, body: text };
    const answers = [JSON.parse(text) as object | object[]].flat();
    const told = answers.map((one, index) => ({
      ...(lies[index] ? { jsonrpc: '2.0', id: calls[index]?.id, ...(lies[index] as object) } : one),
    }));
    return { status: 200, body: JSON.stringify(Array.isArray(asked) ? told : told[0]) };
  }

  private lieOf({ method, params = [] }: Call): Misbehaviour | undefined {
    const { commitment = '' } = (params.at(-1) ?? {}) as { commitment?: string };
    return this.lies.get(`${method} ${commitment}`) ?? this.lies.get(method) ?? this.lies.get('*');
  }
}

interface Call {
  method: string;
  id: unknown;
  params?: unknown[];
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
