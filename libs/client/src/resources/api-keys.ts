/** API keys. */
import type { PagePromise } from '../pagination';
import { bodyOf, by, Resource, type Schemas, type Query } from '../resource';
import type { RequestOptions } from '../transport';

export class ApiKeys extends Resource {
  /** Creates a key. The result is the only one that contains it. */
  create(body: Schemas['CreateApiKey'], options?: RequestOptions): Promise<Schemas['NewApiKey']> {
    return bodyOf(this.http.POST('/v1/api_keys', { body, ...this.connection.once(options) }));
  }

  list(query: Query<'api_keys.list'> = {}, options?: RequestOptions): PagePromise<Schemas['ApiKey']> {
    return this.pages(query, (page) => this.http.GET('/v1/api_keys', { params: { query: page }, ...this.connection.repeatable(options) }));
  }

  /** Revokes a key at once. */
  async revoke(id: string, options?: RequestOptions): Promise<void> {
    await this.http.DELETE('/v1/api_keys/{id}', { ...by(id), ...this.connection.once(options) });
  }
}
