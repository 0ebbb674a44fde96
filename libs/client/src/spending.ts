/** Calls that spend: transfers, payments, sessions and purses. */
import type { Payment, Purse, Session, Transfer } from './errors';
import {
  withAmounts,
  bodyOf,
  signedBy,
  DRY_RUN,
  madeBy,
  predictedBy,
  prepared,
  Resource,
  settled,
  type Params,
  type Schemas,
  type WaitOptions,
} from './resource';
import type { PagePromise } from './pagination';
import type { operations } from './schema';
import type { RequestOptions } from './transport';

type Query<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;

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
    return bodyOf(this.http.GET('/v1/transfers/{id}', { params: { path: { id } }, ...this.connection.repeatable(options) }));
  }

  list(query: TransferListParams = {}, options?: RequestOptions): PagePromise<Transfer> {
    return this.pages((cursor) =>
      bodyOf(
        this.http.GET('/v1/transfers', {
          params: { query: { ...query, ...(cursor && { cursor }) } },
          ...this.connection.repeatable(options),
        }),
      ),
    );
  }

  /** Approves and executes a transfer that waits for an operator. @throws SignatureRequired */
  approve(id: string, options?: RequestOptions): Promise<Transfer> {
    return signedBy(this.http.POST('/v1/transfers/{id}/approve', { params: { path: { id } }, ...this.connection.once(options) }));
  }

  deny(id: string, body: Schemas['DenyTransfer'] = {}, options?: RequestOptions): Promise<Transfer> {
    return bodyOf(this.http.POST('/v1/transfers/{id}/deny', { params: { path: { id } }, body, ...this.connection.once(options) }));
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
    const call = { params: { path: { id } }, body: { receipt }, ...this.connection.repeatable(options) };
    return bodyOf(this.http.POST('/v1/payments/{id}/receipt', call));
  }

  retrieve(id: string, options?: RequestOptions): Promise<Payment> {
    return bodyOf(this.http.GET('/v1/payments/{id}', { params: { path: { id } }, ...this.connection.repeatable(options) }));
  }

  /** Everything that proves a payment, for a dispute: the 402, what was decided and sent, the transaction and the seller's signed receipts. */
  evidence(id: string, options?: RequestOptions): Promise<Schemas['Evidence']> {
    return bodyOf(this.http.GET('/v1/payments/{id}/evidence', { params: { path: { id } }, ...this.connection.repeatable(options) }));
  }

  list(query: Query<'payments.list'> = {}, options?: RequestOptions): PagePromise<Payment> {
    return this.pages((cursor) => {
      const params = { query: { ...query, ...(cursor && { cursor }) } };
      return bodyOf(this.http.GET('/v1/payments', { params, ...this.connection.repeatable(options) }));
    });
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

export type SessionCreateParams = Params<Schemas['CreateSession'], 'cap'>;
export type SessionTopUpParams = Params<Schemas['TopUpSession'], 'amount'>;
export type SessionListParams = Query<'sessions.list'>;

export class Sessions extends Resource {
  /** Sets a cap aside for one provider. */
  create(params: SessionCreateParams, options?: RequestOptions): Promise<Session> {
    const body = prepared(params, ['cap'], options);
    return madeBy(this.http.POST('/v1/sessions', { body, ...this.connection.repeatable(options) }));
  }

  dryRun(params: SessionCreateParams, options?: RequestOptions): Promise<Schemas['DryRun']> {
    const body = prepared(params, ['cap'], options);
    return predictedBy(this.http.POST('/v1/sessions', { body, params: DRY_RUN, ...this.connection.repeatable(options) }));
  }

  retrieve(id: string, options?: RequestOptions): Promise<Session> {
    return bodyOf(this.http.GET('/v1/sessions/{id}', { params: { path: { id } }, ...this.connection.repeatable(options) }));
  }

  list(query: SessionListParams = {}, options?: RequestOptions): PagePromise<Session> {
    return this.pages((cursor) =>
      bodyOf(
        this.http.GET('/v1/sessions', {
          params: { query: { ...query, ...(cursor && { cursor }) } },
          ...this.connection.repeatable(options),
        }),
      ),
    );
  }

  /** The payments of a session. */
  payments(id: string, query: Query<'sessions.ofSession'> = {}, options?: RequestOptions): PagePromise<Payment> {
    return this.pages((cursor) => {
      const params = { path: { id }, query: { ...query, ...(cursor && { cursor }) } };
      return bodyOf(this.http.GET('/v1/sessions/{id}/payments', { params, ...this.connection.repeatable(options) }));
    });
  }

  topUp(id: string, params: SessionTopUpParams, options?: RequestOptions): Promise<Session> {
    const body = prepared(params, ['amount'], options);
    return madeBy(this.http.POST('/v1/sessions/{id}/top_up', { params: { path: { id } }, body, ...this.connection.repeatable(options) }));
  }

  /** Closes a session. Closing it twice changes nothing. */
  close(id: string, options?: RequestOptions): Promise<Session> {
    return bodyOf(this.http.POST('/v1/sessions/{id}/close', { params: { path: { id } }, ...this.connection.once(options) }));
  }

  /** Approves and opens a session, or a top-up of one, that waits for an operator. @throws SignatureRequired */
  approve(id: string, options?: RequestOptions): Promise<Session> {
    return signedBy(this.http.POST('/v1/sessions/{id}/approve', { params: { path: { id } }, ...this.connection.once(options) }));
  }

  deny(id: string, body: Schemas['DenySession'] = {}, options?: RequestOptions): Promise<Session> {
    return bodyOf(this.http.POST('/v1/sessions/{id}/deny', { params: { path: { id } }, body, ...this.connection.once(options) }));
  }

  /** Waits until a session is open. @throws ApprovalRequired, NotSettledError, APITimeoutError */
  waitUntilOpen(session: string | Pick<Session, 'session_id'>, options?: WaitOptions): Promise<Session> {
    const id = typeof session === 'string' ? session : session.session_id;
    const outcomes = {
      open: 'settled',
      closing: 'settled',
      settled: 'settled',
      rejected: 'failed',
      failed: 'failed',
      pending_approval: 'approval',
      opening: 'waiting',
    } as const;
    return settled(() => this.retrieve(id, options), outcomes, options);
  }
}

export type PurseCreateParams = Params<Schemas['CreatePurse'], 'amount'>;
export type PurseListParams = Query<'purses.list'>;

export class Purses extends Resource {
  /** Opens an on-chain allowance for many x402 payments, or with `kind: 'channel'` an amount for channels to metered sellers. */
  create(params: PurseCreateParams, options?: RequestOptions): Promise<Purse> {
    const body = prepared(params, ['amount'], options);
    return madeBy(this.http.POST('/v1/purses', { body, ...this.connection.repeatable(options) }));
  }

  dryRun(params: PurseCreateParams, options?: RequestOptions): Promise<Schemas['DryRun']> {
    const body = prepared(params, ['amount'], options);
    return predictedBy(this.http.POST('/v1/purses', { body, params: DRY_RUN, ...this.connection.repeatable(options) }));
  }

  /** A purse; a channel purse with its newest channels. */
  retrieve(id: string, options?: RequestOptions): Promise<Schemas['PurseWithChannels']> {
    return bodyOf(this.http.GET('/v1/purses/{id}', { params: { path: { id } }, ...this.connection.repeatable(options) }));
  }

  list(query: PurseListParams = {}, options?: RequestOptions): PagePromise<Purse> {
    return this.pages((cursor) =>
      bodyOf(
        this.http.GET('/v1/purses', { params: { query: { ...query, ...(cursor && { cursor }) } }, ...this.connection.repeatable(options) }),
      ),
    );
  }

  /** The payments out of a purse. */
  payments(id: string, query: Query<'purses.ofPurse'> = {}, options?: RequestOptions): PagePromise<Payment> {
    return this.pages((cursor) => {
      const params = { path: { id }, query: { ...query, ...(cursor && { cursor }) } };
      return bodyOf(this.http.GET('/v1/purses/{id}/payments', { params, ...this.connection.repeatable(options) }));
    });
  }

  /** The payment channels of a channel purse. */
  channels(id: string, query: Query<'purses.channels'> = {}, options?: RequestOptions): PagePromise<Schemas['Channel']> {
    return this.pages((cursor) => {
      const params = { path: { id }, query: { ...query, ...(cursor && { cursor }) } };
      return bodyOf(this.http.GET('/v1/purses/{id}/channels', { params, ...this.connection.repeatable(options) }));
    });
  }

  /** Closes a purse. A channel purse is `closing` until its last channel is gone. */
  close(id: string, options?: RequestOptions): Promise<Purse> {
    return bodyOf(this.http.POST('/v1/purses/{id}/close', { params: { path: { id } }, ...this.connection.once(options) }));
  }

  /** Approves and opens a purse that waits for an operator. @throws SignatureRequired */
  approve(id: string, options?: RequestOptions): Promise<Purse> {
    return signedBy(this.http.POST('/v1/purses/{id}/approve', { params: { path: { id } }, ...this.connection.once(options) }));
  }

  deny(id: string, body: Schemas['DenyPurse'] = {}, options?: RequestOptions): Promise<Purse> {
    return bodyOf(this.http.POST('/v1/purses/{id}/deny', { params: { path: { id } }, body, ...this.connection.once(options) }));
  }

  /** Waits until a purse is open. @throws ApprovalRequired, NotSettledError, APITimeoutError */
  waitUntilOpen(purse: string | Pick<Purse, 'purse_id'>, options?: WaitOptions): Promise<Purse> {
    const id = typeof purse === 'string' ? purse : purse.purse_id;
    const outcomes = {
      open: 'settled',
      closing: 'settled',
      closed: 'settled',
      rejected: 'failed',
      failed: 'failed',
      pending_approval: 'approval',
      opening: 'waiting',
    } as const;
    return settled(() => this.retrieve(id, options), outcomes, options);
  }
}

/** Test USDC and the clock of a local chain. */
export class Sandbox extends Resource {
  faucet(params: Params<Schemas['Faucet'], 'amount'>, options?: RequestOptions) {
    const body = withAmounts(params, ['amount']);
    return bodyOf(this.http.POST('/v1/sandbox/faucet', { body, ...this.connection.once(options) }));
  }

  clock(body: Schemas['AdvanceClock'], options?: RequestOptions) {
    return bodyOf(this.http.POST('/v1/sandbox/clock', { body, ...this.connection.once(options) }));
  }
}
