/** Accounts: their policy, their balance and their history. */
import { csvOptions, streamOf } from '../csv';
import type { PagePromise } from '../pagination';
import {
  bodyOf,
  by,
  keyOf,
  ifMatch,
  madeBy,
  signedBy,
  predictedBy,
  DRY_RUN,
  Resource,
  type Schemas,
  type Query,
  type PolicyUpdateOptions,
} from '../resource';
import type { RequestOptions } from '../transport';

export class Accounts extends Resource {
  /** Creates an account. A repeated call with the same `idempotencyKey` returns the first account. */
  create(body: Schemas['CreateAccount'], options: RequestOptions = {}): Promise<Schemas['Account']> {
    const header = keyOf(options);
    return bodyOf(this.http.POST('/v1/accounts', { body, params: { header }, ...this.connection.repeatable(options) }));
  }

  retrieve(id: string, options?: RequestOptions): Promise<Schemas['Account']> {
    return bodyOf(this.http.GET('/v1/accounts/{id}', { ...by(id), ...this.connection.repeatable(options) }));
  }

  list(query: Query<'accounts.list'> = {}, options?: RequestOptions): PagePromise<Schemas['Account']> {
    return this.pages(query, (page) => this.http.GET('/v1/accounts', { params: { query: page }, ...this.connection.repeatable(options) }));
  }

  /** Changes the name or the metadata of an account. */
  update(id: string, body: Schemas['ChangeAccount'], options?: RequestOptions): Promise<Schemas['Account']> {
    return bodyOf(this.http.PATCH('/v1/accounts/{id}', { ...by(id), body, ...this.connection.repeatable(options) }));
  }

  balance(id: string, options?: RequestOptions): Promise<Schemas['Balance']> {
    return bodyOf(this.http.GET('/v1/accounts/{id}/balance', { ...by(id), ...this.connection.repeatable(options) }));
  }

  /** The amount that may still be spent now. Agent keys may call it. */
  spending(id: string, options?: RequestOptions): Promise<Schemas['Spending']> {
    return bodyOf(this.http.GET('/v1/accounts/{id}/spending', { ...by(id), ...this.connection.repeatable(options) }));
  }

  transactions(id: string, query: Query<'accounts.transactions'> = {}, options?: RequestOptions): PagePromise<Schemas['Record']> {
    return this.pages(query, (page) =>
      this.http.GET('/v1/accounts/{id}/transactions', { params: { path: { id }, query: page }, ...this.connection.repeatable(options) }),
    );
  }

  /** The hosts that the account may pay; null for all. */
  hosts(id: string, options?: RequestOptions): Promise<Schemas['Hosts']> {
    return bodyOf(this.http.GET('/v1/accounts/{id}/hosts', { ...by(id), ...this.connection.repeatable(options) }));
  }

  /** Replaces the hosts that the account may pay: null allows all, an empty list none. */
  async setHosts(id: string, hosts: string[] | null, options?: RequestOptions): Promise<Schemas['Hosts']> {
    return bodyOf(this.http.PUT('/v1/accounts/{id}/hosts', { ...by(id), body: { hosts }, ...this.connection.repeatable(options) }));
  }

  policy(id: string, options?: RequestOptions): Promise<Schemas['Policy']> {
    return bodyOf(this.http.GET('/v1/accounts/{id}/policy', { ...by(id), ...this.connection.repeatable(options) }));
  }

  /** Changes the named fields. The others stay, and null resets a field. @throws SignatureRequired */
  updatePolicy(id: string, body: Schemas['UpdatePolicy'], options: PolicyUpdateOptions = {}): Promise<Schemas['Policy']> {
    const header = ifMatch(options);
    return signedBy(
      this.http.PUT('/v1/accounts/{id}/policy', { params: { path: { id }, header }, body, ...this.connection.repeatable(options) }),
    );
  }

  /** Changes many accounts, as a job. A repeated call with the same `idempotencyKey` returns the first job. */
  bulk(body: Schemas['Bulk'], options: RequestOptions = {}): Promise<Schemas['Job']> {
    const header = keyOf(options);
    return madeBy(this.http.POST('/v1/accounts/bulk', { body, params: { header }, ...this.connection.repeatable(options) }));
  }

  /** The records of a month between the opening and the closing balance. `month`, such as `2026-11`; default the running one. */
  statement(id: string, query: Query<'accounts.statement'> = {}, options?: RequestOptions): Promise<Schemas['Statement']> {
    return bodyOf(
      this.http.GET('/v1/accounts/{id}/statement', { params: { path: { id }, query }, ...this.connection.repeatable(options) }),
    );
  }

  /** The records as CSV, as a stream. `timeout` is for the whole; default: an hour. */
  async statementCsv(
    id: string,
    query: Query<'accounts.statement'> = {},
    options: RequestOptions = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const call = this.connection.repeatable(csvOptions(options));
    return streamOf(await this.http.GET('/v1/accounts/{id}/statement', { params: { path: { id }, query }, parseAs: 'stream', ...call }));
  }

  /** The changes that `bulk` would make, in sentences. */
  dryRunBulk(body: Schemas['Bulk'], options?: RequestOptions): Promise<Schemas['BulkDryRun']> {
    return predictedBy(this.http.POST('/v1/accounts/bulk', { body, params: DRY_RUN, ...this.connection.repeatable(options) }));
  }

  /** The changes that `updatePolicy` would make, in sentences. */
  dryRunPolicy(id: string, body: Schemas['UpdatePolicy'], options?: RequestOptions): Promise<Schemas['PolicyDryRun']> {
    const params = { path: { id }, ...DRY_RUN };
    return predictedBy(this.http.PUT('/v1/accounts/{id}/policy', { params, body, ...this.connection.repeatable(options) }));
  }

  /** Puts the account into a fleet; null takes it out. @throws SignatureRequired */
  setFleet(id: string, fleetId: string | null, options?: RequestOptions): Promise<Schemas['Account']> {
    const body = { fleet_id: fleetId };
    return signedBy(this.http.PUT('/v1/accounts/{id}/fleet', { ...by(id), body, ...this.connection.repeatable(options) }));
  }

  /** Closes an account for ever. @throws SignatureRequired */
  close(id: string, body: Schemas['CloseAccount'] = {}, options?: RequestOptions): Promise<Schemas['Account']> {
    return signedBy(this.http.POST('/v1/accounts/{id}/close', { ...by(id), body, ...this.connection.once(options) }));
  }
}
