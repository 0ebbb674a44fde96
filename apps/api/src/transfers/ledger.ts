import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Refusal, SignedTransaction } from '#chain';
import { newId } from '#database';
import type { Account } from '../accounts/accounts.service';
import { HistoryService } from '../accounts/history.service';
import { Clock } from '../clock';
import { Config } from '../config';
import { formatUsdc } from '../http/money';
import { OutboxService } from '../webhooks/outbox.service';
import { storeRefusal } from './refusals';
import { TransferAttempt } from './transfer-attempt.entity';
import { Transfer, type StoredFailure } from './transfer.entity';

/** Newest and oldest unresolved number of an account are never further apart: half of the program's replay window. */
const MAX_UNRESOLVED_SPAN = 512n;
/** Whoever works on a transfer has it for itself for so much longer than a request waits. */
const LEASE_BEYOND_WAIT_MS = 15_000;

export interface NewTransfer {
  account: Account;
  idempotencyKey: string;
  requestHash: Buffer;
  recipient: string;
  destination: string;
  destinationAccountId: string | null;
  microUsdc: bigint;
  memo: string | null;
  category: string | null;
}

/**
 * Every change of a transfer's state: one database transaction each, with its event and its lines of history, and never a
 * call to anywhere inside. A change that finds another state than it expects does nothing and returns undefined.
 */
