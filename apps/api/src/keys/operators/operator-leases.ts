import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Acceptance } from '#chain';
import { type Row, sql } from '#database';
import { Lease } from '../../persistence/lease';
import { RowMacs } from '../../secrets';
import { Clock } from '../../runtime/clock';

/** Length of a rotation's lease, which is renewed while it runs. */
const LEASE_MS = 120_000;
const BATCH = 8;

/** A rotation of an operator's chain key that this process has claimed. */
export interface OperatorRotation {
  operatorId: string;
  /** The chain key before. */
  chainKey: string;
  pendingChainKey: string;
  /** The signature of the pending key, if it is held outside; null if the service holds it. */
  acceptance: Acceptance | null;
  /** Whether the service stored it as it is. */
  isGenuine: boolean;
}

/** The chain key that an operator is to get: held by the service, sealed, or held outside by one who has accepted. */
export type NextChainKey = { key: string; sealed: string } | { key: string; acceptance: Acceptance };

/** Leases of operators for rotating their chain keys. */
@Injectable()
export class OperatorLeases {
  private readonly lease: Lease;

  constructor(
    @InjectDataSource() database: DataSource,
    clock: Clock,
    private readonly macs: RowMacs,
  ) {
    this.lease = new Lease(database, clock, { table: 'operators', column: 'rotation_lease_until', durationMs: LEASE_MS });
  }

  /**
   * Claims an operator, whose chain key is `chainKey`, and stores the pending chain key, unless an earlier one is pending, which some
   * accounts may have already.
   * Undefined while another process has the lease.
   */
  async claimForRotation(operatorId: string, chainKey: string, next: NextChainKey): Promise<OperatorRotation | undefined> {
    const [sealed, text, signature] =
      'sealed' in next ? [next.sealed, null, null] : [null, next.acceptance.text, Buffer.from(next.acceptance.signature)];
    const mac = this.macs.of('operator-rotation', factsOf({ operatorId, chainKey, key: next.key, text, signature }));
    const isFirst = sql`pending_chain_key IS NULL`;
    const row = await this.lease.claimOne(operatorId, {
      where: sql`true`,
      set: sql`pending_chain_key = COALESCE(pending_chain_key, ${next.key}),
        pending_chain_key_sealed = CASE WHEN ${isFirst} THEN ${sealed} ELSE pending_chain_key_sealed END,
        pending_acceptance_text = CASE WHEN ${isFirst} THEN ${text} ELSE pending_acceptance_text END,
        pending_acceptance_signature = CASE WHEN ${isFirst} THEN ${signature}::bytea ELSE pending_acceptance_signature END,
        pending_mac = CASE WHEN ${isFirst} THEN ${mac}::bytea ELSE pending_mac END`,
    });
    return row && this.rotationOf(row);
  }

  /** Claims operators whose rotation was not finished. */
  async overdueRotations(): Promise<OperatorRotation[]> {
    const rows = await this.lease.claim({ where: sql`pending_chain_key IS NOT NULL`, limit: BATCH });
    return rows.map((row) => this.rotationOf(row));
  }

  renew(operatorId: string): Promise<void> {
    return this.lease.renew([operatorId]);
  }

  release(operatorId: string): Promise<void> {
    return this.lease.release(operatorId);
  }

  private rotationOf(row: Row): OperatorRotation {
    const [operatorId, chainKey, pendingChainKey] = [String(row.id), String(row.chain_key), String(row.pending_chain_key)];
    const { pending_acceptance_text: text, pending_acceptance_signature: signature, pending_mac: mac } = row;
    const facts = factsOf({ operatorId, chainKey, key: pendingChainKey, text, signature });
    const acceptance =
      typeof text === 'string' && Buffer.isBuffer(signature)
        ? { address: pendingChainKey, text, signature: new Uint8Array(signature) }
        : null;
    const isGenuine = this.macs.isGenuine('operator-rotation', facts, Buffer.isBuffer(mac) ? mac : null);
    return { operatorId, chainKey, pendingChainKey, acceptance, isGenuine };
  }
}

/** The present and the next chain key of an operator. A code of an earlier rotation names an earlier key. */
function factsOf({ operatorId, chainKey, key, text, signature }: Record<'operatorId' | 'chainKey' | 'key', string> & Accepted): unknown[] {
  return [operatorId, chainKey, key, text, signature];
}

interface Accepted {
  text: unknown;
  signature: unknown;
}
