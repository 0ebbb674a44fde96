/** Calls of operators who hold their chain key themselves, or want to. */
import { bodyOf, by, type Query, Resource, signedBy, type Schemas } from './resource';
import type { PagePromise } from './pagination';
import type { RequestOptions } from './transport';

export type SignatureRequestListParams = Query<'signature_requests.list'>;

/** Transactions that wait for the signature of a chain key that the operator holds. */
export class SignatureRequests extends Resource {
  list(query: SignatureRequestListParams = {}, options?: RequestOptions): PagePromise<Schemas['SignatureRequest']> {
    return this.pages(query, (page) =>
      this.http.GET('/v1/signature_requests', { params: { query: page }, ...this.connection.repeatable(options) }),
    );
  }

  retrieve(id: string, options?: RequestOptions): Promise<Schemas['SignatureRequest']> {
    return bodyOf(this.http.GET('/v1/signature_requests/{id}', { ...by(id), ...this.connection.repeatable(options) }));
  }

  /**
   * Takes the signed transaction, in base64, and does what waits for it. Returns what the first call would have returned: name its type,
   * such as `submit<Schemas['Policy']>`.
   * @throws SignatureRequired if a further transaction must be signed; ConflictError with the state `expired`: renew the request; and
   *   what the first call throws.
   */
  submit<Result extends object = Record<string, unknown>>(
    id: string,
    body: Schemas['SignedTransaction'],
    options?: RequestOptions,
  ): Promise<Result> {
    const call = this.http.POST('/v1/signature_requests/{id}', { ...by(id), body, ...this.connection.repeatable(options) });
    // Only the caller knows which action the request belongs to.
    return signedBy(call) as Promise<object> as Promise<Result>;
  }

  /** Makes the transaction again, to be signed instead of one that has expired. */
  renew(id: string, options?: RequestOptions): Promise<Schemas['SignatureRequired']> {
    return bodyOf(this.http.POST('/v1/signature_requests/{id}/renew', { ...by(id), ...this.connection.repeatable(options) }));
  }
}

/** The operator and its chain key. */
export class Operator extends Resource {
  retrieve(options?: RequestOptions): Promise<Schemas['ChainKey']> {
    return bodyOf(this.http.GET('/v1/operators/me', this.connection.repeatable(options)));
  }

  /** The text that the operator's own chain key must sign. It replaces the one before. */
  challenge(options?: RequestOptions): Promise<Schemas['ChainKeyChallenge']> {
    return bodyOf(this.http.POST('/v1/operators/chain_key/challenge', this.connection.repeatable(options)));
  }

  /**
   * Hands all accounts to a chain key that the operator holds. `retrieve` shows when all are.
   * @throws SignatureRequired if the operator holds the key before too
   */
  setChainKey(body: Schemas['SetChainKey'], options?: RequestOptions): Promise<Schemas['ChainKey']> {
    return signedBy(this.http.POST('/v1/operators/chain_key', { body, ...this.connection.once(options) }));
  }

  /** Hands all accounts to a new chain key that the service makes and holds. @throws SignatureRequired if the operator holds the key */
  rotateKey(options?: RequestOptions): Promise<Schemas['Operator']> {
    return signedBy(this.http.POST('/v1/operators/rotate_key', this.connection.once(options)));
  }
}
