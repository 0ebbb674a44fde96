/** Changes of many accounts. */
import type { PagePromise } from '../pagination';
import { bodyOf, by, Resource, type Schemas, type Query } from '../resource';
import type { RequestOptions } from '../transport';

export class Jobs extends Resource {
  retrieve(id: string, options?: RequestOptions): Promise<Schemas['JobDetails']> {
    return bodyOf(this.http.GET('/v1/jobs/{id}', { ...by(id), ...this.connection.repeatable(options) }));
  }

  list(query: Query<'jobs.list'> = {}, options?: RequestOptions): PagePromise<Schemas['Job']> {
    return this.pages(query, (page) => this.http.GET('/v1/jobs', { params: { query: page }, ...this.connection.repeatable(options) }));
  }

  /** The accounts of a job, in the order of the call. */
  accounts(id: string, query: Query<'jobs.accounts'> = {}, options?: RequestOptions): PagePromise<Schemas['JobAccount']> {
    return this.pages(query, (page) =>
      this.http.GET('/v1/jobs/{id}/accounts', { params: { path: { id }, query: page }, ...this.connection.repeatable(options) }),
    );
  }

  /** Begins no further account. @throws Conflict for a finished job */
  cancel(id: string, options?: RequestOptions): Promise<Schemas['Job']> {
    return bodyOf(this.http.POST('/v1/jobs/{id}/cancel', { ...by(id), ...this.connection.repeatable(options) }));
  }
}
