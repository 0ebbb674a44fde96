import { Controller, Get, Query, Res, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import type { Response } from 'express';
import { AccountSelection, HistoryService, ListTransactionsQuery } from '../../accounts';
import { Public } from '../../http/access';
import { Caller } from '../../http/caller';
import { IsText } from '../../http/validation/checks';
import { csvHeader, csvLine, signedUsdc } from '../../lists/csv';
import { fileName, streamCsv } from '../../lists/csv-stream';
import { OrderFees } from '../../orders';
import { PaymentListsService, type PaymentView } from '../../payments';
import { nameOf, RecordFiles, StatementQuery, StatementsService } from '../../statements';
import { ListTransfersQuery, TransfersService, type TransferView } from '../../transfers';
import { BrowserSessionGuard } from '../sign-in/browser-session.guard';
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

/** The filters that the name of a file tells. */
interface FileFilters {
  account_id?: string;
  since?: string;
  until?: string;
}

/** The columns of a file, and what a row tells of the accounts. */
interface CsvShape<Row> {
  columns: readonly (keyof Row & string)[];
  /** The columns of the accounts' names. */
  parties: readonly string[];
  accountOf: (row: Row) => string;
  /** The account of each of those columns, by its id or handle. */
  partiesOf: (row: Row) => Record<string, string>;
  /** Whether the amount left the account. */
  hasPaid: (row: Row) => boolean;
}

/** The columns of every file, behind its own. */
const COMMON_COLUMNS = ['signed_amount_usdc', 'fee_lamports', 'labels'] as const;

const TRANSFERS: CsvShape<TransferView> = {
  columns: TRANSFER_COLUMNS,
  parties: ['from_name', 'to_name'],
  accountOf: ({ from }) => from,
  partiesOf: ({ from, to }) => ({ from_name: from, to_name: to }),
  hasPaid: ({ status }) => status === 'settled',
};

const PAYMENTS: CsvShape<PaymentView> = {
  columns: PAYMENT_COLUMNS,
  parties: ['account_name'],
  accountOf: ({ account_id }) => account_id,
  partiesOf: ({ account_id }) => ({ account_name: account_id }),
  hasPaid: ({ status }) => status === 'paid' || status === 'paid_unreceipted',
};

/** A row that may have been paid by a transaction of the service's. */
interface ExportedRow {
  amount_usdc: string | null;
  tx_signature?: string | null;
}

/** The account and the month of a statement. */
export class StatementFileQuery extends StatementQuery {
  @IsText({ min: 1, max: 128 })
  account_id: string;
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
    private readonly history: HistoryService,
    private readonly statements: StatementsService,
    private readonly selection: AccountSelection,
    private readonly files: RecordFiles,
    private readonly fees: OrderFees,
  ) {}

  @Get('transfers.csv')
  async transfers(@Query() query: ListTransfersQuery, @Caller() caller: Caller, @Res() response: Response): Promise<void> {
    const rows = this.transferList.every(caller, filtersOf(query));
    await streamCsv(await this.nameOf('transfers', caller, query), this.csvOf(caller, rows, TRANSFERS), response);
  }

  @Get('payments.csv')
  async payments(@Query() query: FilteredPaymentsQuery, @Caller() caller: Caller, @Res() response: Response): Promise<void> {
    const rows = this.paymentLists.every(caller, filtersOf(query));
    await streamCsv(await this.nameOf('payments', caller, query), this.csvOf(caller, rows, PAYMENTS), response);
  }

  @Get('transactions.csv')
  async transactions(@Query() query: ListTransactionsQuery, @Caller() caller: Caller, @Res() response: Response): Promise<void> {
    const { cursor: _cursor, ...filters } = query;
    await streamCsv(await this.nameOf('transactions', caller, query), this.files.csv(this.history.every(caller, filters)), response);
  }

  @Get('statement.csv')
  async statement(@Query() query: StatementFileQuery, @Caller() { operatorId }: Caller, @Res() response: Response): Promise<void> {
    const { account_id: id, month = nameOf(new Date()) } = query;
    const handle = (await this.selection.namesOf(operatorId, [id])).get(id)?.handle;
    await streamCsv(fileName('statement', { account: `${handle ?? id}-${month}` }), this.statements.csv(operatorId, id, month), response);
  }

  private async nameOf(what: string, { operatorId }: Caller, query: FileFilters): Promise<string> {
    const { account_id: account, since, until } = query;
    const names = account === undefined ? undefined : await this.selection.namesOf(operatorId, [account]);
    return fileName(what, { account: account === undefined ? undefined : names?.get(account)?.handle, since, until });
  }

  /** The rows as CSV, each with the names of its accounts, what it cost, and the labels that its account has now. */
  private async *csvOf<Row extends ExportedRow>(
    { operatorId }: Caller,
    chunks: AsyncGenerator<Row[]>,
    { columns, parties, accountOf, partiesOf, hasPaid }: CsvShape<Row>,
  ): AsyncGenerator<string> {
    const all = [...columns, ...parties, ...COMMON_COLUMNS];
    let head = csvHeader(all);
    for await (const rows of chunks) {
      const [labels, accounts, feeOf] = await Promise.all([
        this.selection.labelsOf(operatorId, [...new Set(rows.map(accountOf))]),
        this.selection.namesOf(operatorId, [...new Set(rows.flatMap((row) => Object.values(partiesOf(row))))]),
        this.fees.bySignature(rows.map(({ tx_signature }) => tx_signature)),
      ]);
      const lines = rows.map((row) => ({
        ...(row as object),
        ...Object.fromEntries(Object.entries(partiesOf(row)).map(([column, id]) => [column, accounts.get(id)?.name ?? null])),
        signed_amount_usdc: hasPaid(row) && row.amount_usdc !== null ? signedUsdc('out', row.amount_usdc) : null,
        fee_lamports: feeOf(row.tx_signature),
        labels: (labels.get(accountOf(row)) ?? []).join(' '),
      }));
      yield head + lines.map((each) => csvLine<Record<string, unknown>>(all, each)).join('');
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
