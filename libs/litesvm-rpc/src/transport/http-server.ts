/** JSON-RPC over HTTP, as agave serves it. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Dispatcher } from '../rpc/dispatch';

const MAX_BODY_BYTES = 1024 * 1024;
const KEEP_ALIVE_MS = 120_000;

/** A server that is not listening yet. */
export function createHttpServer(dispatcher: Dispatcher): Server {
  const server = createServer((request, response) => {
    if (request.method === 'GET' && request.url === '/health') return answer(response, 200, 'ok', 'text/plain');
    if (request.method !== 'POST') return reject(response, 405, 'Used HTTP Method is not allowed. POST or OPTIONS is required\n');
    // Also rejects web pages: a browser sends this content type to another origin only after a preflight, which is not answered.
    if (!request.headers['content-type']?.startsWith('application/json')) {
      return reject(response, 415, 'Supplied content type is not allowed. Content-Type: application/json is required\n');
    }
    readBody(request, (body) => {
      if (body === undefined) return reject(response, 413, 'The request is too large.\n');
      answer(response, 200, dispatcher.answer(body), 'application/json; charset=utf-8');
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

function readBody(request: IncomingMessage, onBody: (body: string | undefined) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0; // Read to its end, but not kept.
  });
  request.on('end', () => onBody(size > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString()));
  request.on('error', () => undefined); // The client disconnected.
}

function reject(response: ServerResponse, status: number, text: string): void {
  answer(response, status, text, 'text/plain; charset=utf-8');
}

function answer(response: ServerResponse, status: number, body: string, type: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