@Injectable()
export class Ledger {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly outbox: OutboxService,
    private readonly history: HistoryService,
  ) {}

  find(id: string): Promise<Transfer> {
    return this.database.manager.findOneByOrFail(Transfer, { id });
  }

  /** The transfer that has this key taken now. */
  async findByKey(operatorId: string, key: string): Promise<Transfer | null> {
    const transfer = await this.database.manager.findOneBy(Transfer, { operatorId, liveKey: key });
    return transfer && !this.isKeyFree(transfer) ? transfer : null;
  }

  private isKeyFree({ finalAt }: Transfer): boolean {
    return finalAt !== null && finalAt.getTime() + this.config.IDEMPOTENCY_TTL_SECONDS * 1000 <= this.clock.now().getTime();
  }

  /** Inserts a transfer, unless the key is taken: then the one that has it. A key whose time is over is freed first. */
  insert(wanted: NewTransfer): Promise<{ transfer: Transfer; isNew: boolean }> {
    const { account, idempotencyKey, ...order } = wanted;
    return this.database.transaction(async (manager) => {
      const now = this.clock.now();
      const transfer = manager.create(Transfer, {
        ...order,
        id: newId('tr', now),
        operatorId: account.operatorId,
        accountId: account.id,
        idempotencyKey,
        liveKey: idempotencyKey,
        memoSalt: order.memo === null ? null : randomBytes(32),
        status: 'created',
        approved: false,
        createdAt: now,
        leaseUntil: this.lease(),
      });
      await manager.query('UPDATE transfers SET live_key = NULL WHERE operator_id = $1 AND live_key = $2 AND final_at <= $3', [
        account.operatorId,
        idempotencyKey,
        new Date(now.getTime() - this.config.IDEMPOTENCY_TTL_SECONDS * 1000),
      ]);
      const inserted = await manager.createQueryBuilder().insert().into(Transfer).values(transfer).orIgnore().returning('id').execute();
      if (Array.isArray(inserted.raw) && inserted.raw.length > 0) return { transfer: await manager.findOneByOrFail(Transfer, { id: transfer.id }), isNew: true };
      return { transfer: await manager.findOneByOrFail(Transfer, { operatorId: account.operatorId, liveKey: idempotencyKey }), isNew: false };
    });
  }

  /** Takes a transfer that failed, or lacked balance, up again under its id. Undefined when somebody else did. */
  rerun(transfer: Transfer, { destination, destinationAccountId }: Pick<NewTransfer, 'destination' | 'destinationAccountId'>): Promise<Transfer | undefined> {
    return this.change(
      transfer.id,
      `SET status = 'created', rejection_reason = NULL, refusal = NULL, failure = NULL, final_at = NULL, approved = false,
           destination = $2, destination_account_id = $3, lease_until = $4
       WHERE id = $1 AND final_at = $5 AND (status = 'failed' OR (status = 'rejected' AND rejection_reason = 'insufficient_balance'))`,
      [destination, destinationAccountId, this.lease(), transfer.finalAt],
    );
  }

  /** An operator's yes. Undefined when it does not wait, or no longer. */
  approve(id: string): Promise<Transfer | undefined> {
    return this.change(id, `SET status = 'created', approved = true, lease_until = $2 WHERE id = $1 AND status = 'pending_approval' AND approval_expires_at > $3`, [this.lease(), this.clock.now()]);
  }

  /** The approval could not be carried out, for the chain is away: it waits for another. Nothing was sent. */
  unapprove(id: string): Promise<Transfer | undefined> {
    return this.change(id, `SET status = 'pending_approval', approved = false WHERE id = $1 AND status = 'created' AND approved`, []);
  }

  /** An operator's no, or nobody's yes in time. */
  decline(id: string, reason: 'denied' | 'approval_expired', because: string | null = null): Promise<Transfer | undefined> {
    const until = reason === 'approval_expired' ? 'approval_expires_at <= $3' : 'approval_expires_at > $3';
    return this.change(
      id,
      `SET status = 'rejected', rejection_reason = $2, final_at = $3, denial_reason = $4 WHERE id = $1 AND status = 'pending_approval' AND ${until}`,
      [reason, this.clock.now(), because],
      (manager, transfer) => this.recordRejection(manager, transfer),
    );
  }

  /** Waits for an operator. Nothing was sent. */
  escalate(transfer: Transfer, thresholdMicroUsdc: bigint): Promise<Transfer | undefined> {
    const expiresAt = new Date(this.clock.now().getTime() + this.config.APPROVAL_TTL_SECONDS * 1000);
    return this.change(transfer.id, `SET status = 'pending_approval', approval_expires_at = $2 WHERE id = $1 AND status = 'created'`, [expiresAt], async (manager, { id, accountId, operatorId, microUsdc, recipient, memo }) => {
      await this.outbox.record(manager, {
        operatorId,
        accountId,
        type: 'escalation.required',
        data: { transfer_id: id, account_id: accountId, amount_usdc: formatUsdc(microUsdc), to: recipient, memo, threshold_usdc: formatUsdc(thresholdMicroUsdc), expires_at: expiresAt.toISOString() },
      });
    });
  }

  /** A rule said no: before anything was sent, or on chain. */
  reject(transfer: Transfer, refusal: Refusal): Promise<Transfer | undefined> {
    return this.change(
      transfer.id,
      `SET status = 'rejected', rejection_reason = $2, refusal = $3, final_at = $4 WHERE id = $1 AND status IN ('created', 'submitted')`,
      [refusal.rule, JSON.stringify(storeRefusal(refusal, transfer)), this.clock.now()],
      (manager, rejected) => this.recordRejection(manager, rejected),
    );
  }

  /** Something other than a rule stood in the way, and nothing can land any more. */
  fail(transfer: Transfer, failure: StoredFailure): Promise<Transfer | undefined> {
    return this.change(transfer.id, `SET status = 'failed', failure = $2, final_at = $3 WHERE id = $1 AND status IN ('created', 'submitted')`, [JSON.stringify(failure), this.clock.now()]);
  }

  /**
   * The transfer's sequence number: the one it has, or else the account's next. Undefined while too many are unresolved, or
   * when the transfer waits for none. The rows are the locks, so a number is given once and a transfer never gets two.
   */
  takeSeq({ id, accountId }: Transfer): Promise<bigint | undefined> {
    return this.database.transaction(async (manager) => {
      const [transfer]: { seq: string | null; status: string }[] = await manager.query('SELECT seq, status FROM transfers WHERE id = $1 FOR UPDATE', [id]);
      if (transfer?.status !== 'created') return undefined;
      if (transfer.seq !== null) return BigInt(transfer.seq);
      const [account]: { next_seq: string; oldest: string | null }[] = await manager.query(
        `SELECT next_seq, (SELECT min(seq) FROM transfers WHERE account_id = $1 AND status IN ('created', 'submitted') AND seq IS NOT NULL) AS oldest
         FROM accounts WHERE id = $1 FOR NO KEY UPDATE`,
        [accountId],
      );
      if (!account) throw new Error('an account of a transfer exists');
      const seq = BigInt(account.next_seq);
      if (account.oldest !== null && seq - BigInt(account.oldest) >= MAX_UNRESOLVED_SPAN) return undefined;
      await manager.query('UPDATE transfers SET seq = $2 WHERE id = $1', [id, seq.toString()]);
      await manager.query('UPDATE accounts SET next_seq = next_seq + 1 WHERE id = $1', [accountId]);
      return seq;
    });
  }

  /** Its number was spent by somebody else (a restored database): forget it, and go on above what the chain has spent. */
  dropSeq({ id, seq }: Transfer, highestSeqOnChain: bigint): Promise<Transfer | undefined> {
    return this.change(
      id,
      `SET seq = NULL, status = 'created', submitted_at = NULL WHERE id = $1 AND status IN ('created', 'submitted') AND seq = $2`,
      [seq?.toString()],
      async (manager, { accountId }) => {
        await manager.query('UPDATE accounts SET next_seq = GREATEST(next_seq, $2::bigint + 1) WHERE id = $1', [accountId, highestSeqOnChain.toString()]);
      },
    );
  }

  /** Its only live attempt failed on chain for a reason that is mended: judge and sign it again, with the same number. */
  restart({ id }: Transfer): Promise<Transfer | undefined> {
    return this.change(id, `SET status = 'created' WHERE id = $1 AND status = 'submitted'`, []);
  }

  /** After many numbers that were taken and never spent: start again right above the chain's highest, if none is in use. */
  async rewindSeq(accountId: string, highestSeqOnChain: bigint): Promise<void> {
    await this.database.query(
      `UPDATE accounts SET next_seq = $2::bigint + 1 WHERE id = $1 AND NOT EXISTS (
         SELECT 1 FROM transfers WHERE account_id = $1 AND status IN ('created', 'submitted') AND seq IS NOT NULL)`,
      [accountId, highestSeqOnChain.toString()],
    );
  }

  /** Keeps the signed bytes before they are sent. The first time it is also told. */
  submit(transfer: Transfer, seq: bigint, signed: SignedTransaction): Promise<Transfer | undefined> {
    const now = this.clock.now();
    return this.change(
      transfer.id,
      `SET status = 'submitted', submitted_at = COALESCE(submitted_at, $2), lease_until = $3 WHERE id = $1 AND status IN ('created', 'submitted') AND seq = $4`,
      [now, this.lease(), seq.toString()],
      async (manager, { id, accountId, operatorId, microUsdc, recipient }) => {
        await manager.insert(TransferAttempt, {
          transferId: id,
          signature: signed.signature,
          seq,
          bytes: Buffer.from(signed.bytes),
          lastValidBlockHeight: BigInt(signed.lastValidBlockHeight),
          createdAt: now,
        });
        if (transfer.status === 'submitted') return;
        await this.outbox.record(manager, {
          operatorId,
          accountId,
          type: 'transfer.initiated',
          data: { transfer_id: id, account_id: accountId, amount_usdc: formatUsdc(microUsdc), to: recipient, tx_signature: signed.signature },
        });
      },
    );
  }

  attempts(transferId: string): Promise<TransferAttempt[]> {
    return this.database.manager.find(TransferAttempt, { where: { transferId }, order: { createdAt: 'DESC' } });
  }

  /** The money has moved, in this transaction. */
  settle(transfer: Transfer, { signature, slot }: { signature: string; slot: number }): Promise<Transfer | undefined> {
    const now = this.clock.now();
    return this.change(
      transfer.id,
      `SET status = 'settled', signature = $2, settled_at = $3, final_at = $3 WHERE id = $1 AND status IN ('created', 'submitted')`,
      [signature, now],
      async (manager, settled) => {
        await manager.query('UPDATE accounts SET changed_slot = GREATEST(changed_slot, $2) WHERE id = $1', [settled.accountId, slot]);
        await this.recordSettlement(manager, settled, now);
        await this.outbox.record(manager, {
          operatorId: settled.operatorId,
          accountId: settled.accountId,
          type: 'transfer.settled',
          data: { transfer_id: settled.id, account_id: settled.accountId, amount_usdc: formatUsdc(settled.microUsdc), tx_signature: signature, settled_at: now.toISOString() },
        });
      },
    );
  }

  /** Claims transfers that nobody has worked on for a while, each for one worker. */
  async claimOverdue(limit: number): Promise<Transfer[]> {
    const [rows]: [{ id: string }[], number] = await this.database.query(
      `UPDATE transfers SET lease_until = $1 WHERE id IN (
         SELECT id FROM transfers WHERE status IN ('created', 'submitted') AND lease_until <= $2
         ORDER BY lease_until LIMIT $3 FOR UPDATE SKIP LOCKED) RETURNING id`,
      [this.lease(), this.clock.now(), limit],
    );
    return Promise.all(rows.map(({ id }) => this.find(id)));
  }

  /** Ids of transfers that waited for an approval in vain. */
  async expiredApprovals(limit: number): Promise<string[]> {
    const rows: { id: string }[] = await this.database.query(`SELECT id FROM transfers WHERE status = 'pending_approval' AND approval_expires_at <= $1 LIMIT $2`, [this.clock.now(), limit]);
    return rows.map(({ id }) => id);
  }

  /** Gives it back at once. */
  async release(id: string): Promise<void> {
    await this.database.manager.update(Transfer, { id }, { leaseUntil: this.clock.now() });
  }

  private lease(): Date {
    return new Date(this.clock.now().getTime() + this.config.SETTLEMENT_WAIT_MS + LEASE_BEYOND_WAIT_MS);
  }

  /** One guarded step of the state machine and what belongs to it. */
  private change(id: string, update: string, parameters: unknown[], also: (manager: EntityManager, transfer: Transfer) => Promise<void> = async () => {}): Promise<Transfer | undefined> {
    return this.database.transaction(async (manager) => {
      const [, count]: [unknown, number] = await manager.query(`UPDATE transfers ${update}`, [id, ...parameters]);
      if (count === 0) return undefined;
      const transfer = await manager.findOneByOrFail(Transfer, { id });
      await also(manager, transfer);
      return transfer;
    });
  }

  private async recordRejection(manager: EntityManager, transfer: Transfer): Promise<void> {
    const { id, accountId, operatorId, microUsdc, rejectionReason } = transfer;
    await this.history.record(manager, [{ ...lineOf(transfer), type: 'rejection', signature: null, rejectionReason, settledAt: null }]);
    await this.outbox.record(manager, {
      operatorId,
      accountId,
      type: 'transfer.rejected',
      data: { transfer_id: id, account_id: accountId, amount_usdc: formatUsdc(microUsdc), rejection_reason: rejectionReason },
    });
  }

  /** A line for who paid, and one for who received, where that is an account of this service. */
  private async recordSettlement(manager: EntityManager, transfer: Transfer, settledAt: Date): Promise<void> {
    const out = { ...lineOf(transfer), type: 'transfer' as const, signature: transfer.signature, rejectionReason: null, settledAt };
    const { destinationAccountId } = transfer;
    const lines = destinationAccountId === null ? [out] : [out, { ...out, accountId: destinationAccountId, direction: 'in' as const, counterparty: transfer.accountId }];
    await this.history.record(manager, lines);
  }
}

function lineOf({ id, accountId, microUsdc, recipient, memo, category }: Transfer) {
  return { accountId, direction: 'out' as const, microUsdc, counterparty: recipient, memo, category, transferId: id, sessionId: null };
}
