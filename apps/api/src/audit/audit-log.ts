import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { empty, execute, newId, type Row, type Sql, sql } from '#database';
import { canonicalJson } from '#mpp';
import type { Caller } from '../http/caller';
import { toPage, type Page } from '../lists/pages';
import { Clock } from '../runtime/clock';
import type { AuditAction, AuditEntryView, ListAuditLogQuery } from './audit-log.dto';

/** A change, as the audit log records it. Never with a secret. */
export interface AuditChange {
  action: AuditAction;
  /** The id of what is changed; the host of a provider. */
  object: string;
  /** The changed fields before, and after. Null for an object that did not exist, or does not any more. */
  before?: Record<string, unknown> | null;
  after?: Record<string, unknown> | null;
}

/** The author of a change: the caller of a request, or the service's command line. */
export type Actor = Caller | { operatorId: string; type: 'service' };

/** The audit log: who changed what. An entry commits with its change; a change on chain is recorded before it is sent. */
@Injectable()
export class AuditLog {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * Records a change, in the transaction of `manager` if one is given. The entries of an operator are locked until it commits, so this is
   * the last statement of the transaction.
   */
  async record(actor: Actor, change: AuditChange, manager: EntityManager = this.database.manager): Promise<void> {
    const { text, values } = sql`SELECT ${this.entry(actor, change)}`;
    await manager.query(text, values);
  }

  /** A call of the SQL function that records a change, for the statement that makes it. */
  entry(actor: Actor, { action, object, before = null, after = null }: AuditChange): Sql {
    const now = this.clock.now();
    const [type, keyId, requestId, ip] =
      actor.type === 'service' ? [actor.type, null, null, null] : [actor.type, actor.keyId, actor.requestId, actor.ip];
    const id = newId('aud', now);
    const by = { type, key_id: keyId };
    // The members in canonical order: what stands before the hash of the previous entry, which only the SQL function knows, and after it.
    const upper = canonicalJson({ action, actor: by, after, at: now.toISOString(), before, id, ip, object }).replace(
      /}$/,
      ',"previous_hash":',
    );
    const lower = canonicalJson({ request_id: requestId }).replace('{', ',');
    return sql`record_audit_entry(${actor.operatorId}, ${upper}, ${lower})`;
  }

  /** A page of an operator's entries, newest first. `actions`: only entries of these. */
  async list(operatorId: string, query: ListAuditLogQuery & { actions?: AuditAction[] }): Promise<Page<AuditEntryView>> {
    const { actor, action, actions, object, since, until, cursor, limit } = query;
    const rows = await execute(
      this.database,
      sql`SELECT * FROM audit_log WHERE operator_id = ${operatorId}
          ${actor === undefined ? empty : sql`AND key_id = ${actor}`} ${action === undefined ? empty : sql`AND action = ${action}`}
          ${object === undefined ? empty : sql`AND object = ${object}`}
          ${actions === undefined ? empty : sql`AND action = ANY(${actions})`}
          ${since === undefined ? empty : sql`AND at > ${new Date(since)}`} ${until === undefined ? empty : sql`AND at <= ${new Date(until)}`}
          ${cursor === undefined ? empty : sql`AND position < ${cursor}`}
          ORDER BY position DESC LIMIT ${limit + 1}`,
    );
    const keyed = rows.map((row) => ({ id: String(row.position), row }));
    return toPage(keyed, query, ({ row }) => viewOf(row as unknown as AuditRow));
  }
}

interface AuditRow extends Row {
  id: string;
  at: Date;
  actor_type: AuditEntryView['actor']['type'];
  key_id: string | null;
  action: AuditAction;
  object: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  request_id: string | null;
  ip: string | null;
  hash: string;
  previous_hash: string | null;
}

function viewOf({
  id,
  at,
  actor_type,
  key_id,
  action,
  object,
  before,
  after,
  request_id,
  ip,
  hash,
  previous_hash,
}: AuditRow): AuditEntryView {
  const actor = { type: actor_type, key_id };
  return { id, at: at.toISOString(), actor, action, object, before, after, request_id, ip, hash, previous_hash };
}
