import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Controller, Get, Logger, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AgentAllowed } from '../http/access';
import { Answers } from '../http/answers';
import { Caller } from '../http/caller';
import type { Page } from '../http/pages';
import { HistoryService } from './history.service';
import { ListTransactionsQuery, type RecordView } from './records.dto';

/** How long the reader of an export may read nothing. */
const STALL_TIMEOUT_MS = 2 * 60_000;

/** The records of all accounts. */
@Controller('transactions')
export class TransactionsController {
  private readonly logger = new Logger('Transactions');

  constructor(private readonly history: HistoryService) {}

  /**
   * Lists the history of all accounts.
   *
   * With `Accept: text/csv` the whole result is sent as CSV, and `limit` and `cursor` do not apply. Returns the page that it sent.
   */
  @Get()
  @AgentAllowed()
  @Answers({ contents: ['text/csv'] })
  async list(
    @Query() query: ListTransactionsQuery,
    @Caller() caller: Caller,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<Page<RecordView> | void> {
    response.vary('Accept');
    if (request.accepts(['json', 'csv']) !== 'csv') {
      const page = await this.history.listAll(caller, query);
      response.json(page);
      return page;
    }
    const { cursor: _cursor, ...filters } = query;
    await this.stream(this.history.csv(caller, filters), response);
  }

  /** Sends chunks as the reader takes them. An error before the first one is answered as any other; later it ends the connection. */
  private async stream(chunks: AsyncGenerator<string>, response: Response): Promise<void> {
    const first = await chunks.next();
    response.set({
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': 'attachment; filename="transactions.csv"',
    });
    response.setTimeout(STALL_TIMEOUT_MS, () => void response.destroy());
    try {
      await pipeline(Readable.from(rest(first, chunks), { highWaterMark: 1 }), response);
    } catch (error) {
      // The reader has left, or has a part of the file: the missing last chunk shows that it is incomplete.
      this.logger.warn(`An export ended early: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

async function* rest(first: IteratorResult<string, unknown>, chunks: AsyncGenerator<string>): AsyncGenerator<string> {
  if (first.done === true) return;
  yield first.value;
  yield* chunks;
}
