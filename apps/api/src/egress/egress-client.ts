import { Socket, type LookupFunction } from 'node:net';
import { Injectable, Optional, type OnModuleDestroy } from '@nestjs/common';
import { Client, buildConnector } from 'undici';
import { Config } from '../runtime/config';
import { ConnectionPool } from './connection-pool';
import { NameResolver } from './dns';
import { EgressError, failureOf } from './egress.errors';
import { bounded, readWhole } from './response-body';
import { addressIn, isPublicAddress, egressUrlDefect } from './url-policy';

/** Response headers are read up to this size, in bytes. */
const MAX_HEADER_BYTES = 64 * 1024;
/** A connection that was idle for longer is not used again: servers close theirs after five seconds and more. */
const MAX_IDLE_MS = 1_000;

/** One exchange with a server that a caller named. */
export interface EgressRequest {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  headers: Record<string, string>;
  body?: string | Buffer;
  /** For the whole exchange: name resolution, connection, headers and the part of the body that is read. */
  timeoutMs: number;
  /** How much of the response's body is read, by its status. */
  maxBodyBytes: (status: number) => number;
  /** Called on a new connection before anything is sent. An error that it throws ends the exchange. */
  beforeSending?: () => Promise<void>;
  /**
   * `new`: a new connection, which goes into the pool afterwards. `pooled`: one from the pool, else a new one. Default: a new connection
   * that is closed afterwards.
   */
  connection?: 'new' | 'pooled';
  /** Whether a request over a pooled connection that breaks may be sent again, over a new one. */
  repeatable?: boolean;
}

export interface EgressResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** Whether the body was longer than what is read, ended early, or took too long. */
  truncated: boolean;
}

/** A response whose body is read as it comes. */
export interface LiveResponse {
  status: number;
  headers: EgressResponse['headers'];
  /** The body, to its limit. Iterating throws EgressError if the body is longer, ends early, or takes too long. Iterate it once. */
  body: AsyncIterable<Buffer>;
  /** Ends the exchange if its body is not read to the end. May be called again. */
  close(): void;
}

/** The time that an exchange may take. */
interface Timing {
  signal: AbortSignal;
  /** Stops the time: the exchange is over. */
  done: () => void;
}

/**
 * Calls URLs that callers name. A name is resolved once, and every one of its addresses is checked: one private address rejects the
 * request. Only the checked addresses are connected to, so that a name server gains nothing by another answer later (DNS rebinding).
 * Redirects are not followed. By default an exchange has its own connection: a pooled one might break during a request whose outcome is
 * then unknown.
 */
@Injectable()
export class EgressClient implements OnModuleDestroy {
  private readonly pool = new ConnectionPool();

  constructor(
    private readonly config: Config,
    @Optional() private readonly names: NameResolver = new NameResolver(),
  ) {}

  /** @throws EgressError if there is no response, and the error that `beforeSending` throws. */
  async fetch(request: EgressRequest): Promise<EgressResponse> {
    const { status, headers, body } = await this.open(request);
    return { status, headers, ...(await readWhole(body)) };
  }

