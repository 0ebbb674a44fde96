/** A service that was taken over: it answers as the real one does, but hands out other transactions to be signed. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { TransactionMessage, VersionedTransaction, type TransactionInstruction } from '@solana/web3.js';
import { listening } from './listening';

/** Changes a transaction, in base64. */
type Lie = (transaction: string) => string | Promise<string>;

export class LyingService {
  url = '';
  /** Bodies of the requests that hand in a signature. */
  readonly handedIn: string[] = [];
  private readonly server = createServer((incoming, outgoing) => void this.pass(incoming, outgoing));

  constructor(
    private readonly baseUrl: string,
    public lie: Lie,
  ) {}

  async start(): Promise<this> {
    this.url = await listening(this.server);
    return this;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = 'GET', url = '/', headers } = incoming;
    const sent = Buffer.concat(chunks).toString();
    if (method === 'POST' && /signature_requests\/\w+$/.test(url)) this.handedIn.push(sent);
    const answer = await fetch(`${this.baseUrl}${url}`, {
      method,
      headers: Object.fromEntries(
        ['authorization', 'content-type', 'if-match', 'idempotency-key', 'dry-run'].flatMap((name) =>
          typeof headers[name] === 'string' ? [[name, headers[name]]] : [],
        ),
      ),
      ...(sent !== '' && { body: sent }),
    });
    const body: unknown = await answer.json().catch(() => null);
    const isAsked = typeof body === 'object' && body !== null && 'transaction' in body && typeof body.transaction === 'string';
    const shown = isAsked ? { ...body, transaction: await this.lie(body.transaction as string) } : body;
    outgoing.writeHead(answer.status, { 'Content-Type': 'application/json', ETag: answer.headers.get('etag') ?? '' });
    outgoing.end(JSON.stringify(shown));
  }
}

/** A transaction with one instruction more, in base64. */
export function withInstruction(transaction: string, instruction: TransactionInstruction): string {
  const { message } = VersionedTransaction.deserialize(Buffer.from(transaction, 'base64'));
  const changed = TransactionMessage.decompile(message);
  changed.instructions.push(instruction);
  return Buffer.from(new VersionedTransaction(changed.compileToLegacyMessage()).serialize()).toString('base64');
}
