import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { isId, type Sql, sql, words } from '#database';
import { AccountsService } from '../accounts';
import { covers, requireCover, type Caller } from '../http/caller';
import { NotFound } from '../http/domain.errors';
import { type DryRunView, dryRunView, type Prediction } from '../http/dry-run';
import { ExplorerLinks } from '../http/explorer-links';
import { referencedBy } from '../lists/references';
import { parseUsdc } from '../money/usdc';
import { pageConditions, toPage, type Page } from '../lists/pages';
import { given } from '../persistence/merged-list';
import { unsentUnlessStored } from '../http/errors/unsent';
import {
  FINAL_AND_OPEN,
  hashOfRequest,
  InvalidRecipient,
  isRerunnable,
  Order,
  OrderDrafts,
  OrderForecasts,
  OrderLists,
  OrderReader,
  OrdersService,
  type Parties,
  partsOfKey,
  type Placed,
  RECIPIENT_REASONS,
  Recipients,
  requireNoDecline,
  type Simulated,
  UNRESOLVED_STATUSES,
} from '../orders';
import type { Signed } from '../signatures';
import { asTransfer } from './transfer';
import { transferView, type CreateTransferDto, type ListTransfersQuery, type TransferView } from './transfers.dto';

/** Transfers that are read together for an export. */
const EXPORT_PAGE = 500;
/** Fewer transfers than this are read and sorted. */
const RARE = 1_000;

/** The answer to a request. A decline is thrown. */
export interface TransferAnswer {
  status: 200 | 202;
  body: TransferView;
  headers: Record<string, string>;
}

