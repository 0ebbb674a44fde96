/** Sessions and purses: amounts that are set aside to be paid out of. */
import type { Payment, Purse, Session } from '../errors';
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

/** The outcome of waiting for an allowance, by its state; the state in which it has ended is its own. */
const OPENED = {
  open: 'settled',
  closing: 'settled',
  rejected: 'failed',
  failed: 'failed',
  pending_approval: 'approval',
  opening: 'waiting',
} as const;

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
    return bodyOf(this.http.GET('/v1/sessions/{id}', { ...by(id), ...this.connection.repeatable(options) }));
  }

  list(query: SessionListParams = {}, options?: RequestOptions): PagePromise<Session> {
    return this.pages(query, (page) => this.http.GET('/v1/sessions', { params: { query: page }, ...this.connection.repeatable(options) }));
  }

  /** The payments of a session. */
  payments(id: string, query: Query<'sessions.ofSession'> = {}, options?: RequestOptions): PagePromise<Payment> {
    return this.pages(query, (page) =>
      this.http.GET('/v1/sessions/{id}/payments', { params: { path: { id }, query: page }, ...this.connection.repeatable(options) }),
    );
  }

  topUp(id: string, params: SessionTopUpParams, options?: RequestOptions): Promise<Session> {
    const body = prepared(params, ['amount'], options);
    return madeBy(this.http.POST('/v1/sessions/{id}/top_up', { ...by(id), body, ...this.connection.repeatable(options) }));
  }

  /** Closes a session. Closing it twice changes nothing. */
  close(id: string, options?: RequestOptions): Promise<Session> {
    return bodyOf(this.http.POST('/v1/sessions/{id}/close', { ...by(id), ...this.connection.once(options) }));
  }

  /** Approves and opens a session, or a top-up of one, that waits for an operator. @throws SignatureRequired */
  approve(id: string, options?: RequestOptions): Promise<Session> {
    return signedBy(this.http.POST('/v1/sessions/{id}/approve', { ...by(id), ...this.connection.once(options) }));
  }

  deny(id: string, body: Schemas['DenySession'] = {}, options?: RequestOptions): Promise<Session> {
    return bodyOf(this.http.POST('/v1/sessions/{id}/deny', { ...by(id), body, ...this.connection.once(options) }));
  }

  /** Waits until a session is open. @throws ApprovalRequired, NotSettledError, APITimeoutError */
  waitUntilOpen(session: string | Pick<Session, 'session_id'>, options?: WaitOptions): Promise<Session> {
    const id = typeof session === 'string' ? session : session.session_id;
    return settled(() => this.retrieve(id, options), { ...OPENED, settled: 'settled' }, options);
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
    return bodyOf(this.http.GET('/v1/purses/{id}', { ...by(id), ...this.connection.repeatable(options) }));
  }

  list(query: PurseListParams = {}, options?: RequestOptions): PagePromise<Purse> {
    return this.pages(query, (page) => this.http.GET('/v1/purses', { params: { query: page }, ...this.connection.repeatable(options) }));
  }

  /** The payments out of a purse. */
  payments(id: string, query: Query<'purses.ofPurse'> = {}, options?: RequestOptions): PagePromise<Payment> {
    return this.pages(query, (page) =>
      this.http.GET('/v1/purses/{id}/payments', { params: { path: { id }, query: page }, ...this.connection.repeatable(options) }),
    );
  }

  /** The payment channels of a channel purse. */
  channels(id: string, query: Query<'purses.channels'> = {}, options?: RequestOptions): PagePromise<Schemas['Channel']> {
    return this.pages(query, (page) =>
      this.http.GET('/v1/purses/{id}/channels', { params: { path: { id }, query: page }, ...this.connection.repeatable(options) }),
    );
  }

  /** Closes a purse. A channel purse is `closing` until its last channel is gone. */
  close(id: string, options?: RequestOptions): Promise<Purse> {
    return bodyOf(this.http.POST('/v1/purses/{id}/close', { ...by(id), ...this.connection.once(options) }));
  }

  /** Approves and opens a purse that waits for an operator. @throws SignatureRequired */
  approve(id: string, options?: RequestOptions): Promise<Purse> {
    return signedBy(this.http.POST('/v1/purses/{id}/approve', { ...by(id), ...this.connection.once(options) }));
  }

  deny(id: string, body: Schemas['DenyPurse'] = {}, options?: RequestOptions): Promise<Purse> {
    return bodyOf(this.http.POST('/v1/purses/{id}/deny', { ...by(id), body, ...this.connection.once(options) }));
  }

  /** Waits until a purse is open. @throws ApprovalRequired, NotSettledError, APITimeoutError */
  waitUntilOpen(purse: string | Pick<Purse, 'purse_id'>, options?: WaitOptions): Promise<Purse> {
    const id = typeof purse === 'string' ? purse : purse.purse_id;
    return settled(() => this.retrieve(id, options), { ...OPENED, closed: 'settled' }, options);
  }
}
