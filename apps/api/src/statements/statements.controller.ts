import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AgentAllowed } from '../http/access';
import { Answers } from '../http/answers';
import { Caller, requireCover } from '../http/caller';
import { streamCsv, streamJson } from '../lists/csv-stream';
import { StatementQuery, type StatementView } from './statements.dto';
import { StatementsService } from './statements.service';

@Controller('accounts')
export class StatementsController {
  constructor(private readonly statements: StatementsService) {}

  /**
   * Returns the statement of an account for a month: its records between the opening and the closing balance.
   *
   * With `Accept: text/csv` as CSV: the columns of `GET /v1/transactions` and `balance_usdc`, with a first row of type `opening` and a last one
   * of type `closing`. The running month ends now, and agrees with the chain: while a payment is on its way, the answer is 503.
   */
  @Get(':id/statement')
  @AgentAllowed()
  @Answers({ contents: ['text/csv'], errors: ['chain_unavailable'] })
  async statement(
    @Param('id') id: string,
    @Query() { month }: StatementQuery,
    @Caller() caller: Caller,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<StatementView | void> {
    requireCover(caller, id);
    response.vary('Accept');
    if (request.accepts(['json', 'csv']) === 'csv')
      await streamCsv(
        `statement-${id}${month === undefined ? '' : `-${month}`}.csv`,
        this.statements.csv(caller.operatorId, id, month),
        response,
      );
    else await streamJson(this.statements.json(caller.operatorId, id, month), response);
  }
}
