import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  Query,
  Res,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public } from '../http/access';
import { Caller, callerOf, setCaller } from '../http/caller';
import { csvHeader, csvLine } from '../http/csv';
import { streamCsv } from '../http/csv-stream';
import { BrowserSessionsService } from '../keys';
import { PaymentListsService, type PaymentView } from '../payments';
import { ListTransfersQuery, TransfersService, type TransferView } from '../transfers';
import { FilteredPaymentsQuery } from './payments.controller';

const TRANSFER_COLUMNS = [
  'transfer_id',
  'status',
  'from',
  'to',
  'amount_usdc',
  'memo',
  'category',
  'reference',
  'metadata',
  'idempotency_key',
  'rejection_reason',
  'created_by',
  'approved_by',
  'approved_at',
  'tx_signature',
  'chain_explorer_url',
  'created_at',
  'settled_at',
] as const satisfies readonly (keyof TransferView)[];

const PAYMENT_COLUMNS = [
  'payment_id',
  'status',
  'account_id',
  'amount_usdc',
  'category',
  'provider',
  'request',
  'protocol',
  'method',
  'session_id',
  'purse_id',
  'reference',
  'metadata',
  'rejection_reason',
  'tx_signature',
  'created_at',
  'settled_at',
] as const satisfies readonly (keyof PaymentView)[];

/** Authenticates a request by the browser's session alone. @throws Unauthorized */
@Injectable()
export class BrowserSessionGuard implements CanActivate {
  constructor(private readonly sessions: BrowserSessionsService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const { caller } = await this.sessions.authenticate(request);
    setCaller(request, callerOf(caller, request, http.getResponse<Response>()));
    return true;
  }
}

/**
 * The lists of the dashboard as CSV, under the same filters. A browser's download cannot send the page's header, so the cookie alone
 * authenticates these routes. That is safe, because they change nothing and no other origin can read the response.
 */
@Public()
@UseGuards(BrowserSessionGuard)
@Controller({ path: 'dashboard/data', version: VERSION_NEUTRAL })
export class ExportsController {
  constructor(
    private readonly transferList: TransfersService,
    private readonly paymentLists: PaymentListsService,
  ) {}

  @Get('transfers.csv')
  async transfers(@Query() query: ListTransfersQuery, @Caller() caller: Caller, @Res() response: Response): Promise<void> {
    await streamCsv('transfers.csv', csvOf<TransferView>(TRANSFER_COLUMNS, this.transferList.every(caller, filtersOf(query))), response);
  }

  @Get('payments.csv')
  async payments(@Query() query: FilteredPaymentsQuery, @Caller() caller: Caller, @Res() response: Response): Promise<void> {
    await streamCsv('payments.csv', csvOf<PaymentView>(PAYMENT_COLUMNS, this.paymentLists.every(caller, filtersOf(query))), response);
  }
}

/** The filters of a list without its page. */
function filtersOf<Query extends { limit: number; cursor?: string }>({
  limit: _limit,
  cursor: _cursor,
  ...filters
}: Query): Omit<Query, 'limit' | 'cursor'> {
  return filters;
}

async function* csvOf<Row extends object>(columns: readonly (keyof Row & string)[], chunks: AsyncGenerator<Row[]>): AsyncGenerator<string> {
  let head = csvHeader(columns);
  for await (const rows of chunks) {
    yield head + rows.map((row) => csvLine(columns, row)).join('');
    head = '';
  }
}
