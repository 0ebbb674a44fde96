/** Subscriptions over WebSocket, as agave serves them. */
import type { Server } from 'node:http';
import { WebSocketServer, type WebSocket } from 'ws';
import { asRpcError, errorText } from '../rpc/dispatch';
import { invalidParams, invalidRequest, methodNotFound, parseError } from '../rpc/errors';
import { Params } from '../rpc/params';
import { kindOf, type Subscription, type Subscriptions } from './subscriptions';

const MAX_MESSAGE_BYTES = 256 * 1024;
const MOST_SUBSCRIPTIONS = 10_000;
/** A client that does not read is disconnected at this backlog. */
const MOST_UNREAD_BYTES = 64 * 1024 * 1024;

export class SocketServer {
  private readonly sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  private lastId = 0;

  constructor(private readonly subscriptions: Subscriptions) {
    this.sockets.on('connection', (socket: WebSocket) => this.serve(socket));
  }

  /** Accepts the WebSocket connections of a server. */
  attach(server: Server): void {
    server.on('upgrade', (request, socket, head) => {
      // Rejects web pages: browsers always send an origin.
      if (request.headers.origin !== undefined) return void socket.destroy();
      this.sockets.handleUpgrade(request, socket, head, (client) => this.sockets.emit('connection', client, request));
    });
  }

  close(): void {
    for (const client of this.sockets.clients) client.terminate();
    this.sockets.close();
  }

  private serve(socket: WebSocket): void {
    const open = new Map<number, Subscription>();
    socket.on('message', (message) => this.answer(socket, open, (message as Buffer).toString()));
    socket.on('error', () => undefined); // 'close' follows.
    socket.on('close', () => {
      for (const subscription of open.values()) this.subscriptions.stop(subscription);
    });
  }

  private answer(socket: WebSocket, open: Map<number, Subscription>, text: string): void {
    let id: unknown = null;
    try {
      const call = parseCall(text);
      id = call.id;
      if (id === undefined) return;
      const { result, then } = this.perform(socket, open, call);
      socket.send(`{"jsonrpc":"2.0","result":${JSON.stringify(result)},"id":${JSON.stringify(id)}}`);
      then();
    } catch (error) {
      socket.send(errorText(id, asRpcError(error, 'a subscription')));
    }
  }

  private perform(socket: WebSocket, open: Map<number, Subscription>, call: Call): { result: unknown; then(): void } {
    const params = new Params(call.params);
    const started = kindOf(call.method, 'Subscribe');
    if (started) {
      if (open.size >= MOST_SUBSCRIPTIONS) throw invalidRequest('Too many subscriptions');
      const id = ++this.lastId;
      const isLast = (text: string) => started === 'signature' && !text.includes(RECEIVED);
      const notify = (text: string) => this.notify(socket, open, { id, text, isLast: isLast(text) });
      const subscription = this.subscriptions.create(started, params, { id, notify });
      open.set(id, subscription);
      return { result: id, then: () => this.subscriptions.begin(subscription) };
    }
    const stopped = kindOf(call.method, 'Unsubscribe');
    if (!stopped) throw methodNotFound();
    const subscription = open.get(params.number(0));
    if (subscription?.kind !== stopped) throw invalidParams('Invalid subscription id.');
    open.delete(subscription.id);
    this.subscriptions.stop(subscription);
    return { result: true, then: () => undefined };
  }

  private notify(socket: WebSocket, open: Map<number, Subscription>, message: { id: number; text: string; isLast: boolean }): void {
    if (socket.bufferedAmount > MOST_UNREAD_BYTES) return socket.terminate();
    socket.send(message.text);
    if (message.isLast) open.delete(message.id);
  }
}

interface Call {
  id: unknown;
  method: string;
  params: unknown[];
}

const RECEIVED = '"value":"receivedSignature"';

function parseCall(text: string): Call {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw parseError();
  }
  if (typeof parsed !== 'object' || parsed === null) throw parseError();
  const { id, method, params } = parsed as Partial<Record<string, unknown>>;
  if (typeof method !== 'string') throw invalidRequest();
  return { id, method, params: Array.isArray(params) ? params : [] };
}
