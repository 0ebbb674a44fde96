import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { countLargeBody } from './large-bodies';
import { TooManyAtOnce } from './rate-limit';

const AT_ONCE = 64;
const requestOf = (ip: string, headers: Record<string, string>): Request => ({ ip, headers }) as never;
const aResponse = (): Response & EventEmitter => new EventEmitter() as never;

/** Counts requests with large bodies from an address. */
function fill(ip: string): (Response & EventEmitter)[] {
  return Array.from({ length: AT_ONCE }, () => {
    const response = aResponse();
    countLargeBody(requestOf(ip, { 'content-length': '16384' }), response);
    return response;
  });
}

test('64 requests of one address with large bodies are taken at once, and another when one is answered', () => {
  const [first] = fill('192.0.2.1');
  const again = (): void => countLargeBody(requestOf('192.0.2.1', { 'content-length': '16384' }), aResponse());
  expect(again).toThrow(TooManyAtOnce);
  first?.emit('close');
  expect(again).not.toThrow();
  expect(again).toThrow(TooManyAtOnce);
});

test('small bodies, and those of other addresses, are taken meanwhile; a body of unknown size counts', () => {
  fill('192.0.2.2');
  const headers = { 'transfer-encoding': 'chunked' };
  expect(() => countLargeBody(requestOf('192.0.2.2', { 'content-length': '16383' }), aResponse())).not.toThrow();
  expect(() => countLargeBody(requestOf('192.0.2.3', headers), aResponse())).not.toThrow();
  expect(() => countLargeBody(requestOf('192.0.2.2', headers), aResponse())).toThrow(TooManyAtOnce);
});
