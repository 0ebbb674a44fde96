import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { HistoryService, ListTransactionsQuery, type RecordView } from '../../accounts';
import { AgentAllowed } from '../../http/access';
import { Answers } from '../../http/answers';
import { Caller } from '../../http/caller';
import { fileName, streamCsv } from '../../lists/csv-stream';
import type { Page } from '../../lists/pages';
import { RecordFiles } from './record-files';

/** The records of all accounts. */
@Controller('transactions')
export class TransactionsController {
  constructor(
    private readonly history: HistoryService,
    private readonly files: RecordFiles,
  ) {}

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
    const { account_id: account, since, until } = query;
    await streamCsv(fileName('transactions', { account, since, until }), this.files.csv(this.history.every(caller, filters)), response);
  }
}
