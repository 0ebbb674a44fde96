/** Events and the audit log. */
import type { PagePromise } from '../pagination';
import { bodyOf, by, onPage, Resource, type Schemas, type Query } from '../resource';
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
    return this.pages((cursor) =>
      bodyOf(this.http.GET('/v1/events', { params: { query: onPage(query, cursor) }, ...this.connection.repeatable(options) })),
    );
  }
}

export class AuditLog extends Resource {
  /** Who changed what, newest first. */
  list(query: Query<'audit_log.list'> = {}, options?: RequestOptions): PagePromise<Schemas['AuditEntry']> {
    return this.pages((cursor) => {
      const params = { query: onPage(query, cursor) };
      return bodyOf(this.http.GET('/v1/audit_log', { params, ...this.connection.repeatable(options) }));
    });
  }
}
