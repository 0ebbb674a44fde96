/** A WebSocket that tells of every transaction that mentions certain addresses. */
import type { TransactionError } from '@solana/web3.js';
import WebSocket from 'ws';

/** After a loss: soon, then less and less often. */
const RECONNECT_MS = { first: 250, most: 10_000 };
/** A connection that does not answer a ping by the next one is dead. */
const PING_EVERY_MS = 15_000;
const HANDSHAKE_TIMEOUT_MS = 5_000;

/** A transaction that reached the commitment, or failed at it. */
export interface LoggedTransaction {
  signature: string;
  slot: number;
  error: TransactionError | null;
  logs: string[];
}

export interface LogFeedOptions {
  url: string;
  mentions: string[];
  commitment: 'confirmed' | 'finalized';
  tell(transaction: LoggedTransaction): void;
}

/**
 * One `logsSubscribe` an address, for as long as the process lives. What it misses while it is disconnected, polling finds;
 * so it is silent about its losses. It keeps no process alive. web3.js's own client is not used because it writes to the
 * console at every attempt.
 */
export class LogFeed {
  private socket: WebSocket | undefined;
  private pause = RECONNECT_MS.first;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(private readonly options: LogFeedOptions) {}

  start(): void {
    const socket = new WebSocket(this.options.url, { handshakeTimeout: HANDSHAKE_TIMEOUT_MS, maxPayload: 16 * 1024 * 1024 });
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
      if (transaction) this.options.tell(transaction);
    });
    socket.on('error', () => undefined); // a close follows
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
    this.timer = setTimeout(() => this.start(), this.pause).unref();
    this.pause = Math.min(this.pause * 2, RECONNECT_MS.most);
  }
}

/** The WebSocket of a node, where nobody names it: the next port, as Solana has it, or the same host where no port is given. */
export function webSocketUrlOf(rpcUrl: string): string {
  const url = new URL(rpcUrl);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  if (url.port !== '') url.port = String(Number(url.port) + 1);
  return url.href;
}

/** A `logsNotification`; anything else, an answer to our subscription or nonsense, is nothing. */
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
