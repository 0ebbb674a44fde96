/** Calls of operators: accounts, keys, webhooks, events and providers. */
import { bodyOf, by, madeBy, newKey, signedBy, predictedBy, Resource, DRY_RUN, type Schemas } from './resource';
import type { PagePromise } from './pagination';
import type { operations } from './schema';
import type { RequestOptions } from './transport';

type Query<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;
/** The body of a 202. */
type Accepted<Operation extends 'webhooks.test' | 'deliveries.replay' | 'deliveries.send' | 'webhooks.replay' | 'webhooks.retry'> =
  operations[Operation]['responses'][202]['content']['application/json'];

/** Options of a policy change. */
export interface PolicyUpdateOptions extends RequestOptions {
  /** The version that the change is based on. Another one throws `PreconditionFailedError`. */
  ifVersion?: number;
}

export class Accounts extends Resource {
  /** Creates an account. A repeated call with the same `idempotencyKey` returns the first account. */
  create(body: Schemas['CreateAccount'], options: RequestOptions = {}): Promise<Schemas['Account']> {
    const header = { 'Idempotency-Key': options.idempotencyKey ?? newKey() };
    return bodyOf(this.http.POST('/v1/accounts', { body, params: { header }, ...this.connection.repeatable(options) }));
  }

  retrieve(id: string, options?: RequestOptions): Promise<Schemas['Account']> {
    return bodyOf(this.http.GET('/v1/accounts/{id}', { ...by(id), ...this.connection.repeatable(options) }));
  }

  list(query: Query<'accounts.list'> = {}, options?: RequestOptions): PagePromise<Schemas['Account']> {
    return this.pages((cursor) =>
      bodyOf(
        this.http.GET('/v1/accounts', {
          params: { query: { ...query, ...(cursor && { cursor }) } },
          ...this.connection.repeatable(options),
        }),
      ),
    );
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
    return this.pages((cursor) => {
      const params = { path: { id }, query: { ...query, ...(cursor && { cursor }) } };
      return bodyOf(this.http.GET('/v1/accounts/{id}/transactions', { params, ...this.connection.repeatable(options) }));
    });
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
    const header = options.ifVersion === undefined ? {} : { 'If-Match': `"${options.ifVersion}"` };
    return signedBy(
      this.http.PUT('/v1/accounts/{id}/policy', { params: { path: { id }, header }, body, ...this.connection.repeatable(options) }),
    );
  }

  /** Changes many accounts, as a job. A repeated call with the same `idempotencyKey` returns the first job. */
  bulk(body: Schemas['Bulk'], options: RequestOptions = {}): Promise<Schemas['Job']> {
    const header = { 'Idempotency-Key': options.idempotencyKey ?? newKey() };
    return madeBy(this.http.POST('/v1/accounts/bulk', { body, params: { header }, ...this.connection.repeatable(options) }));
  }

  /** The records of a month between the opening and the closing balance. `month`, such as `2026-11`; default the running one. */
  statement(id: string, query: Query<'accounts.statement'> = {}, options?: RequestOptions): Promise<Schemas['Statement']> {
    return bodyOf(
      this.http.GET('/v1/accounts/{id}/statement', { params: { path: { id }, query }, ...this.connection.repeatable(options) }),
    );
  }

  /** The same as CSV, while it is read. `timeout` is for the whole; default: an hour. */
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

/** Fleets: one policy, one set of limits and one pause for many accounts. */
export class Fleets extends Resource {
  /** Creates a fleet. A repeated call with the same `idempotencyKey` returns the first fleet. @throws SignatureRequired */
  create(body: Schemas['CreateFleet'], options: RequestOptions = {}): Promise<Schemas['Fleet']> {
    const header = { 'Idempotency-Key': options.idempotencyKey ?? newKey() };
    return signedBy(this.http.POST('/v1/fleets', { body, params: { header }, ...this.connection.repeatable(options) }));
  }

  retrieve(id: string, options?: RequestOptions): Promise<Schemas['Fleet']> {
    return bodyOf(this.http.GET('/v1/fleets/{id}', { ...by(id), ...this.connection.repeatable(options) }));
  }

  list(query: Query<'fleets.list'> = {}, options?: RequestOptions): PagePromise<Schemas['Fleet']> {
    return this.pages((cursor) =>
      bodyOf(
        this.http.GET('/v1/fleets', { params: { query: { ...query, ...(cursor && { cursor }) } }, ...this.connection.repeatable(options) }),
      ),
    );
  }

