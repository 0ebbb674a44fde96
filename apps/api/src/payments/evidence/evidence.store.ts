import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, SharedStatements, sql } from '#database';
import type { Account } from '../../accounts';
import type { PolicyFields } from '../../policy';

/** The stored evidence of a payment. */
export interface StoredEvidence {
  request: string | null;
  demand: string | null;
  answer: string | null;
  /** The policy that decided; null if nothing was to be decided. */
  policy: PolicyFields | null;
  version: number | null;
  slot: number | null;
}

/** The SQL of evidence. */
@Injectable()
export class EvidenceStore {
  private readonly demands: SharedStatements;

  constructor(@InjectDataSource() private readonly database: DataSource) {
    this.demands = new SharedStatements(database);
  }

  /** Stores the sealed 402 that a payment met, and the policy that decides about it, in one statement. */
  async keepDemand(paymentId: string, demand: string | null, { id, policy, policyVersion }: Account): Promise<void> {
    await this.demands.execute(
      sql`WITH decided AS (INSERT INTO decided_policies (account_id, version, policy)
              VALUES (${id}, ${policyVersion}, ${JSON.stringify(policy)}) ON CONFLICT DO NOTHING)
          UPDATE payments SET demand_evidence_sealed = ${demand}, decided_version = ${policyVersion} WHERE id = ${paymentId}`,
      id,
    );
  }

  async find(paymentId: string): Promise<StoredEvidence> {
    const [row] = await execute(
      this.database,
      sql`SELECT request_evidence_sealed AS request, demand_evidence_sealed AS demand, answer_evidence_sealed AS answer,
                 landed_slot::float8 AS slot, decided_version::float8 AS version, decided_policies.policy
          FROM payments LEFT JOIN decided_policies
            ON decided_policies.account_id = payments.account_id AND decided_policies.version = payments.decided_version
          WHERE payments.id = ${paymentId}`,
    );
    if (!row) throw new Error(`the payment ${paymentId} does not exist`);
    return row as unknown as StoredEvidence;
  }
}
