/** Events and the audit log. */
import type { PagePromise } from '../pagination';
import { bodyOf, by, Resource, type Schemas, type Query } from '../resource';
import type { RequestOptions } from '../transport';

export class Events extends Resource {
  /** The types that a webhook may subscribe to, and when each fires. */
  async types(options?: RequestOptions): Promise<Schemas['EventType'][]> {
    return (await bodyOf(this.http.GET('/v1/event_types', this.connection.repeatable(options)))).data;
  }

  retrieve(id: string, options?: RequestOptions): Promise<Schemas['Event']> {
    return bodyOf(this.http.GET('/v1/events/{id}', { ...by(id), ...this.connection.repeatable(options) }));
  }

  list(query: Query<'events.list'> = {}, options?: RequestOptions): PagePromise<Schemas['Event']> {
    return this.pages(query, (page) => this.http.GET('/v1/events', { params: { query: page }, ...this.connection.repeatable(options) }));
  }
}

export class AuditLog extends Resource {
  /** The entries of the audit log, newest first. */
  list(query: Query<'audit_log.list'> = {}, options?: RequestOptions): PagePromise<Schemas['AuditEntry']> {
    return this.pages(query, (page) => this.http.GET('/v1/audit_log', { params: { query: page }, ...this.connection.repeatable(options) }));
  }
}