  /** Changes the name or the metadata of a fleet. */
  update(id: string, body: Schemas['ChangeFleet'], options?: RequestOptions): Promise<Schemas['Fleet']> {
    return bodyOf(this.http.PATCH('/v1/fleets/{id}', { ...by(id), body, ...this.connection.repeatable(options) }));
  }

  /** The amount that the members may still spend together. */
  spending(id: string, options?: RequestOptions): Promise<Schemas['FleetSpending']> {
    return bodyOf(this.http.GET('/v1/fleets/{id}/spending', { ...by(id), ...this.connection.repeatable(options) }));
  }

  /** The policy that binds each member by itself. */
  policy(id: string, options?: RequestOptions): Promise<Schemas['FleetPolicy']> {
    return bodyOf(this.http.GET('/v1/fleets/{id}/policy', { ...by(id), ...this.connection.repeatable(options) }));
  }

  /** Changes the named fields of the policy. The others stay, and null resets a field. @throws SignatureRequired */
  updatePolicy(id: string, body: Schemas['UpdatePolicy'], options: PolicyUpdateOptions = {}): Promise<Schemas['FleetPolicy']> {
    const header = options.ifVersion === undefined ? {} : { 'If-Match': `"${options.ifVersion}"` };
    const params = { path: { id }, header };
    return signedBy(this.http.PUT('/v1/fleets/{id}/policy', { params, body, ...this.connection.repeatable(options) }));
  }

  /** The changes that `updatePolicy` would make, in sentences. */
  dryRunPolicy(id: string, body: Schemas['UpdatePolicy'], options?: RequestOptions): Promise<Schemas['FleetPolicyDryRun']> {
    const params = { path: { id }, ...DRY_RUN };
    return predictedBy(this.http.PUT('/v1/fleets/{id}/policy', { params, body, ...this.connection.repeatable(options) }));
  }

  /** Changes the named limits of all members together. @throws SignatureRequired */
  updateLimits(id: string, body: Schemas['UpdateLimits'], options: PolicyUpdateOptions = {}): Promise<Schemas['Limits']> {
    const header = options.ifVersion === undefined ? {} : { 'If-Match': `"${options.ifVersion}"` };
    const params = { path: { id }, header };
    return signedBy(this.http.PUT('/v1/fleets/{id}/limits', { params, body, ...this.connection.repeatable(options) }));
  }

  /** Stops all payments of the members, and ends their open purses by a job. Needs no signature where the service's key is the guardian. */
  pause(id: string, options?: RequestOptions): Promise<Schemas['PausedFleet']> {
    return signedBy(this.http.POST('/v1/fleets/{id}/pause', { ...by(id), ...this.connection.repeatable(options) }));
  }

  /** @throws SignatureRequired */
  resume(id: string, options?: RequestOptions): Promise<Schemas['Fleet']> {
    return signedBy(this.http.POST('/v1/fleets/{id}/resume', { ...by(id), ...this.connection.repeatable(options) }));
  }

  /** Closes a fleet without members for ever. @throws SignatureRequired */
  close(id: string, options?: RequestOptions): Promise<Schemas['Fleet']> {
    return signedBy(this.http.POST('/v1/fleets/{id}/close', { ...by(id), ...this.connection.repeatable(options) }));
  }
}

export class Jobs extends Resource {
  retrieve(id: string, options?: RequestOptions): Promise<Schemas['JobDetails']> {
    return bodyOf(this.http.GET('/v1/jobs/{id}', { ...by(id), ...this.connection.repeatable(options) }));
  }

  list(query: Query<'jobs.list'> = {}, options?: RequestOptions): PagePromise<Schemas['Job']> {
    return this.pages((cursor) =>
      bodyOf(
        this.http.GET('/v1/jobs', { params: { query: { ...query, ...(cursor && { cursor }) } }, ...this.connection.repeatable(options) }),
      ),
    );
  }

  /** The accounts of a job, in the order of the call. */
  accounts(id: string, query: Query<'jobs.accounts'> = {}, options?: RequestOptions): PagePromise<Schemas['JobAccount']> {
    return this.pages((cursor) => {
      const params = { path: { id }, query: { ...query, ...(cursor && { cursor }) } };
      return bodyOf(this.http.GET('/v1/jobs/{id}/accounts', { params, ...this.connection.repeatable(options) }));
    });
  }

  /** Begins no further account. @throws Conflict for a finished job */
  cancel(id: string, options?: RequestOptions): Promise<Schemas['Job']> {
    return bodyOf(this.http.POST('/v1/jobs/{id}/cancel', { ...by(id), ...this.connection.repeatable(options) }));
  }
}

export class ApiKeys extends Resource {
  /** Creates a key. The result is the only one that contains it. */
  create(body: Schemas['CreateApiKey'], options?: RequestOptions): Promise<Schemas['NewApiKey']> {
    return bodyOf(this.http.POST('/v1/api_keys', { body, ...this.connection.once(options) }));
  }

