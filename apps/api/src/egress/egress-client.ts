import { Socket, type LookupFunction } from 'node:net';
import { Injectable, Optional, type OnModuleDestroy } from '@nestjs/common';
import { Client, buildConnector, type Dispatcher } from 'undici';
import { Config } from '../runtime/config';
import { ConnectionPool } from './connection-pool';
import { OutsideNames } from './dns';
import { addressIn, isOutsideAddress, outsideUrlDefect } from './url-policy';

/** Response headers are read up to this size, in bytes. */
const MAX_HEADER_BYTES = 64 * 1024;
/** A connection that stood idle for longer is not used again: servers close theirs after five seconds and more. */
const MAX_IDLE_MS = 1_000;

export interface OutsideRequest {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  headers: Record<string, string>;
  body?: string | Buffer;
  /** For the whole exchange: names, connection, headers and as much of the body as is kept. */
  timeoutMs: number;
  /** So much of the answer's body is kept; the rest is not even read. */
  maxBodyBytes: number;
  /** Asked when the connection stands and nothing is sent yet: what it throws ends the exchange. Not for what goes over a standing one. */
  beforeSending?: () => Promise<void>;
  /** A connection of its own, closed afterwards, if nothing is said; a new one that is left standing; or one that was left standing by an exchange with this origin. */
  connection?: 'new' | 'standing';
  /** What was sent over a standing connection that breaks is sent once more, over a new one. */
  repeatable?: boolean;
}

export interface OutsideAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** Whether the body was longer than what is kept, or broke off, or took too long. */
  truncated: boolean;
}

/** No answer: the reason as a sentence without its point, with nothing of this network's inside in it. */
export class OutsideError extends Error {}

/**
 * Calls URLs that callers name. A name is resolved once; every address of it is judged, and one bad one refuses all; then
 * exactly these are connected to, so that a name server which answers differently the next time gains nothing. Redirects are
 * answers like any other. An exchange has a connection of its own unless it says otherwise: a kept one might break under a
 * request that then nobody knows the fate of.
 */
@Injectable()
export class EgressClient implements OnModuleDestroy {
  private readonly kept = new ConnectionPool();

  constructor(
    private readonly config: Config,
    @Optional() private readonly names: OutsideNames = new OutsideNames(),
  ) {}

