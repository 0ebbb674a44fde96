import { Column, Entity } from 'typeorm';
import type { AccountAddresses } from '#chain';
import { BigintColumn, MicroUsdcColumn, MomentColumn } from '#database';
import { PolicyHolder } from '../policy';

/** An agent's account: its addresses on chain, and the state that was last read there. */
@Entity('accounts')
export class Account extends PolicyHolder {
  /** The name in lower case. Lists filter by it. */
  @Column('text')
  nameKey: string;

  @Column('text')
  handle: string;

  /** Words for filters and bulk jobs, sorted. */
  @Column('text', { array: true })
  labels: string[];

  /** `creating` until it exists on chain, `closed` once it is closed there. The API shows only open accounts. */
  @Column('text')
  state: 'creating' | 'open' | 'closed';

  /** Whether it was seen on the finalized chain. An open one that is not may be lost in a rollback, and is created again then. */
  @Column('boolean')
  finalized: boolean;

  @Column('text')
  usdcTokenAccount: string;

  /** The hosts that it may pay; null for all. Enforced by the service. */
  @Column('text', { array: true, nullable: true })
  allowedHosts: string[] | null;

  @MomentColumn({ nullable: true })
  allowedHostsUpdatedAt: Date | null;

  /** The fleet that it is a member of; null outside of a fleet. As the chain was last seen to have it. */
  @Column('text', { nullable: true })
  fleetId: string | null;

  /** The address of that fleet. */
  @Column('text', { nullable: true })
  fleetAddress: string | null;

  /** Whether it has a policy of its own. Only a member may have none. */
  @Column('boolean')
  hasOwnPolicy: boolean;

  /** The message authentication code of names, addresses, fleet and allowed hosts. Null in a row from before there were codes. */
  @Column('bytea', { nullable: true })
  mac: Buffer | null;

  /** The public key of the authority, which spends. */
  @Column('text')
  authorityKey: string;

  /** The seed of the authority key, sealed under KEY_ENCRYPTION_KEY for this row. */
  @Column('text', { select: false })
  authorityKeySealed: string;

  /** The next authority key during a rotation. The chain determines which one is current. */
  @Column('text', { nullable: true })
  pendingAuthorityKey: string | null;

  @Column('text', { nullable: true, select: false })
  pendingAuthorityKeySealed: string | null;

  /** The message authentication code of the rotation to the pending authority. */
  @Column('bytea', { nullable: true })
  pendingAuthorityMac: Buffer | null;

  /** The closing was sent to the chain, and its outcome is not stored yet. */
  @Column('boolean')
  closing: boolean;

  /** The next nonce to allocate. */
  @BigintColumn()
  nextSeq: bigint;

  /** The observed slot: the highest one at which the account or its policy was seen to change. A node behind it is stale. */
  @BigintColumn()
  observedSlot: bigint;

  @MicroUsdcColumn()
  balanceMicroUsdc: bigint;

  @MomentColumn()
  balanceAsOf: Date;
}

/** Addresses of an account on chain, and of what judges its spending there. */
export function addressesOf({ chainAddress, usdcTokenAccount, fleetAddress, hasOwnPolicy }: Account): AccountAddresses {
  return { address: chainAddress, tokenAccount: usdcTokenAccount, ...(fleetAddress !== null && { fleet: fleetAddress }), hasOwnPolicy };
}
