/** Pinned providers, and the services that an account could pay. */
import type { PagePromise } from '../pagination';
import { bodyOf, Resource, type Schemas, type Query } from '../resource';
import type { RequestOptions } from '../transport';

export class Providers extends Resource {
  list(query: Query<'providers.list'> = {}, options?: RequestOptions): PagePromise<Schemas['Provider']> {
    return this.pages(query, (page) => this.http.GET('/v1/providers', { params: { query: page }, ...this.connection.repeatable(options) }));
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
    return this.pages(query, (page) => this.http.GET('/v1/services', { params: { query: page }, ...this.connection.repeatable(options) }));
  }

  /** The catalogues in which the operator's agents find services. */
  catalogues(options?: RequestOptions): Promise<Schemas['Catalogues']> {
    return bodyOf(this.http.GET('/v1/operators/catalogues', this.connection.repeatable(options)));
  }

  setCatalogues(urls: string[], options?: RequestOptions): Promise<Schemas['Catalogues']> {
    return bodyOf(this.http.PUT('/v1/operators/catalogues', { body: { urls }, ...this.connection.repeatable(options) }));
  }
}
