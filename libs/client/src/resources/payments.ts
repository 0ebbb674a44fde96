/** Calls of paid APIs. */
import type { Payment } from '../errors';
import type { PagePromise } from '../pagination';
import {
  bodyOf,
  by,
  madeBy,
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

export type PaymentCreateParams = Params<Schemas['CreatePayment'], 'max_amount'>;
export type PaymentAuthorizeParams = Params<Schemas['AuthorizePayment'], 'max_amount'>;

/** The service passes an answer on for at most ten minutes. */
const STREAM_TIMEOUT_MS = 660_000;

export class Payments extends Resource {
  /** Calls a paid API through the service, which pays what the API asks for, at most `max_amount`. */
  create(params: PaymentCreateParams, options?: RequestOptions): Promise<Payment> {
    const body = prepared(params, ['max_amount'], options);
    return madeBy(this.http.POST('/v1/payments', { body, ...this.connection.repeatable(options) }));
  }

  /**
   * Calls a paid API like `create`, and returns its answer with the body as it comes. `Payment-Id` and `Payment-Status` stand in the headers.
   * Without them the answer is the payment in JSON: it was made before, or the API did not serve the request. Default time-out: 11 minutes.
   */
  async stream(params: PaymentCreateParams, options?: RequestOptions): Promise<Response> {
    const body = prepared({ ...params, request: { ...params.request, stream: true } }, ['max_amount'], options);
    const call = this.connection.repeatable({ timeout: STREAM_TIMEOUT_MS, ...options });
    const { response } = await this.http.POST('/v1/payments', { body, parseAs: 'stream', ...call });
    return response;
  }

  /** The outcome that `create` would have, with the prices that the API asks for. */
  dryRun(params: PaymentCreateParams, options?: RequestOptions): Promise<Schemas['PaymentDryRun']> {
    const body = prepared(params, ['max_amount'], options);
    return predictedBy(this.http.POST('/v1/payments', { body, params: DRY_RUN, ...this.connection.repeatable(options) }));
  }

  /** The credential for a call that you make yourself. `payingFetch` does it all. */
  authorize(params: PaymentAuthorizeParams, options?: RequestOptions): Promise<Schemas['Authorization']> {
    const body = prepared(params, ['max_amount'], options);
    return bodyOf(this.http.POST('/v1/payments/authorize', { body, ...this.connection.repeatable(options) }));
  }

  /** Records the receipt of a payment that was authorized. Recording it twice changes nothing. */
  recordReceipt(id: string, receipt: string, options?: RequestOptions): Promise<Payment> {
    const call = { ...by(id), body: { receipt }, ...this.connection.repeatable(options) };
    return bodyOf(this.http.POST('/v1/payments/{id}/receipt', call));
  }

  retrieve(id: string, options?: RequestOptions): Promise<Payment> {
    return bodyOf(this.http.GET('/v1/payments/{id}', { ...by(id), ...this.connection.repeatable(options) }));
  }

  /** Everything that proves a payment, for a dispute: the 402, what was decided and sent, the transaction and the seller's signed receipts. */
  evidence(id: string, options?: RequestOptions): Promise<Schemas['Evidence']> {
    return bodyOf(this.http.GET('/v1/payments/{id}/evidence', { ...by(id), ...this.connection.repeatable(options) }));
  }

  list(query: Query<'payments.list'> = {}, options?: RequestOptions): PagePromise<Payment> {
    return this.pages(query, (page) => this.http.GET('/v1/payments', { params: { query: page }, ...this.connection.repeatable(options) }));
  }

  /** Waits until the outcome of a payment is known. @throws NotSettledError, APITimeoutError */
  waitUntilSettled(payment: string | Pick<Payment, 'payment_id'>, options?: WaitOptions): Promise<Payment> {
    const id = typeof payment === 'string' ? payment : payment.payment_id;
    const outcomes = {
      free: 'settled',
      paid: 'settled',
      paid_unreceipted: 'settled',
      rejected: 'failed',
      failed: 'failed',
      unknown: 'waiting',
    } as const;
    return settled(() => this.retrieve(id, options), outcomes, options);
  }
}
