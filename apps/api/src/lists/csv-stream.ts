/** Sends long answers in chunks, as the reader takes them. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Logger } from '@nestjs/common';
import type { Response } from 'express';
import { messageOf } from '../runtime/observability/message-of';

/** How long the reader of an export may read nothing. */
const STALL_TIMEOUT_MS = 2 * 60_000;
/** A response here has eleven listeners of its close: four of the request, seven of the pipeline. Node.js warns of more than ten by default. */
const MAX_LISTENERS = 20;

const logger = new Logger('Exports');

/** The part of a list that a file has. */
export interface FileScope {
  /** The account's handle or id. */
  account?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

/** The name of a file: what it lists, of which account, and the first and the last day of UTC of which it may have rows. */
export function fileName(what: string, { account, since, until }: FileScope): string {
  // A list's rows are after `since`: the page sends the last millisecond before the first day.
  const from = since && dayOf(new Date(since).getTime() + 1);
  const to = until && dayOf(new Date(until).getTime());
  return `${[what, account, from && `from-${from}`, to && `to-${to}`].filter(Boolean).join('-')}.csv`;
}

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

/** Sends CSV as a file. @throws as `streamChunks` */
export function streamCsv(name: string, chunks: AsyncGenerator<string>, response: Response): Promise<void> {
  const headers = {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${name}"`,
  };
  return streamChunks(chunks, response, headers);
}

/** Sends a JSON text. @throws as `streamChunks` */
export function streamJson(chunks: AsyncGenerator<string>, response: Response): Promise<void> {
  return streamChunks(chunks, response, { 'Content-Type': 'application/json; charset=utf-8' });
}

/** Sends chunks. An error before the first one is thrown, and answered like any other; later it ends the connection. */
async function streamChunks(chunks: AsyncGenerator<string>, response: Response, headers: Record<string, string>): Promise<void> {
  const first = await chunks.next();
  response.set(headers);
  response.setMaxListeners(MAX_LISTENERS);
  response.setTimeout(STALL_TIMEOUT_MS, () => void response.destroy());
  try {
    await pipeline(Readable.from(rest(first, chunks), { highWaterMark: 1 }), response);
  } catch (error) {
    // The reader has left, or has a part of the file: the missing last chunk shows that it is incomplete.
    logger.warn(`An answer ended early: ${messageOf(error)}`);
  }
}

async function* rest(first: IteratorResult<string, unknown>, chunks: AsyncGenerator<string>): AsyncGenerator<string> {
  if (first.done === true) return;
  yield first.value;
  yield* chunks;
}