  list(query: Query<'api_keys.list'> = {}, options?: RequestOptions): PagePromise<Schemas['ApiKey']> {
    return this.pages((cursor) =>
      bodyOf(
        this.http.GET('/v1/api_keys', {
          params: { query: { ...query, ...(cursor && { cursor }) } },
          ...this.connection.repeatable(options),
        }),
      ),
    );
  }

  /** Revokes a key at once. */
  async revoke(id: string, options?: RequestOptions): Promise<void> {
    await this.http.DELETE('/v1/api_keys/{id}', { ...by(id), ...this.connection.once(options) });
  }
}

export class Webhooks extends Resource {
  /** Registers a webhook. The result contains its `secret`. */
  create(body: Schemas['CreateWebhook'], options?: RequestOptions): Promise<Schemas['NewWebhook']> {
    return bodyOf(this.http.POST('/v1/webhooks', { body, ...this.connection.once(options) }));
  }

  retrieve(id: string, options?: RequestOptions): Promise<Schemas['Webhook']> {
    return bodyOf(this.http.GET('/v1/webhooks/{id}', { ...by(id), ...this.connection.repeatable(options) }));
  }

  list(query: Query<'webhooks.list'> = {}, options?: RequestOptions): PagePromise<Schemas['Webhook']> {
    return this.pages((cursor) =>
      bodyOf(
        this.http.GET('/v1/webhooks', {
          params: { query: { ...query, ...(cursor && { cursor }) } },
          ...this.connection.repeatable(options),
        }),
      ),
    );
  }

  update(id: string, body: Schemas['ChangeWebhook'], options?: RequestOptions): Promise<Schemas['Webhook']> {
    return bodyOf(this.http.PATCH('/v1/webhooks/{id}', { ...by(id), body, ...this.connection.repeatable(options) }));
  }

  async delete(id: string, options?: RequestOptions): Promise<void> {
    await this.http.DELETE('/v1/webhooks/{id}', { ...by(id), ...this.connection.once(options) });
  }

  rotateSecret(id: string, options?: RequestOptions): Promise<Schemas['NewWebhook']> {
    return bodyOf(this.http.POST('/v1/webhooks/{id}/rotate_secret', { ...by(id), ...this.connection.once(options) }));
  }

  /** Sends a `webhook.test` event. */
  test(id: string, options?: RequestOptions): Promise<Accepted<'webhooks.test'>> {
    return bodyOf(this.http.POST('/v1/webhooks/{id}/test', { ...by(id), ...this.connection.once(options) }));
  }

  deliveries(id: string, query: Query<'webhooks.listDeliveries'> = {}, options?: RequestOptions): PagePromise<Schemas['Delivery']> {
    return this.pages((cursor) => {
      const params = { path: { id }, query: { ...query, ...(cursor && { cursor }) } };
      return bodyOf(this.http.GET('/v1/webhooks/{id}/deliveries', { params, ...this.connection.repeatable(options) }));
    });
  }

  /** Sends all undelivered events of a webhook again. */
  replay(id: string, body: Schemas['ReplayWebhook'] = {}, options?: RequestOptions): Promise<Accepted<'webhooks.replay'>> {
    return bodyOf(this.http.POST('/v1/webhooks/{id}/replay', { ...by(id), body, ...this.connection.once(options) }));
  }

  /** Makes every delivery that waits for its next attempt due now. */
  retry(id: string, options?: RequestOptions): Promise<Accepted<'webhooks.retry'>> {
    return bodyOf(this.http.POST('/v1/webhooks/{id}/retry', { ...by(id), ...this.connection.once(options) }));
  }

  /** Makes the attempt of a delivery that waits now. */
  sendDelivery(id: string, options?: RequestOptions): Promise<Accepted<'deliveries.send'>> {
    return bodyOf(this.http.POST('/v1/deliveries/{id}/send', { ...by(id), ...this.connection.once(options) }));
  }