  /** @throws OutsideError when there is no answer, and whatever `beforeSending` throws. */
  async fetch(request: OutsideRequest): Promise<OutsideAnswer> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), request.timeoutMs);
    try {
      return await this.exchange(request, timeout.signal);
    } catch (error) {
      if (timeout.signal.aborted) throw new OutsideError(`No answer within ${request.timeoutMs / 1000} s`);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  onModuleDestroy(): void {
    this.kept.closeAll();
  }

  private async exchange(request: OutsideRequest, signal: AbortSignal): Promise<OutsideAnswer> {
    const defect = outsideUrlDefect(request.url, { allowPrivate: this.config.ALLOW_PRIVATE_URLS });
    if (defect) throw new OutsideError(`The URL ${defect}`);
    const standing = request.connection === 'standing' ? this.kept.take(new URL(request.url).origin) : undefined;
    try {
      if (standing) return await this.over(standing, request, signal);
    } catch (error) {
      if (!request.repeatable || signal.aborted) throw error;
    }
    return this.dialled(request, signal);
  }

  /** Over a new connection. */
  private async dialled(request: OutsideRequest, signal: AbortSignal): Promise<OutsideAnswer> {
    const { origin, hostname } = new URL(request.url);
    const addresses = await abortable(this.judgedAddresses(hostname, signal), signal);
    let refusal: unknown;
    const dial = buildConnector({ timeout: request.timeoutMs, lookup: pinned(addresses) });
    const connect: buildConnector.connector = (options, callback) => {
      const dialled: unknown = dial(options, (error, socket) => {
        if (error || !socket) return callback(error ?? new Error('no socket'), null);
        const ready = this.mayTalkTo(socket.remoteAddress)
          ? (request.beforeSending?.() ?? Promise.resolve())
          : Promise.reject(new OutsideError('The address is not allowed'));
        ready.then(
          () => callback(null, socket),
          (reason: unknown) => {
            refusal = reason;
            socket.destroy();
            callback(new Error('refused'), null);
          },
        );
      });
      // undici stops waiting for a connection that is given up, and leaves it dialling.
      if (dialled instanceof Socket) signal.addEventListener('abort', () => dialled.destroy());
    };
    const kept = { keepAliveTimeout: MAX_IDLE_MS, keepAliveMaxTimeout: MAX_IDLE_MS };
    const client = new Client(origin, {
      connect,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      ...kept,
    });
    try {
      return await this.over(client, request, signal);
    } catch (error) {
      throw refusal ?? error;
    }
  }

  private async over(client: Client, request: OutsideRequest, signal: AbortSignal): Promise<OutsideAnswer> {
    const { origin, pathname, search } = new URL(request.url);
    const { method, headers, body, connection } = request;
    let isWhole = false;
    try {
      // undici notices the signal only once there is a connection.
      const answer = await abortable(
        client.request({ path: pathname + search, method, headers, body, signal, reset: !connection }),
        signal,
      );
      const read = await readBody(answer.body, request.maxBodyBytes);
      isWhole = !read.truncated;
      return { status: answer.statusCode, headers: answer.headers, ...read };
    } catch (error) {
      throw new OutsideError(sentenceOf(error));
    } finally {
      if (connection && isWhole) this.kept.keep(origin, client);
      else client.destroy().catch(() => undefined);
    }
  }

  /** The addresses of the URL's host, all of them allowed. @throws OutsideError */
  private async judgedAddresses(hostname: string, signal: AbortSignal): Promise<string[]> {
    const allowPrivate = this.config.ALLOW_PRIVATE_URLS;
    const literal = addressIn(hostname);
    if (literal !== undefined) return [literal];
    const addresses = allowPrivate ? await this.names.resolveHere(hostname, signal) : await this.names.resolve(hostname, signal);
    if (addresses.length === 0) throw new OutsideError('The name has no address');
    if (!addresses.every((address) => allowPrivate || isOutsideAddress(address)))
      throw new OutsideError('The name leads to a private or reserved address');
    return addresses;
  }

  private mayTalkTo(address: string | undefined): boolean {
    return this.config.ALLOW_PRIVATE_URLS || (address !== undefined && isOutsideAddress(address));
  }
}

/** Answers every question for a name with the addresses that were judged. */
function pinned(addresses: string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_hostname, options, callback) => {
    const [first] = found;
    if (!first) callback(new Error('no address'), '', 4);
    else if (options.all) callback(null, found);
    else callback(null, first.address, first.family);
  };
}

/** The body's first bytes. What breaks off afterwards, or never ends, was an answer all the same. */
async function readBody(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<{ body: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) break;
    }
  } catch {
    return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: true };
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: bytes > maxBytes };
}

function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    work.then(resolve, reject);
  });
}

const SENTENCES: Partial<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was cut before an answer came',
  EPIPE: 'The connection was cut before an answer came',
  UND_ERR_SOCKET: 'The connection was cut before an answer came',
  ETIMEDOUT: 'The connection was not answered',
  UND_ERR_CONNECT_TIMEOUT: 'The connection was not answered',
  EHOSTUNREACH: 'The address cannot be reached',
  ENETUNREACH: 'The address cannot be reached',
  UND_ERR_HEADERS_OVERFLOW: 'The answer has too many headers',
};

/** Codes of certificates say CERT, SELF_SIGNED, ERR_TLS or ERR_SSL. */
function sentenceOf(error: unknown): string {
  const { name, code, errors } = error as { name?: unknown; code?: unknown; errors?: unknown };
  // Of several addresses none could be connected to: each has an error of its own.
  if (Array.isArray(errors) && errors.length > 0) return sentenceOf(errors[0]);
  if (name === 'HTTPParserError') return 'The answer is not HTTP';
  if (typeof code !== 'string') return 'The exchange failed';
  return SENTENCES[code] ?? (/CERT|SIGNED|TLS|SSL|EPROTO/.test(code) ? `TLS failed: ${code}` : `The exchange failed: ${code}`);
}
