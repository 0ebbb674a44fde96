/** Anchors of the audit log outside of the database: its newest entries, signed, as lines of the log. */
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { JobsService } from '../jobs/jobs.service';
import { Clock } from '../runtime/clock';
import { AuditSigner } from '../secrets';

/** How often the job looks: entries beyond a thousand are noted that late at most. */
const EVERY_MS = 10_000;
const ANCHOR_MS = 3_600_000;
const ANCHOR_ENTRIES = 1_000n;

/** The newest entry of each operator, each found by the primary key. */
const HEADS = `
  WITH RECURSIVE owner AS (
    (SELECT operator_id FROM audit_log ORDER BY operator_id LIMIT 1)
    UNION ALL
    SELECT (SELECT operator_id FROM audit_log WHERE operator_id > owner.operator_id ORDER BY operator_id LIMIT 1)
      FROM owner WHERE owner.operator_id IS NOT NULL
  )
  SELECT head.* FROM owner CROSS JOIN LATERAL (
    SELECT operator_id, position, id, hash FROM audit_log WHERE operator_id = owner.operator_id ORDER BY position DESC LIMIT 1) AS head`;

interface Head {
  operator_id: string;
  position: string;
  id: string;
  hash: string;
}

/**
 * Writes a signed line with the newest entry of each operator into the log: each hour, and after another thousand entries. A
 * writer of the database can replace a whole chain; it no longer ends with the entry of a line that was kept.
 */
@Injectable()
export class AuditHeads implements OnModuleInit {
  private readonly logger = new Logger('Audit');
  /** The head that this process anchored last, by operator. */
  private readonly anchored = new Map<string, { at: number; position: bigint }>();

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly signer: AuditSigner,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'audit-heads', everyMs: EVERY_MS, run: () => this.anchor() });
  }

  async anchor(): Promise<void> {
    const now = this.clock.now();
    const heads: Head[] = await this.database.query(HEADS);
    for (const { operator_id: operatorId, position, id, hash } of heads) {
      const last = this.anchored.get(operatorId);
      const isMany = last !== undefined && BigInt(position) / ANCHOR_ENTRIES > last.position / ANCHOR_ENTRIES;
      if (last !== undefined && !isMany && now.getTime() - last.at < ANCHOR_MS) continue;
      const text = `audit-head ${operatorId} ${position} ${id} ${hash} ${now.toISOString()}`;
      this.logger.log(`${text} ${this.signer.publicKey} ${this.signer.sign(text)}`);
      this.anchored.set(operatorId, { at: now.getTime(), position: BigInt(position) });
    }
  }
}
