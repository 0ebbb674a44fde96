import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, MoreThanOrEqual } from 'typeorm';
import { isId, newId } from '#database';
import { AccountsService } from '../accounts';
import { covers, requireCover, type Caller } from '../http/caller';
import { NotFound } from '../http/domain.errors';
import { type DryRunView, dryRunView, type Prediction } from '../http/dry-run';
import { ExplorerLinks } from '../http/explorer-links';
import { referencedBy } from '../http/references';
import { parseUsdc } from '../money/usdc';
import { pageWhere, pageWindow, toPage, type Page } from '../http/pages';
import { unsentUnlessStored } from '../http/unsent';
import { Clock } from '../runtime/clock';
import {
  InvalidRecipient,
  isRerunnable,
  Order,
  OrdersService,
  type Parties,
  type Placed,
  RECIPIENT_REASONS,
  Recipients,
  requireNoDecline,
  requireSameRequest,
  type Simulated,
} from '../orders';
import { asTransfer } from './transfer';
import { transferView, type CreateTransferDto, type ListTransfersQuery, type TransferView } from './transfers.dto';

/** Transfers that are read together for an export. */
const EXPORT_PAGE = 500;

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
    private readonly clock: Clock,
    private readonly accounts: AccountsService,
    private readonly recipients: Recipients,
    private readonly orders: OrdersService,
    private readonly links: ExplorerLinks,
  ) {}

  create(caller: Caller, order: CreateTransferDto): Promise<TransferAnswer> {
    return unsentUnlessStored(() => this.place(caller, order));
  }

  /** What creating a transfer would lead to. Nothing is stored or sent. */
  dryRun(caller: Caller, request: CreateTransferDto): Promise<DryRunView> {
    return dryRunView(parseUsdc(request.amount), this.predict(caller, request));
  }

  private async place(caller: Caller, request: CreateTransferDto): Promise<TransferAnswer> {
    const { parties, earlier, requestHash } = await this.look(caller, request);
    if (earlier) {
      if (!isRerunnable(earlier)) return this.answer(await this.orders.replay(earlier));
      this.recipients.require(parties);
      return this.answer(await this.orders.rerun(earlier, parties));
    }
    const { draft, simulated } = await this.simulate(caller, request, { parties, requestHash });
    return this.answer(await this.orders.place(draft, simulated));
  }

  private async predict(caller: Caller, request: CreateTransferDto): Promise<Prediction> {
    const { parties, earlier, requestHash } = await this.look(caller, request);
    if (earlier) return this.orders.predictRepeat(earlier, parties.payer);
    const { draft, simulated } = await this.simulate(caller, request, { parties, requestHash });
    return this.orders.predict(draft, simulated);
  }

  /** The parties of a request, and the order that holds its key. @throws NotFound, IdempotencyConflict */
  private async look(
    caller: Caller,
    request: CreateTransferDto,
  ): Promise<{ parties: Parties; earlier: Order | undefined; requestHash: Buffer }> {
    requireCover(caller, request.from);
    const requestHash = hashOf(request);
    const [parties, earlier] = await Promise.all([
      this.recipients.parties(caller.operatorId, request.from, request.to),
      this.orders.findByKey(caller.operatorId, 'transfer', request.idempotency_key),
    ]);
    if (earlier) requireSameRequest(earlier, requestHash);
    return { parties, earlier, requestHash };
  }

  /** A new transfer, simulated and not stored. @throws InvalidRecipient */
  private async simulate(
    caller: Caller,
    request: CreateTransferDto,
    { parties, requestHash }: { parties: Parties; requestHash: Buffer },
  ): Promise<{ draft: Order; simulated: Simulated | undefined }> {
    this.recipients.require(parties);
    const { payer, destination, destinationAccountId } = parties;
    const draft = this.orders.draft({
      id: newId('tr', this.clock.now()),
      kind: 'transfer',
      operatorId: caller.operatorId,
      accountId: payer.id,
      idempotencyKey: request.idempotency_key,
      requestHash,
      recipient: request.to,
      destination,
      destinationAccountId,
      microUsdc: parseUsdc(request.amount),
      memo: request.memo ?? null,
      category: request.category ?? null,
      createdBy: caller.keyId,
      ...referencedBy(request),
    });
    const simulated = await this.orders.simulate(draft, payer);
    if (simulated?.outcome.kind === 'failed' && RECIPIENT_REASONS.has(simulated.outcome.failure.reason))
      throw new InvalidRecipient(await this.recipients.defect(destination));
    return { draft, simulated };
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
    const { order, take } = pageWindow(query);
    const { category, reference, rejection_reason: rejectionReason } = query;
    const destination = query.to === undefined ? undefined : await this.accounts.tokenAccountOf(caller.operatorId, query.to);
    const accountIds = query.account_id === undefined ? caller.accountIds : covers(caller, query.account_id) ? [query.account_id] : [];
    const transfers = await this.database.manager.find(Order, {
      order,
      take,
      where: {
        ...pageWhere('tr', query),
        operatorId: caller.operatorId,
        kind: 'transfer',
        ...(accountIds && { accountId: In(accountIds) }),
        ...(query.status && { status: In(query.status === 'submitted' ? ['created', 'submitted'] : [query.status]) }),
        ...(query.idempotency_key !== undefined && { idempotencyKey: query.idempotency_key }),
        ...(destination !== undefined && { destination }),
        ...(category !== undefined && { category }),
        ...(rejectionReason !== undefined && { rejectionReason }),
        ...(reference !== undefined && { reference }),
        ...(query.min_amount !== undefined && { microUsdc: MoreThanOrEqual(parseUsdc(query.min_amount)) }),
      },
    });
    return toPage(transfers, query, (transfer) => this.view(transfer));
  }

  /** Approves a transfer: it is simulated again and executed. */
  async approve(caller: Caller, id: string): Promise<TransferAnswer> {
    return this.answer(await this.orders.approve(await this.find(caller, id), caller));
  }

  /** Denies a transfer. */
  async deny(caller: Caller, id: string, reason: string | undefined): Promise<TransferView> {
    return this.view(await this.orders.deny(await this.find(caller, id), caller, reason));
  }

  private answer({ order, headers }: Placed): TransferAnswer {
    requireNoDecline(order, headers);
    return { status: order.status === 'settled' ? 200 : 202, body: this.view(order), headers };
  }

  private async find(caller: Caller, id: string): Promise<Order> {
    const transfer = isId('tr', id) ? await this.database.manager.findOneBy(Order, { id, operatorId: caller.operatorId }) : null;
    if (!transfer || !covers(caller, transfer.accountId)) throw new NotFound('There is no such transfer.');
    return transfer;
  }

  private view(transfer: Order): TransferView {
    return transferView(asTransfer(transfer), (signature) => this.links.transaction(signature));
  }
}

/** What a replay must repeat: from, to, the amount as a value, memo and category. */
function hashOf({ from, to, amount, memo, category }: CreateTransferDto): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([from, to, parseUsdc(amount).toString(), memo ?? null, category ?? null]))
    .digest();
}
