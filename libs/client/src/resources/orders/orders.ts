/** The calls that transfers, sessions and purses have in common: one order pays for each of them. */
import type { Purse, Session, Transfer } from '../../errors';
import type { PagePromise } from '../../pagination';
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
  type WaitOptions,
} from '../../resource';
import type { RequestOptions } from '../../transport';

/** The types of one kind of order. */
interface OrderKind {
  object: Transfer | Session | Purse;
  /** The answer of `retrieve`, which may show more than a list. */
  retrieved: Transfer | Session | Purse;
  create: { idempotency_key?: string };
  list: object;
}

/** The meaning of each state of an object for a caller that waits. */
type Outcomes<Status extends string> = Record<Status, 'settled' | 'failed' | 'waiting' | 'approval'>;

export abstract class Orders<Kind extends OrderKind> extends Resource {
  /** @internal */
  protected abstract readonly path: '/v1/transfers' | '/v1/sessions' | '/v1/purses';
  /** The parameter of `create` that is an amount. @internal */
  protected abstract readonly amount: keyof Kind['create'];
  /** @internal */
  protected abstract readonly outcomes: Outcomes<Kind['object']['status']>;

  /** Places the order. Its result may wait for an approval, or be under way. @throws PolicyViolation and other errors. */
  create(params: Kind['create'], options?: RequestOptions): Promise<Kind['object']> {
    return madeBy(this.post('', { body: this.body(params, options), ...this.connection.repeatable(options) }));
  }

  /** The outcome that `create` would have. Nothing is done. */
  dryRun(params: Kind['create'], options?: RequestOptions): Promise<Schemas['DryRun']> {
    const call = { body: this.body(params, options), params: DRY_RUN, ...this.connection.repeatable(options) };
    return predictedBy<Schemas['DryRun']>(this.post('', call));
  }

  retrieve(id: string, options?: RequestOptions): Promise<Kind['retrieved']> {
    return bodyOf<Kind['retrieved']>(this.get('/{id}', { ...by(id), ...this.connection.repeatable(options) }));
  }

  list(query: Kind['list'] = {}, options?: RequestOptions): PagePromise<Kind['object']> {
    return this.listed('', query, {}, options);
  }

  /** Approves and executes an order that waits for an operator. @throws SignatureRequired */
  approve(id: string, options?: RequestOptions): Promise<Kind['object']> {
    return signedBy(this.post('/{id}/approve', { ...by(id), ...this.connection.once(options) }));
  }

  deny(id: string, body: Schemas['DenyTransfer'] = {}, options?: RequestOptions): Promise<Kind['object']> {
    return bodyOf<Kind['object']>(this.post('/{id}/deny', { ...by(id), body, ...this.connection.once(options) }));
  }

  /** @internal */
  protected settledObject(id: string, options?: WaitOptions): Promise<Kind['retrieved']> {
    return settled<Kind['object']>(() => this.retrieve(id, options), this.outcomes, options);
  }

  /** A list below the path. @internal */
  protected listed<T>(below: string, query: object, path: object, options?: RequestOptions): PagePromise<T> {
    const call = this.connection.repeatable(options);
    return this.pages(query, (page) => this.get(below, { params: { path, query: page }, ...call }));
  }

  /** @internal */
  protected post<T>(below: string, call: object): Promise<{ data?: T }> {
    // openapi-fetch knows a path by its literal only. The three kinds have the same calls, with the types that a subclass names.
    return this.http.POST(`${this.path}${below}` as '/v1/transfers', call as never) as Promise<{ data?: never }>;
  }

  private get<T>(below: string, call: object): Promise<{ data?: T }> {
    return this.http.GET(`${this.path}${below}` as '/v1/transfers', call as never) as Promise<{ data?: never }>;
  }

  private body(params: Kind['create'], options?: RequestOptions): object {
    return prepared(params, [this.amount], options);
  }
}
