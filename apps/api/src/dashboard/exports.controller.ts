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
import { csvHeader, csvLine } from '../lists/csv';
import { streamCsv } from '../lists/csv-stream';
import { AccountSelection } from '../accounts';
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
    private readonly selection: AccountSelection,
  ) {}

  @Get('transfers.csv')
  async transfers(@Query() query: ListTransfersQuery, @Caller() caller: Caller, @Res() response: Response): Promise<void> {
    await streamCsv(
      'transfers.csv',
      this.csvOf<TransferView>(caller, this.transferList.every(caller, filtersOf(query)), {
        columns: TRANSFER_COLUMNS,
        accountOf: ({ from }) => from,
      }),
      response,
    );
  }

  @Get('payments.csv')
  async payments(@Query() query: FilteredPaymentsQuery, @Caller() caller: Caller, @Res() response: Response): Promise<void> {
    await streamCsv(
      'payments.csv',
      this.csvOf<PaymentView>(caller, this.paymentLists.every(caller, filtersOf(query)), {
        columns: PAYMENT_COLUMNS,
        accountOf: ({ account_id }) => account_id,
      }),
      response,
    );
  }

  /** The rows as CSV, each with the labels that its account has now, joined by a space. */
  private async *csvOf<Row extends object>(
    { operatorId }: Caller,
    chunks: AsyncGenerator<Row[]>,
    { columns, accountOf }: { columns: readonly (keyof Row & string)[]; accountOf: (row: Row) => string },
  ): AsyncGenerator<string> {
    let head = csvHeader([...columns, 'labels']);
    for await (const rows of chunks) {
      const labels = await this.selection.labelsOf(operatorId, [...new Set(rows.map(accountOf))]);
      const labelled = rows.map((row) => ({ ...row, labels: (labels.get(accountOf(row)) ?? []).join(' ') }));
      yield head + labelled.map((row) => csvLine<Row & { labels: string }>([...columns, 'labels'], row)).join('');
      head = '';
    }
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
