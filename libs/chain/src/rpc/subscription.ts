/** A WebSocket subscription to the transactions that mention certain addresses. */
import type { TransactionError } from '@solana/web3.js';
import WebSocket from 'ws';

/** Exponential back-off. */
const RECONNECT_MS = { first: 250, most: 10_000 };
/** A connection is dead if it has not answered a ping before the next one. */
const PING_EVERY_MS = 15_000;
const HANDSHAKE_TIMEOUT_MS = 5_000;

/** A transaction at the subscribed commitment, successful or failed. */
export interface LoggedTransaction {
  signature: string;
  slot: number;
  error: TransactionError | null;
  logs: string[];
}

export interface LogSubscriptionOptions {
  /** Tried in turn: the next one each time that a connection fails or ends. */
  urls: readonly string[];
  mentions: string[];
  commitment: 'confirmed' | 'finalized';
  onTransaction(transaction: LoggedTransaction): void;
}

/**
 * One `logsSubscribe` per address, reconnected until it is closed, to the next node if one fails. It reports no lost connections,
 * because polling finds what it
 * misses meanwhile. It does not keep the process alive. web3.js's client is not used because it logs every attempt to the console.
 */
export class LogSubscription {
  private socket: WebSocket | undefined;
  private pause = RECONNECT_MS.first;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  /** Connections that failed or ended. */
  private ended = 0;

  constructor(private readonly options: LogSubscriptionOptions) {}

  start(): void {
    const { urls } = this.options;
    const socket = new WebSocket(urls[this.ended % urls.length] ?? '', {
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: 16 * 1024 * 1024,
    });
    this.socket = socket;
    let isAlive = true;
    const heartbeat = setInterval(() => {
      if (!isAlive) return socket.terminate();
      isAlive = false;
      if (socket.readyState === WebSocket.OPEN) socket.ping();
    }, PING_EVERY_MS).unref();
    socket.on('pong', () => (isAlive = true));
    socket.on('open', () => {
      isAlive = true;
      this.pause = RECONNECT_MS.first;
      this.options.mentions.forEach((address, id) =>
        socket.send(
          JSON.stringify({
            jsonrpc: '2.0',
            id,
            method: 'logsSubscribe',
            params: [{ mentions: [address] }, { commitment: this.options.commitment }],
          }),
        ),
      );
    });
    socket.on('message', (data) => {
      isAlive = true;
      const transaction = parse(String(data));
      if (transaction) this.options.onTransaction(transaction);
    });
    socket.on('error', () => undefined); // 'close' follows
    socket.on('close', () => {
      clearInterval(heartbeat);
      this.reconnect();
    });
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket?.terminate();
  }

  private reconnect(): void {
    if (this.closed) return;
    this.ended += 1;
    // Each is tried at once, and all of them again after a pause.
    const isEachTried = this.ended % this.options.urls.length === 0;
    this.timer = setTimeout(() => this.start(), isEachTried ? this.pause : 0).unref();
    if (isEachTried) this.pause = Math.min(this.pause * 2, RECONNECT_MS.most);
  }
}

/** The default WebSocket URL of a node: the next port, as Solana's validator has it, or the same host if the URL has no port. */
export function webSocketUrlOf(rpcUrl: string): string {
  const url = new URL(rpcUrl);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  if (url.port !== '') url.port = String(Number(url.port) + 1);
  return url.href;
}

/** A `logsNotification`; undefined for anything else, such as the response to the subscription. */
function parse(text: string): LoggedTransaction | undefined {
  try {
    const message = JSON.parse(text) as {
      method?: unknown;
      params?: {
        result?: { context?: { slot?: unknown }; value?: { signature?: unknown; err?: TransactionError | null; logs?: unknown } };
      };
    };
    const { context, value } = message.params?.result ?? {};
    if (message.method !== 'logsNotification' || typeof value?.signature !== 'string' || typeof context?.slot !== 'number')
      return undefined;
    return {
      signature: value.signature,
      slot: context.slot,
      error: value.err ?? null,
      logs: Array.isArray(value.logs) ? value.logs.map(String) : [],
    };
  } catch {
    return undefined;
  }
}
