/** Sessions and purses: amounts that are set aside to be paid out of. */
import type { Payment, Purse, Session } from '../../errors';
import type { PagePromise } from '../../pagination';
import { bodyOf, by, madeBy, prepared, type Params, type Query, type Schemas, type WaitOptions } from '../../resource';
import type { RequestOptions } from '../../transport';
import { Orders } from './orders';

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
export type PurseCreateParams = Params<Schemas['CreatePurse'], 'amount'>;
export type PurseListParams = Query<'purses.list'>;

interface SessionKind {
  object: Session;
  retrieved: Session;
  create: SessionCreateParams;
  list: SessionListParams;
}

interface PurseKind {
  object: Purse;
  retrieved: Schemas['PurseWithChannels'];
  create: PurseCreateParams;
  list: PurseListParams;
}

abstract class Allowances<Kind extends SessionKind | PurseKind> extends Orders<Kind> {
  /** The payments out of it. */
  payments(id: string, query: Query<'sessions.ofSession' | 'purses.ofPurse'> = {}, options?: RequestOptions): PagePromise<Payment> {
    return this.listed('/{id}/payments', query, { id }, options);
  }

  /** Closes it. Closing it twice changes nothing. A channel purse is `closing` until its last channel is gone. */
  close(id: string, options?: RequestOptions): Promise<Kind['object']> {
    return bodyOf<Kind['object']>(this.post('/{id}/close', { ...by(id), ...this.connection.once(options) }));
  }
}

/** Caps set aside for one provider each. */
export class Sessions extends Allowances<SessionKind> {
  protected readonly path = '/v1/sessions';
  protected readonly amount = 'cap';
  protected readonly outcomes = { ...OPENED, settled: 'settled' } as const;

  topUp(id: string, params: SessionTopUpParams, options?: RequestOptions): Promise<Session> {
    const body = prepared(params, ['amount'], options);
    return madeBy(this.http.POST('/v1/sessions/{id}/top_up', { ...by(id), body, ...this.connection.repeatable(options) }));
  }

  /** Waits until a session is open. @throws ApprovalRequired, NotSettledError, APITimeoutError */
  waitUntilOpen(session: string | Pick<Session, 'session_id'>, options?: WaitOptions): Promise<Session> {
    return this.settledObject(typeof session === 'string' ? session : session.session_id, options);
  }
}

/** On-chain allowances for many x402 payments, or with `kind: 'channel'` amounts for channels to metered sellers. */
export class Purses extends Allowances<PurseKind> {
  protected readonly path = '/v1/purses';
  protected readonly amount = 'amount';
  protected readonly outcomes = { ...OPENED, closed: 'settled' } as const;

  /** The payment channels of a channel purse. */
  channels(id: string, query: Query<'purses.channels'> = {}, options?: RequestOptions): PagePromise<Schemas['Channel']> {
    return this.listed('/{id}/channels', query, { id }, options);
  }

  /** Waits until a purse is open. @throws ApprovalRequired, NotSettledError, APITimeoutError */
  waitUntilOpen(purse: string | Pick<Purse, 'purse_id'>, options?: WaitOptions): Promise<Purse> {
    return this.settledObject(typeof purse === 'string' ? purse : purse.purse_id, options);
  }
}
