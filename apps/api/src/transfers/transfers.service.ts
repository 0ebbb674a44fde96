import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import type { Verdict } from '#chain';
import { isId } from '#database';
import { covers, requireCover, type Caller } from '../http/caller';
import { NotFound } from '../http/domain.errors';
import { ExplorerLinks } from '../http/explorer-links';
import { parseUsdc } from '../money/usdc';
import { pageWindow, toPage, type Page } from '../http/pages';
import { unsentUnlessStored } from '../http/unsent';
import {
  InvalidRecipient,
  Order,
  OrdersService,
  type Parties,
  type Placed,
  RECIPIENT_REASONS,
  Recipients,
  requireNoDecline,
} from '../orders';
import { transferView, type CreateTransferDto, type ListTransfersQuery, type TransferView } from './transfers.dto';

/** What a request is answered: declines are thrown. */
export interface TransferAnswer {
  status: 200 | 202;
  body: TransferView;
  headers: Record<string, string>;
}

/** Orders to pay: once a key, and their answers. */
@Injectable()
export class TransfersService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly recipients: Recipients,
    private readonly orders: OrdersService,
    private readonly links: ExplorerLinks,
  ) {}

  create(caller: Caller, order: CreateTransferDto): Promise<TransferAnswer> {
    return unsentUnlessStored(() => this.place(caller, order));
  }

  private async place(caller: Caller, order: CreateTransferDto): Promise<TransferAnswer> {
    requireCover(caller, order.from);
    const requestHash = hashOf(order);
    const [parties, earlier] = await Promise.all([
      this.recipients.parties(caller.operatorId, order.from, order.to),
      this.orders.findByKey(caller.operatorId, 'transfer', order.idempotency_key),
    ]);
    if (earlier) return this.answer(await this.orders.repeat(earlier, requestHash, () => this.recipientAgain(earlier)));

    this.recipients.require(parties);
    const { payer: account, destination, destinationAccountId } = parties;
    const draft = this.orders.draft({
      kind: 'transfer',
      sessionId: null,
      destination,
      destinationAccountId,
      operatorId: caller.operatorId,
      accountId: account.id,
      requestHash,
      idempotencyKey: order.idempotency_key,
      recipient: order.to,
      microUsdc: parseUsdc(order.amount),
      memo: order.memo ?? null,
      category: order.category ?? null,
    });
    const inspect = async (verdict: Verdict): Promise<void> => {
      if (verdict.kind === 'failed' && RECIPIENT_REASONS.has(verdict.failure.reason))
        throw new InvalidRecipient(await this.recipients.defect(draft.destination));
    };
    return this.answer(await this.orders.place(draft, account, { inspect }));
  }

  async show(caller: Caller, id: string): Promise<TransferView> {
    return this.view(await this.find(caller, id));
  }

  async list(caller: Caller, query: ListTransfersQuery): Promise<Page<TransferView>> {
    const { where, ...window } = pageWindow(query);
    const accountIds = query.account_id === undefined ? caller.accountIds : covers(caller, query.account_id) ? [query.account_id] : [];
    const transfers = await this.database.manager.find(Order, {
      ...window,
      where: {
        ...where,
        operatorId: caller.operatorId,
        kind: 'transfer',
        ...(accountIds && { accountId: In(accountIds) }),
        ...(query.status && { status: In(query.status === 'submitted' ? ['created', 'submitted'] : [query.status]) }),
        ...(query.idempotency_key !== undefined && { idempotencyKey: query.idempotency_key }),
      },
    });
    return toPage(transfers, query, (transfer) => this.view(transfer));
  }

  /** An operator's yes: executes it, with all rules asked again. */
  async approve(caller: Caller, id: string): Promise<TransferAnswer> {
    return this.answer(await this.orders.approve(await this.find(caller, id)));
  }

  /** An operator's no. */
  async deny(caller: Caller, id: string, reason: string | undefined): Promise<TransferView> {
    return this.view(await this.orders.deny(await this.find(caller, id), reason));
  }

  private async recipientAgain({ operatorId, accountId, recipient }: Order): Promise<Parties> {
    const parties = await this.recipients.parties(operatorId, accountId, recipient);
    this.recipients.require(parties);
    return parties;
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
    return transferView(transfer, (signature) => this.links.transaction(signature));
  }
}

/** What a replay must repeat: from, to, the amount as a value, memo and category. */
function hashOf({ from, to, amount, memo, category }: CreateTransferDto): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([from, to, parseUsdc(amount).toString(), memo ?? null, category ?? null]))
    .digest();
}
