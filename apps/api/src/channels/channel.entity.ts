import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ChannelTerms } from '#chain';
import { BigintColumn, MicroUsdcColumn, MomentColumn } from '#database';
import type { ChannelStatus } from './channel.states';

/** Terms of a channel as they are stored: JSON has no 64-bit numbers. */
export type StoredTerms = Omit<ChannelTerms, 'salt' | 'openSlot' | 'deposit'> & Record<'salt' | 'openSlot' | 'deposit', string>;

/** A payment channel of the program payment-channels, which the key of a channel purse signed for a seller. */
@Entity('channels')
export class Channel {
  /** Its address on chain. */
  @PrimaryColumn('text')
  address: string;

  @Column('text')
  purseId: string;

  @Column('text')
  accountId: string;

  /** The payment whose credential opens it. */
  @Column('text')
  paymentId: string;

  /** The seller's origin. */
  @Column('text')
  seller: string;

  /** The owner that is paid. */
  @Column('text')
  payee: string;

  /** What names it on chain. */
  @Column('jsonb')
  terms: StoredTerms;

  @MicroUsdcColumn()
  depositMicroUsdc: bigint;

  /** What the seller was paid; null until it is closed. */
  @BigintColumn({ nullable: true })
  settledMicroUsdc: bigint | null;

  @Column('text')
  status: ChannelStatus;

  /** Above this block height it can no longer be opened. */
  @BigintColumn()
  lastValidBlockHeight: bigint;

  /** From then on, by the chain's clock, the service closes it by force. */
  @MomentColumn()
  closeAt: Date;

  @MomentColumn()
  createdAt: Date;

  @MomentColumn({ nullable: true })
  closedAt: Date | null;
}

/** The terms as the chain's library takes them. */
export function termsOf({ terms }: Pick<Channel, 'terms'>): ChannelTerms {
  return { ...terms, salt: BigInt(terms.salt), openSlot: BigInt(terms.openSlot), deposit: BigInt(terms.deposit) };
}

export function storedTerms(terms: ChannelTerms): StoredTerms {
  return { ...terms, salt: `${terms.salt}`, openSlot: `${terms.openSlot}`, deposit: `${terms.deposit}` };
}
