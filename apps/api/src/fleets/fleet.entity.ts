import { Column, Entity } from 'typeorm';
import { BigintColumn, MomentColumn } from '#database';
import { type GivenCounterparty, PolicyHolder, type UpdateFleetPolicyDto } from '../policy';

/** The limits of all members together, in USDC; null where there is none. */
export interface LimitsFields {
  max_daily_spend: number | null;
  max_monthly_spend: number | null;
  max_lifetime_spend: number | null;
}

/** A fleet: its address on chain, and the state that was last read there. */
@Entity('fleets')
export class Fleet extends PolicyHolder {
  /** `creating` until it exists on chain, `closed` once it is closed there. */
  @Column('text')
  state: 'creating' | 'open' | 'closed';

  /** The key that pauses it and adds accounts; null for none. */
  @Column('text', { nullable: true })
  guardian: string | null;

  /** Of all members together. As last read from the chain; before that, as asked for. */
  @Column('jsonb')
  limits: LimitsFields;

  /** 0 until it exists on chain. */
  @BigintColumn()
  limitsVersion: bigint;

  /** The policy that its creation asked for, until the chain has it. */
  @Column('jsonb', { nullable: true })
  wantedPolicy: UpdateFleetPolicyDto | null;

  /** The counterparties of its policy as the operator named them, in the order given. */
  @Column('jsonb')
  counterparties: GivenCounterparty[];

  /** As last read from the chain. */
  @Column('integer')
  members: number;

  /** By the chain's clock, when an account was last seen to join or leave it: the windows of fleet and members are compared from then on. */
  @MomentColumn()
  membersChangedAt: Date;

  /** The highest slot at which it, its policy or a membership in it was seen to change. A node behind it is stale for its members. */
  @BigintColumn()
  observedSlot: bigint;

  /** The message authentication code of its owner and its addresses. */
  @Column('bytea')
  mac: Buffer;
}
