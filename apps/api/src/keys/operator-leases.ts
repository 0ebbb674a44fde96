import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type Row, sql } from '#database';
import { Lease } from '../persistence/lease';
import { Clock } from '../runtime/clock';

/** Length of a rotation's lease, which is renewed while it runs. */
const LEASE_MS = 120_000;
const BATCH = 8;

/** A rotation of an operator's chain key that this process has claimed. */
export interface OperatorRotation {
  operatorId: string;
  pendingChainKey: string;
}

/** Leases of operators for rotating their chain keys. */
@Injectable()
export class OperatorLeases {
  private readonly lease: Lease;

  constructor(@InjectDataSource() database: DataSource, clock: Clock) {
    this.lease = new Lease(database, clock, { table: 'operators', column: 'rotation_lease_until', durationMs: LEASE_MS });
  }

  /**
   * Claims an operator and stores the pending chain key, unless an earlier one is pending, which some accounts may have already.
   * Undefined while another process has the lease.
   */
  async claimForRotation(operatorId: string, pending: { key: string; sealed: string }): Promise<OperatorRotation | undefined> {
    const row = await this.lease.claimOne(operatorId, {
      where: sql`true`,
      set: sql`pending_chain_key = COALESCE(pending_chain_key, ${pending.key}), pending_chain_key_sealed = COALESCE(pending_chain_key_sealed, ${pending.sealed})`,
    });
    return row && rotationOf(row);
  }

  /** Claims operators whose rotation was not finished. */
  async overdueRotations(): Promise<OperatorRotation[]> {
    const rows = await this.lease.claim({ where: sql`pending_chain_key IS NOT NULL`, limit: BATCH });
    return rows.map(rotationOf);
  }

  renew(operatorId: string): Promise<void> {
    return this.lease.renew([operatorId]);
  }

  release(operatorId: string): Promise<void> {
    return this.lease.release(operatorId);
  }
}

function rotationOf({ id, pending_chain_key: pendingChainKey }: Row): OperatorRotation {
  return { operatorId: String(id), pendingChainKey: String(pendingChainKey) };
}