/** The transfer API: one transfer an idempotency key. */
@Injectable()
export class TransfersService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly recipients: Recipients,
    private readonly orders: OrdersService,
    private readonly orderReader: OrderReader,
    private readonly orderDrafts: OrderDrafts,
    private readonly forecasts: OrderForecasts,
    private readonly lists: OrderLists,
    private readonly links: ExplorerLinks,
  ) {}

  create(caller: Caller, order: CreateTransferDto): Promise<TransferAnswer> {
    return unsentUnlessStored(() => this.place(caller, order));
  }

  /** The outcome that creating a transfer would have. Nothing is stored or sent. */
  dryRun(caller: Caller, request: CreateTransferDto): Promise<DryRunView> {
    return dryRunView(parseUsdc(request.amount), this.predict(caller, request));
  }

  private async place(caller: Caller, request: CreateTransferDto): Promise<TransferAnswer> {
    const { parties, earlier, draft } = await this.look(caller, request);
    if (earlier) {
      if (!isRerunnable(earlier)) return this.answer(await this.orders.replay(earlier));
      await this.recipients.require(caller, parties);
      return this.answer(await this.orders.rerun(earlier, parties));
    }
    return this.answer(await this.orders.place(caller, draft, await this.simulate(caller, draft, parties)));
  }

  private async predict(caller: Caller, request: CreateTransferDto): Promise<Prediction> {
    const { parties, earlier, draft } = await this.look(caller, request);
    if (earlier) return this.forecasts.predictRepeat(earlier, parties.payer);
    return this.forecasts.predict(draft, await this.simulate(caller, draft, parties));
  }

  /** The parties of a request, its transfer, which is not stored, and the order that holds its key. @throws NotFound, IdempotencyConflict */
  private async look(caller: Caller, request: CreateTransferDto): Promise<{ parties: Parties; earlier: Order | undefined; draft: Order }> {
    requireCover(caller, request.from);
    const [parties, stored] = await Promise.all([
      this.recipients.parties(caller.operatorId, request.from, request.to),
      this.orderReader.findByKey({ operatorId: caller.operatorId, kind: 'transfer', accountId: request.from }, request.idempotency_key),
    ]);
    const draft = await this.draft(caller, request, parties);
    return { parties, earlier: await this.orderDrafts.earlier(draft, { caller, account: parties.payer, stored }), draft };
  }

  private async draft(caller: Caller, request: CreateTransferDto, parties: Parties): Promise<Order> {
    const { operatorId } = caller;
    const { payer, destination, destinationAccountId } = parties;
    const kind = 'transfer';
    return this.orderDrafts.draft({
      id: await this.orderDrafts.newId({ operatorId, kind, idempotencyKey: request.idempotency_key }),
      kind,
      operatorId,
      accountId: payer.id,
      idempotencyKey: request.idempotency_key,
      requestHash: hashOf(request, parties),
      recipient: request.to,
      destination,
      destinationAccountId,
      microUsdc: parseUsdc(request.amount),
      memo: request.memo ?? null,
      category: request.category ?? null,
      createdBy: caller.keyId,
      byAgent: caller.type === 'agent',
      ...referencedBy(request),
    });
  }

  /** Simulates a new transfer. @throws InvalidRecipient */
  private async simulate(caller: Caller, draft: Order, parties: Parties): Promise<Simulated | undefined> {
    await this.recipients.require(caller, parties);
    const simulated = await this.forecasts.simulate(draft, parties.payer);
    if (simulated?.outcome.kind === 'failed' && RECIPIENT_REASONS.has(simulated.outcome.failure.reason))
      throw new InvalidRecipient(await this.recipients.defect(parties.destination));
    return simulated;
  }

  async show(caller: Caller, id: string): Promise<TransferView> {
    return this.view(await this.find(caller, id));
  }

  /** All transfers of a query, in chunks. Each chunk is one short statement that runs when the reader asks for it. */
  async *every(caller: Caller, query: Omit<ListTransfersQuery, 'limit' | 'cursor'>): AsyncGenerator<TransferView[]> {
    let cursor: string | undefined;
    for (;;) {
      const page = await this.list(caller, { ...query, limit: EXPORT_PAGE, ...(cursor !== undefined && { cursor }) });
      yield page.data;
      if (!page.has_more) return;
      cursor = page.data.at(-1)?.transfer_id;
    }
  }

  async list(caller: Caller, query: ListTransfersQuery): Promise<Page<TransferView>> {
    const destination = query.to === undefined ? undefined : await this.accounts.tokenAccountOf(caller.operatorId, query.to);
    const filters = [
      ...given(query.status, (status) => sql`status IN (${words(status === 'submitted' ? UNRESOLVED_STATUSES : [status])})`),
      ...given(destination, (address) => sql`destination = ${address}`),
      ...given(query.category, (category) => sql`category = ${category}`),
      ...given(query.rejection_reason, (reason) => sql`rejection_reason = ${reason}`),
      ...given(query.reference, (text) => sql`reference = ${text}`),
      ...given(query.min_amount, (amount) => sql`micro_usdc >= ${parseUsdc(amount).toString()}`),
    ];
    const accountIds = await this.accounts.listed(caller, query);
    const { idempotency_key: key, reference } = query;
    const isRare = key !== undefined || reference !== undefined || (await this.isRareAmount(caller.operatorId, query.min_amount));
    const rows = await this.lists.list({
      operatorId: caller.operatorId,
      // The few transfers with a key or a reference, or of a rare amount, are found among all of the operator's.
      accountIds: isRare ? null : accountIds,
      filters: [sql`kind = 'transfer'`, ...filters, ...pageConditions('tr', query), ...(isRare ? ofAccounts(accountIds) : [])],
      parts: key !== undefined ? partsOfKey(key) : filters.length > 0 ? FINAL_AND_OPEN : [sql`true`],
      isRare,
      limit: query.limit + 1,
    });
    return toPage(rows, query, (transfer) => this.view(transfer));
  }

  /** Whether few transfers of the operator are of at least an amount. The others are found quickly from the newest on. */
  private async isRareAmount(operatorId: string, amount: string | undefined): Promise<boolean> {
    return amount !== undefined && (await this.lists.countFrom(operatorId, parseUsdc(amount), RARE)) < RARE;
  }

  /** Approves a transfer: it is simulated again and executed. @throws SignatureRequired */
  async approve(caller: Caller, id: string, signed: Signed | null): Promise<TransferAnswer> {
    return this.answer(await this.orders.approve(await this.find(caller, id), caller, signed));
  }

  /** Denies a transfer. */
  async deny(caller: Caller, id: string, reason: string | undefined): Promise<TransferView> {
    return this.view(await this.orders.deny(await this.find(caller, id), caller, reason));
  }

  private answer({ order, headers }: Placed): TransferAnswer {
    requireNoDecline(order, headers);
    return { status: order.status === 'settled' ? 200 : 202, body: this.view(order), headers };
  }

  /** The caller's transfer. @throws NotFound, also for another's. */
  async find(caller: Caller, id: string): Promise<Order> {
    const transfer = isId('tr', id) ? await this.database.manager.findOneBy(Order, { id, operatorId: caller.operatorId }) : null;
    if (!transfer || !covers(caller, transfer.accountId)) throw new NotFound('There is no such transfer.');
    return transfer;
  }

  private view(transfer: Order): TransferView {
    return transferView(asTransfer(transfer), (signature) => this.links.transaction(signature));
  }
}

function ofAccounts(accountIds: readonly string[] | null): Sql[] {
  return accountIds === null ? [] : [sql`account_id = ANY(${accountIds})`];
}

/** The parameters that a replay must repeat: the account, the token account that is credited, the amount as a value, memo and category. */
function hashOf({ amount, memo, category }: CreateTransferDto, { payer, destination }: Parties): Buffer {
  return hashOfRequest([payer.id, destination, parseUsdc(amount).toString(), memo ?? null, category ?? null]);
}
