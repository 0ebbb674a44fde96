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

/** The columns of a file, and the accounts that a row names. */
interface CsvShape<Row> {
  columns: readonly (keyof Row & string)[];
  /** The columns of the accounts' names. */
  parties: readonly string[];
  accountOf: (row: Row) => string;
  /** The account of each of those columns, by its id or handle. */
  partiesOf: (row: Row) => Record<string, string>;
}

/** The filters that the name of a file tells. */
interface FileScope {
  account_id?: string;
  since?: string;
  until?: string;
}

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
    const rows = this.transferList.every(caller, filtersOf(query));
    const shape = {
      columns: TRANSFER_COLUMNS,
      parties: ['from_name', 'to_name'],
      accountOf: ({ from }: TransferView) => from,
      partiesOf: ({ from, to }: TransferView) => ({ from_name: from, to_name: to }),
    };
    await streamCsv(await this.nameOf('transfers', caller, query), this.csvOf<TransferView>(caller, rows, shape), response);
  }

  @Get('payments.csv')
  async payments(@Query() query: FilteredPaymentsQuery, @Caller() caller: Caller, @Res() response: Response): Promise<void> {
    const rows = this.paymentLists.every(caller, filtersOf(query));
    const shape = {
      columns: PAYMENT_COLUMNS,
      parties: ['account_name'],
      accountOf: ({ account_id }: PaymentView) => account_id,
      partiesOf: ({ account_id }: PaymentView) => ({ account_name: account_id }),
    };
    await streamCsv(await this.nameOf('payments', caller, query), this.csvOf<PaymentView>(caller, rows, shape), response);
  }

  /** The name of a file: what it lists, of which account, and from and until which day of UTC. */
  private async nameOf(what: string, { operatorId }: Caller, { account_id: account, since, until }: FileScope): Promise<string> {
    const names = account === undefined ? undefined : await this.selection.namesOf(operatorId, [account]);
    const handle = account === undefined ? undefined : names?.get(account)?.handle;
    const days = [since, until].map((moment) => moment && new Date(moment).toISOString().slice(0, 10));
    return `${[what, handle, days[0] && `from-${days[0]}`, days[1] && `to-${days[1]}`].filter(Boolean).join('-')}.csv`;
  }

  /** The rows as CSV, each with the names of its accounts, and the labels that its account has now. */
  private async *csvOf<Row extends object>(
    { operatorId }: Caller,
    chunks: AsyncGenerator<Row[]>,
    { columns, parties, accountOf, partiesOf }: CsvShape<Row>,
  ): AsyncGenerator<string> {
    let head = csvHeader([...columns, ...parties, 'labels']);
    for await (const rows of chunks) {
      const [labels, accounts] = await Promise.all([
        this.selection.labelsOf(operatorId, [...new Set(rows.map(accountOf))]),
        this.selection.namesOf(operatorId, [...new Set(rows.flatMap((row) => Object.values(partiesOf(row))))]),
      ]);
      const lines = rows.map((row) => ({
        ...row,
        ...Object.fromEntries(Object.entries(partiesOf(row)).map(([column, id]) => [column, accounts.get(id)?.name ?? null])),
        labels: (labels.get(accountOf(row)) ?? []).join(' '),
      }));
      yield head + lines.map((each) => csvLine<Record<string, unknown>>([...columns, ...parties, 'labels'], each)).join('');
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
