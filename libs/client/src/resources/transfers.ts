/** Transfers. */
import type { Transfer } from '../errors';
import type { PagePromise } from '../pagination';
import {
  bodyOf,
  by,
  madeBy,
  signedBy,
  predictedBy,
  prepared,
  settled,
  DRY_RUN,
  Resource,
  type Schemas,
  type Query,
  type Params,
  type WaitOptions,
} from '../resource';
import type { RequestOptions } from '../transport';

export type TransferCreateParams = Params<Schemas['CreateTransfer'], 'amount'>;
export type TransferListParams = Query<'transfers.list'>;

export class Transfers extends Resource {
  /** Pays. The result may wait for an approval, or be under way: see `waitUntilSettled`. @throws PolicyViolation and other errors. */
  create(params: TransferCreateParams, options?: RequestOptions): Promise<Transfer> {
    const body = prepared(params, ['amount'], options);
    return madeBy(this.http.POST('/v1/transfers', { body, ...this.connection.repeatable(options) }));
  }

  /** The outcome that `create` would have. Nothing is done. */
  dryRun(params: TransferCreateParams, options?: RequestOptions): Promise<Schemas['DryRun']> {
    const body = prepared(params, ['amount'], options);
    return predictedBy(this.http.POST('/v1/transfers', { body, params: DRY_RUN, ...this.connection.repeatable(options) }));
  }

  retrieve(id: string, options?: RequestOptions): Promise<Transfer> {
    return bodyOf(this.http.GET('/v1/transfers/{id}', { ...by(id), ...this.connection.repeatable(options) }));
  }

  list(query: TransferListParams = {}, options?: RequestOptions): PagePromise<Transfer> {
    return this.pages(query, (page) => this.http.GET('/v1/transfers', { params: { query: page }, ...this.connection.repeatable(options) }));
  }

  /** Approves and executes a transfer that waits for an operator. @throws SignatureRequired */
  approve(id: string, options?: RequestOptions): Promise<Transfer> {
    return signedBy(this.http.POST('/v1/transfers/{id}/approve', { ...by(id), ...this.connection.once(options) }));
  }

  deny(id: string, body: Schemas['DenyTransfer'] = {}, options?: RequestOptions): Promise<Transfer> {
    return bodyOf(this.http.POST('/v1/transfers/{id}/deny', { ...by(id), body, ...this.connection.once(options) }));
  }

  /** Waits until a transfer is settled. @throws ApprovalRequired, NotSettledError, APITimeoutError */
  waitUntilSettled(transfer: string | Pick<Transfer, 'transfer_id'>, options?: WaitOptions): Promise<Transfer> {
    const id = typeof transfer === 'string' ? transfer : transfer.transfer_id;
    const outcomes = {
      settled: 'settled',
      rejected: 'failed',
      failed: 'failed',
      pending_approval: 'approval',
      submitted: 'waiting',
    } as const;
    return settled(() => this.retrieve(id, options), outcomes, options);
  }
}
