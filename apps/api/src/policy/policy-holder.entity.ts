import { Column } from 'typeorm';
import { BigintColumn, CreatedAtColumn, IdColumn, MomentColumn } from '#database';
import { KeyedCreation } from '../persistence/keyed-creation.entity';
import type { PolicyFields } from './policy.dto';

/** The columns that accounts and fleets share: an operator creates both on chain, where each has a policy. */
export abstract class PolicyHolder extends KeyedCreation {
  @IdColumn()
  id: string;

  @Column('text')
  operatorId: string;

  @Column('text')
  name: string;

  @Column('jsonb')
  metadata: object;

  /** The address that created it on chain, a seed of its PDA. */
  @Column('text')
  creator: string;

  @Column('text')
  chainAddress: string;

  /** As last read from the chain. For lists while the chain is unavailable, and never for a policy check. */
  @Column('jsonb')
  policy: PolicyFields;

  @BigintColumn()
  policyVersion: bigint;

  @MomentColumn()
  policyUpdatedAt: Date;

  /** As last read from the chain. Lists of accounts filter by it. */
  @Column('boolean')
  paused: boolean;

  /** Until then one process works on its creation; of an account also on its key rotation or closing. */
  @MomentColumn()
  leaseUntil: Date;

  @CreatedAtColumn()
  createdAt: Date;
}
