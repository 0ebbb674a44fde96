import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { ChainUnavailableError } from '#chain';
import { isId } from '#database';
import type { Account } from '../accounts/accounts.service';
import { Clock } from '../clock';
import { Config } from '../config';
import { CrashPoints } from '../crash-points';
import { covers, requireCover, type Caller } from '../http/caller';
import { ChainUnavailable, Conflict, NotFound } from '../http/domain.errors';
import { ExplorerLinks } from '../http/explorer-links';
import { parseUsdc } from '../http/money';
import { pageWindow, toPage, type Page } from '../http/pages';
import { Executions } from './executions';
import { Ledger } from './ledger';
import { Recipients } from './recipients';
import { CHAIN_AWAY, RECIPIENT_REASONS, SettlementService, type Judged } from './settlement.service';
import { Transfer } from './transfer.entity';
import { transferView, type CreateTransferDto, type ListTransfersQuery, type TransferView } from './transfers.dto';
import { IdempotencyConflict, InvalidRecipient, TransferRejected, failureError } from './transfers.errors';

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
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly recipients: Recipients,
    private readonly ledger: Ledger,
    private readonly settlement: SettlementService,
    private readonly executions: Executions,
    private readonly links: ExplorerLinks,
    private readonly crashPoints: CrashPoints,
  ) {}

  async create(caller: Caller, order: CreateTransferDto): Promise<TransferAnswer> {
    requireCover(caller, order.from);
    const requestHash = hashOf(order);
    const [parties, earlier] = await Promise.all([
      this.recipients.parties(caller.operatorId, order.from, order.to),
      this.ledger.findByKey(caller.operatorId, 'transfer', order.idempotency_key),
    ]);
    if (earlier) return this.repeat(earlier, requestHash, true);

    this.recipients.require(parties);
    const { payer: account, destination, destinationAccountId } = parties;
    const draft = this.ledger.draft({
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
    // The verdict comes before the row, so that a recipient who cannot receive leaves the key free.
    const judged = await this.judge(draft, account);
    const verdict = judged?.verdict;
    if (verdict?.kind === 'failed' && RECIPIENT_REASONS.has(verdict.failure.reason)) throw new InvalidRecipient(await this.recipients.defect(draft.destination));
    this.crashPoints.pass('transfer.judged');
    const { transfer, isNew } = await this.ledger.insert(draft, verdict?.kind === 'allowed');
    this.crashPoints.pass('transfer.inserted');
    // Two equal requests at the same time: the other one executes, and this one shares its outcome, even a failure.
    if (!isNew) return this.repeat(transfer, requestHash, false);
    if (judged) return this.execute(transfer, judged);
    // The key is taken even so: only the same order runs again.
    return this.answer((await this.ledger.fail(transfer, CHAIN_AWAY)) ?? transfer, {});
  }

  async show(caller: Caller, id: string): Promise<TransferView> {
    return this.view(await this.find(caller, id));
  }

  async list(caller: Caller, query: ListTransfersQuery): Promise<Page<TransferView>> {
    const { where, ...window } = pageWindow(query);
    const accountIds = query.account_id === undefined ? caller.accountIds : covers(caller, query.account_id) ? [query.account_id] : [];
    const transfers = await this.database.manager.find(Transfer, {
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
    const transfer = await this.find(caller, id);
    const approved = await this.ledger.approve(id);
    if (!approved) throw await this.notWaiting(transfer);
    this.crashPoints.pass('transfer.approved');
    const done = await this.executions.run(approved, this.config.SETTLEMENT_WAIT_MS);
    if (done.status === 'pending_approval') throw new ChainUnavailable('The chain cannot be reached right now. Nothing was sent, and the transfer still waits for approval.');
    return this.answer(done, {});
  }

  /** An operator's no. */
  async deny(caller: Caller, id: string, reason: string | undefined): Promise<TransferView> {
    const transfer = await this.find(caller, id);
    const denied = await this.ledger.deny(transfer, reason ?? null);
    if (!denied) throw await this.notWaiting(transfer);
    return this.view(denied);
  }

  /** The program's verdict, or undefined while the chain is away. */
  private async judge(draft: Transfer, account: Account): Promise<Judged | undefined> {
    try {
      return await this.settlement.judge(draft, account);
    } catch (error) {
      if (error instanceof ChainUnavailableError) return undefined;
      throw error;
    }
  }

  /** A key that was used before: its present state, or another run of what failed for no rule. */
  private async repeat(transfer: Transfer, requestHash: Buffer, mayRunAgain: boolean): Promise<TransferAnswer> {
    if (!transfer.requestHash.equals(requestHash)) throw new IdempotencyConflict(transfer.id);
    if (mayRunAgain && isRerunnable(transfer)) {
      const parties = await this.recipients.parties(transfer.operatorId, transfer.accountId, transfer.recipient);
      this.recipients.require(parties);
      const again = await this.ledger.rerun(transfer, parties);
      if (again) return this.execute(again);
    }
    const current = await this.executions.outcome(await this.expireIfDue(await this.ledger.find(transfer.id)), this.config.SETTLEMENT_WAIT_MS);
    return this.answer(current, { 'Idempotent-Replayed': 'true' });
  }

  private async execute(transfer: Transfer, known?: Judged): Promise<TransferAnswer> {
    return this.answer(await this.executions.run(transfer, this.config.SETTLEMENT_WAIT_MS, known), {});
  }

  private answer(transfer: Transfer, headers: Record<string, string>): TransferAnswer {
    if (transfer.status === 'rejected') throw new TransferRejected(transfer, headers);
    if (transfer.status === 'failed' && transfer.failure) throw failureError(transfer, transfer.failure);
    return { status: transfer.status === 'settled' ? 200 : 202, body: this.view(transfer), headers };
  }

  /** The sweep may be a moment late. */
  private async expireIfDue(transfer: Transfer): Promise<Transfer> {
    const isDue = transfer.status === 'pending_approval' && transfer.approvalExpiresAt !== null && transfer.approvalExpiresAt <= this.clock.now();
    if (!isDue) return transfer;
    return (await this.ledger.expire(transfer)) ?? this.ledger.find(transfer.id);
  }

  private async notWaiting(transfer: Transfer): Promise<Conflict> {
    const { status } = this.view(await this.expireIfDue(await this.ledger.find(transfer.id)));
    return new Conflict(`The transfer does not wait for approval: it is ${status}.`, status);
  }

  private async find(caller: Caller, id: string): Promise<Transfer> {
    const transfer = isId('tr', id) ? await this.database.manager.findOneBy(Transfer, { id, operatorId: caller.operatorId }) : null;
    if (!transfer || !covers(caller, transfer.accountId)) throw new NotFound('There is no such transfer.');
    return transfer;
  }

  private view(transfer: Transfer): TransferView {
    return transferView(transfer, (signature) => this.links.transaction(signature));
  }
}

/** "Non-policy failure": nothing moved, and the same order may be tried again. */
function isRerunnable({ status, rejectionReason }: Transfer): boolean {
  return status === 'failed' || (status === 'rejected' && rejectionReason === 'insufficient_balance');
}

/** What a replay must repeat: from, to, the amount as a value, memo and category. */
function hashOf({ from, to, amount, memo, category }: CreateTransferDto): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([from, to, parseUsdc(amount).toString(), memo ?? null, category ?? null]))
    .digest();
}
