import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { Body } from './api';
import { listening } from './listening';

/** A request that a receiver got. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  /** The body's text as received. */
  raw: string;
  event: Body;
  /** By performance.now(). */
  at: number;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** The response from now on; default 200. A handler that does not end the response makes the sender wait. */
  answer: (response: ServerResponse, request: Received, count: number) => void;
  close(): void;
}

/** A receiver of webhooks on this machine. Keeps every request. */
export async function startReceiver(answer: Receiver['answer'] = (response) => void response.writeHead(200).end('ok')): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString();
      const got: Received = {
        path: request.url ?? '',
        headers: request.headers,
        raw,
        event: raw === '' ? null : JSON.parse(raw),
        at: performance.now(),
      };
      receiver.received.push(got);
      receiver.answer(response, got, receiver.received.length);
    });
  });
  const receiver: Receiver = {
    url: `${await listening(server)}/hook`,
    received: [],
    answer,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}

/** The events of an account that a receiver got, each once and in order: under load a response may be lost. */
export function receivedEvents({ received }: Receiver, accountId: string, type?: string): Body[] {
  const events = new Map(received.map(({ event }) => [event.id, event]));
  return [...events.values()]
    .filter((event) => event.account_id === accountId && (type === undefined || event.type === type))
    .sort((one, other) => one.sequence - other.sequence);
}
