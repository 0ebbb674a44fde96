/** Transfers. */
import type { Transfer } from '../../errors';
import type { Params, Query, Schemas, WaitOptions } from '../../resource';
import { Orders } from './orders';

export type TransferCreateParams = Params<Schemas['CreateTransfer'], 'amount'>;
export type TransferListParams = Query<'transfers.list'>;

interface TransferKind {
  object: Transfer;
  retrieved: Transfer;
  create: TransferCreateParams;
  list: TransferListParams;
}

/** Payments to a recipient. The result of `create` may be under way: see `waitUntilSettled`. */
export class Transfers extends Orders<TransferKind> {
  protected readonly path = '/v1/transfers';
  protected readonly amount = 'amount';
  protected readonly outcomes = {
    settled: 'settled',
    rejected: 'failed',
    failed: 'failed',
    pending_approval: 'approval',
    submitted: 'waiting',
  } as const;

  /** Waits until a transfer is settled. @throws ApprovalRequired, NotSettledError, APITimeoutError */
  waitUntilSettled(transfer: string | Pick<Transfer, 'transfer_id'>, options?: WaitOptions): Promise<Transfer> {
    return this.settledObject(typeof transfer === 'string' ? transfer : transfer.transfer_id, options);
  }
}
