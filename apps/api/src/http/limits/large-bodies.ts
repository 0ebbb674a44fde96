/** Requests with large bodies, which cost time and memory until they are answered. */
import type { Request, Response } from 'express';
import { findCaller } from '../caller';
import { addressOf, TooManyAtOnce } from './rate-limit';

/** A body from this size on counts, in bytes. */
const LARGE_BYTES = 16 * 1024;
/** The most at once of one key, or without a key of one address. More than the payments that a key may have under way. */
const MAX_AT_ONCE = 64;

const underWay = new Map<string, number>();

/** Counts a request with a large body, or one of unknown size, until it is answered. @throws TooManyAtOnce before the body is read. */
export function countLargeBody(request: Request, response: Response): void {
  const isLarge = request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length']) >= LARGE_BYTES;
  if (!isLarge) return;
  const subject = findCaller(request)?.keyId ?? addressOf(request);
  const count = underWay.get(subject) ?? 0;
  if (count >= MAX_AT_ONCE)
    throw new TooManyAtOnce('Too many requests with large bodies are under way: repeat the request when one has ended.');
  underWay.set(subject, count + 1);
  response.once('close', () => {
    const left = (underWay.get(subject) ?? 1) - 1;
    if (left > 0) underWay.set(subject, left);
    else underWay.delete(subject);
  });
}