  /**
   * Like `fetch`, and returns as soon as status and headers are there. The limits of the request hold for the body too: read it or close it.
   * @throws as `fetch` does
   */
  async open(request: EgressRequest): Promise<LiveResponse> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), request.timeoutMs);
    try {
      return await this.exchange(request, { signal: timeout.signal, done: () => clearTimeout(timer) });
    } catch (error) {
      clearTimeout(timer);
      if (timeout.signal.aborted) throw new EgressError(`No answer within ${request.timeoutMs / 1000} s`);
      throw error;
    }
  }

  onModuleDestroy(): void {
    this.pool.closeAll();
  }

  private async exchange(request: EgressRequest, timing: Timing): Promise<LiveResponse> {
    const defect = egressUrlDefect(request.url, { allowPrivate: this.config.ALLOW_PRIVATE_URLS });
    if (defect) throw new EgressError(`The URL ${defect}`);
    const pooled = request.connection === 'pooled' ? this.pool.take(new URL(request.url).origin) : undefined;
    try {
      if (pooled) return await this.over(pooled, request, timing);
    } catch (error) {
      if (!request.repeatable || timing.signal.aborted) throw error;
    }
    return this.connect(request, timing);
  }

  /** Sends a request over a new connection. */
  private async connect(request: EgressRequest, timing: Timing): Promise<LiveResponse> {
    const { signal } = timing;
    const { origin, hostname } = new URL(request.url);
    const addresses = await abortable(this.checkedAddresses(hostname, signal), signal);
    let rejection: unknown;
    const dial = buildConnector({ timeout: request.timeoutMs, lookup: pinned(addresses) });
    const connector: buildConnector.connector = (options, callback) => {
      const dialing: unknown = dial(options, (error, socket) => {
        if (error || !socket) return callback(error ?? new Error('no socket'), null);
        const ready = this.isAllowed(socket.remoteAddress)
          ? (request.beforeSending?.() ?? Promise.resolve())
          : Promise.reject(new EgressError('The address is not allowed'));
        ready.then(
          () => callback(null, socket),
          (reason: unknown) => {
            rejection = reason;
            socket.destroy();
            callback(new Error('rejected'), null);
          },
        );
      });
      // undici stops waiting for a connection that is given up, and leaves its socket open.
      if (dialing instanceof Socket) signal.addEventListener('abort', () => dialing.destroy());
    };
    const client = new Client(origin, {
      connect: connector,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: MAX_IDLE_MS,
      keepAliveMaxTimeout: MAX_IDLE_MS,
    });
    try {
      return await this.over(client, request, timing);
    } catch (error) {
      throw rejection ?? error;
    }
  }

  private async over(client: Client, request: EgressRequest, { signal, done }: Timing): Promise<LiveResponse> {
    const { origin, pathname, search } = new URL(request.url);
    const { method, headers, body, connection } = request;
    const destroy = (): void => void client.destroy().catch(() => undefined);
    try {
      // undici notices the signal only once there is a connection.
      const answer = await abortable(
        client.request({ path: pathname + search, method, headers, body, signal, reset: !connection }),
        signal,
      );
      let isOver = false;
      const end = (isWhole: boolean): void => {
        if (isOver) return;
        isOver = true;
        done();
        if (connection && isWhole) this.pool.put(origin, client);
        else destroy();
      };
      const { statusCode: status } = answer;
      return {
        status,
        headers: answer.headers,
        body: bounded(answer.body, request.maxBodyBytes(status), end),
        close: () => {
          // Bytes that undici has read and nobody takes would be an error without a listener.
          answer.body.on('error', () => undefined);
          end(false);
        },
      };
    } catch (error) {
      destroy();
      throw failureOf(error);
    }
  }

  /** The addresses of the URL's host, all of them allowed. @throws EgressError */
  private async checkedAddresses(hostname: string, signal: AbortSignal): Promise<string[]> {
    const allowPrivate = this.config.ALLOW_PRIVATE_URLS;
    const literal = addressIn(hostname);
    if (literal !== undefined) return [literal];
    const addresses = allowPrivate ? await this.names.resolveLocally(hostname, signal) : await this.names.resolve(hostname, signal);
    if (addresses.length === 0) throw new EgressError('The name has no address');
    if (!addresses.every((address) => allowPrivate || isPublicAddress(address)))
      throw new EgressError('The name leads to a private or reserved address');
    return addresses;
  }

  private isAllowed(address: string | undefined): boolean {
    return this.config.ALLOW_PRIVATE_URLS || (address !== undefined && isPublicAddress(address));
  }
}

/** A lookup that answers with the checked addresses. */
function pinned(addresses: string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_hostname, options, callback) => {
    const [first] = found;
    if (!first) callback(new Error('no address'), '', 4);
    else if (options.all) callback(null, found);
    else callback(null, first.address, first.family);
  };
}

function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    work.then(resolve, reject);
  });
}