  /** Sends a delivery again. */
  replayDelivery(id: string, options?: RequestOptions): Promise<Accepted<'deliveries.replay'>> {
    return bodyOf(this.http.POST('/v1/deliveries/{id}/replay', { ...by(id), ...this.connection.once(options) }));
  }
}

export type TransactionListParams = Query<'transactions.list'>;

/** How long an export may take in all, in milliseconds. */
const EXPORT_TIMEOUT_MS = 60 * 60_000;

function csvOptions(options: RequestOptions): RequestOptions {
  return { timeout: EXPORT_TIMEOUT_MS, ...options, headers: { ...options.headers, Accept: 'text/csv' } };
}

function streamOf({ response }: { response: Response }): ReadableStream<Uint8Array> {
  if (!response.body) throw new Error('The response has no body.');
  return response.body;
}

/** The history of all accounts. An agent key sees its own. */
export class Transactions extends Resource {
  list(query: TransactionListParams = {}, options?: RequestOptions): PagePromise<Schemas['Record']> {
    return this.pages((cursor) => {
      const params = { query: { ...query, ...(cursor && { cursor }) } };
      return bodyOf(this.http.GET('/v1/transactions', { params, ...this.connection.repeatable(options) }));
    });
  }

  /**
   * The records as CSV, newest first, while they are read. `timeout` is for the whole export; default: an hour.
   * The stream fails where the connection ends before the last record.
   */
  async exportCsv(
    query: Omit<TransactionListParams, 'limit' | 'cursor'> = {},
    options: RequestOptions = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const call = this.connection.repeatable(csvOptions(options));
    return streamOf(await this.http.GET('/v1/transactions', { params: { query }, parseAs: 'stream', ...call }));
  }
}

export class Events extends Resource {
  /** The types that a webhook may subscribe to, and when each fires. */
  async types(options?: RequestOptions): Promise<Schemas['EventType'][]> {
    return (await bodyOf(this.http.GET('/v1/event_types', this.connection.repeatable(options)))).data;
  }

  retrieve(id: string, options?: RequestOptions): Promise<Schemas['Event']> {
    return bodyOf(this.http.GET('/v1/events/{id}', { ...by(id), ...this.connection.repeatable(options) }));
  }

  list(query: Query<'events.list'> = {}, options?: RequestOptions): PagePromise<Schemas['Event']> {
    return this.pages((cursor) =>
      bodyOf(
        this.http.GET('/v1/events', { params: { query: { ...query, ...(cursor && { cursor }) } }, ...this.connection.repeatable(options) }),
      ),
    );
  }
}

export class Providers extends Resource {
  list(query: Query<'providers.list'> = {}, options?: RequestOptions): PagePromise<Schemas['Provider']> {
    return this.pages((cursor) => {
      const params = { query: { ...query, ...(cursor && { cursor }) } };
      return bodyOf(this.http.GET('/v1/providers', { params, ...this.connection.repeatable(options) }));
    });
  }

  /** Pins a provider: payments at this host go to this payee, or are declined. */
  put(host: string, body: Schemas['PutProvider'], options?: RequestOptions): Promise<Schemas['Provider']> {
    return bodyOf(this.http.PUT('/v1/providers/{host}', { params: { path: { host } }, body, ...this.connection.repeatable(options) }));
  }

  retrieve(host: string, options?: RequestOptions): Promise<Schemas['Provider']> {
    return bodyOf(this.http.GET('/v1/providers/{host}', { params: { path: { host } }, ...this.connection.repeatable(options) }));
  }

  async delete(host: string, options?: RequestOptions): Promise<void> {
    await this.http.DELETE('/v1/providers/{host}', { params: { path: { host } }, ...this.connection.once(options) });
  }
}

export class Services extends Resource {
  /** Services that an account could pay now, cheapest first. `account_id` is needed unless the key has one account. */
  list(query: Query<'services.list'> = {}, options?: RequestOptions): PagePromise<Schemas['Service']> {
    return this.pages((cursor) => {
      const params = { query: { ...query, ...(cursor && { cursor }) } };
      return bodyOf(this.http.GET('/v1/services', { params, ...this.connection.repeatable(options) }));
    });
  }

  /** The catalogues in which the operator's agents find services. */
  catalogues(options?: RequestOptions): Promise<Schemas['Catalogues']> {
    return bodyOf(this.http.GET('/v1/operators/catalogues', this.connection.repeatable(options)));
  }

  setCatalogues(urls: string[], options?: RequestOptions): Promise<Schemas['Catalogues']> {
    return bodyOf(this.http.PUT('/v1/operators/catalogues', { body: { urls }, ...this.connection.repeatable(options) }));
  }
}

export class AuditLog extends Resource {
  /** Who changed what, newest first. */
  list(query: Query<'audit_log.list'> = {}, options?: RequestOptions): PagePromise<Schemas['AuditEntry']> {
    return this.pages((cursor) => {
      const params = { query: { ...query, ...(cursor && { cursor }) } };
      return bodyOf(this.http.GET('/v1/audit_log', { params, ...this.connection.repeatable(options) }));
    });
  }
}
