import { Injectable } from '@nestjs/common';
import { ChainUnavailableError, type LandedOrder, type Verdict } from '#chain';
import type { Account } from '../accounts/accounts.service';
import { Clock } from '../clock';
import { Config } from '../config';
import { CrashPoints } from '../crash-points';
import { ChainUnavailable, Conflict } from '../http/domain.errors';
import { Executions } from './executions';
import { ForgottenTransfers } from './forgotten-transfers';
import { Ledger, type Placing } from './ledger';
import type { Parties } from './recipients';
import { CHAIN_AWAY, SettlementService, type Judged } from './settlement.service';
import type { NewTransfer, OrderKindName, Transfer } from './transfer.entity';
import { IdempotencyConflict } from './transfers.errors';

/** An order as far as it has come, and what the answer to it carries beside. */
export interface Placed {
  order: Transfer;
  headers: Record<string, string>;
}

/** Orders of every kind: placed once a key, repeated, approved and denied. */
@Injectable()
export class OrdersService {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly ledger: Ledger,
    private readonly settlement: SettlementService,
    private readonly executions: Executions,
    private readonly forgotten: ForgottenTransfers,
    private readonly crashPoints: CrashPoints,
  ) {}

  /** The order that has this key now, if there is one. */
  findByKey(operatorId: string, kind: OrderKindName, key: string): Promise<Transfer | undefined> {
    return this.ledger.findByKey(operatorId, kind, key);
  }

  find(id: string): Promise<Transfer> {
    return this.ledger.find(id);
  }

  /** Writes down what the account has paid and a restored database has forgotten. Returns the orders' ids. @throws ChainUnavailableError */
  recall(account: Account): Promise<string[]> {
    return this.forgotten.recall(account);
  }

  /** Settles the order that a landed transaction proves to be executed, whatever was written down; undefined where there is none. */
  settleProven(landed: LandedOrder): Promise<Transfer | undefined> {
    return this.forgotten.settle(landed);
  }

  /** Orders from before a moment that have come to no end; those that wait for an approval have time. */
  unended(createdBefore: Date): Promise<string[]> {
    return this.ledger.unended(createdBefore);
  }

  /** A new order, not yet in the database. */
  draft(order: NewTransfer, id?: string): Transfer {
    return this.ledger.draft(order, id);
  }

  /**
   * Places a new order, with what is to be inserted beside it, and runs it for as long as a request waits. Two equal ones at the
   * same time are executed once. `inspect` sees the verdict first, and may throw, which leaves the key free.
   */
  async place(draft: Transfer, account: Account, { placing, inspect }: { placing?: Placing; inspect?: (verdict: Verdict) => Promise<void> } = {}): Promise<Placed> {
    // The verdict comes before the row, so that what cannot be ordered leaves the key free.
    const judged = await this.judge(draft, account);
    const verdict = judged?.verdict;
    if (verdict) await inspect?.(verdict);
    this.crashPoints.pass('transfer.judged');
    const { transfer: order, isNew } = await this.ledger.insert(draft, verdict?.kind === 'allowed', placing);
    this.crashPoints.pass('transfer.inserted');
    // The other one executes, and this one shares its outcome, even a failure.
    if (!isNew) return this.repeat(order, draft.requestHash);
    if (judged) return this.run(order, judged);
    // The key is taken even so: only the same order runs again.
    return { order: (await this.ledger.fail(order, CHAIN_AWAY)) ?? order, headers: {} };
  }

  /**
   * A key that was used before: its present state, or another run of what failed for no rule, where `again` finds the parties
   * anew. @throws IdempotencyConflict
   */
  async repeat(order: Transfer, requestHash: Buffer, again?: () => Promise<Pick<Parties, 'destination' | 'destinationAccountId'>>): Promise<Placed> {
    if (!order.requestHash.equals(requestHash)) throw new IdempotencyConflict(order);
    if (again && isRerunnable(order)) {
      const rerun = await this.ledger.rerun(order, await again());
      if (rerun) return this.run(rerun);
    }
    const current = await this.executions.outcome(await this.current(order.id), this.config.SETTLEMENT_WAIT_MS);
    return { order: current, headers: { 'Idempotent-Replayed': 'true' } };
  }

  /** An operator's yes: executes it, with all rules asked again. @throws Conflict where it does not wait. */
  async approve(order: Transfer): Promise<Placed> {
    const approved = await this.ledger.approve(order.id);
    if (!approved) throw await this.notWaiting(order);
    this.crashPoints.pass('transfer.approved');
    const placed = await this.run(approved);
    if (placed.order.status === 'pending_approval') throw new ChainUnavailable('The chain cannot be reached right now. Nothing was sent, and it still waits for approval.');
    return placed;
  }

  /** An operator's no. @throws Conflict where it does not wait. */
  async deny(order: Transfer, reason: string | undefined): Promise<Transfer> {
    const denied = await this.ledger.deny(order, reason ?? null);
    if (!denied) throw await this.notWaiting(order);
    return denied;
  }

  /** As it stands now: the sweep that ends approvals may be a moment late. */
  async current(id: string): Promise<Transfer> {
    const order = await this.ledger.find(id);
    const isDue = order.status === 'pending_approval' && order.approvalExpiresAt !== null && order.approvalExpiresAt <= this.clock.now();
    if (!isDue) return order;
    return (await this.ledger.expire(order)) ?? this.ledger.find(id);
  }

  private async run(order: Transfer, known?: Judged): Promise<Placed> {
    return { order: await this.executions.run(order, this.config.SETTLEMENT_WAIT_MS, known), headers: {} };
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

  private async notWaiting({ id }: Transfer): Promise<Conflict> {
    const { status } = await this.current(id);
    const shown = status === 'created' ? 'submitted' : status;
    return new Conflict(`It does not wait for approval: it is ${shown}.`, shown);
  }
}

/** "Non-policy failure": nothing moved, and the same order may be tried again. */
function isRerunnable({ status, rejectionReason }: Transfer): boolean {
  return status === 'failed' || (status === 'rejected' && rejectionReason === 'insufficient_balance');
}

export { type Placing } from './ledger';
export { storeRefusal } from './refusals';
export type { NewTransfer, StoredRefusal, Transfer, TransferStatus } from './transfer.entity';
