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

  @Column('text')
  protocol: 'mpp' | 'x402';

  /** `call`: one call of the x402 scheme `upto`. `vouchers`: an MPP session, or x402 `batch-settlement`, paid voucher by voucher. */
  @Column('text')
  paysBy: 'call' | 'vouchers';

  /** By vouchers: of the highest voucher that the seller accepted, or must be taken to have accepted. Micro-USDC in all. */
  @MicroUsdcColumn()
  acceptedMicroUsdc: bigint;

  /** By vouchers: of the highest voucher that was ever signed. The seller may settle so much. */
  @MicroUsdcColumn()
  signedMicroUsdc: bigint;

  /** MPP: the amount that its deposit is being raised by; committed in its purse. Null if the chain shows the deposit as it is here. */
  @BigintColumn({ nullable: true })
  topUpMicroUsdc: bigint | null;

  /** MPP: base64 of the signed transaction that raises the deposit. The seller submits it; it is sent again until the seller answers. */
  @Column('text', { nullable: true })
  topUpTransaction: string | null;

  /** By vouchers: the payment whose voucher has no answer yet. */
  @Column('text', { nullable: true })
  payingPaymentId: string | null;

  /** By vouchers: the newest challenge or offer, which the close repeats. */
  @Column('jsonb', { nullable: true })
  challenge: Record<string, unknown> | null;

  /**
   * MPP, if the seller's operator signs the vouchers: the id of the challenge that the opening answered, which the payer's proof names. Null
   * if the service signs them.
   */
  @Column('text', { nullable: true })
  proofChallengeId: string | null;

  /** By vouchers: after so many seconds without a voucher it is closed. */
  @Column('integer', { nullable: true })
  idleSeconds: number | null;

  /** By vouchers: when its end was first wanted, by the service's clock; a minute later it is forced. */
  @MomentColumn({ nullable: true })
  endWantedAt: Date | null;

  /** The terms that name it on chain. */
  @Column('jsonb')
  terms: StoredTerms;

  @MicroUsdcColumn()
  depositMicroUsdc: bigint;

  /** The amount that the seller was paid; null until it is closed. */
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

/** The key of the seller's that signs the vouchers of a channel; null if the key of its purse does. */
export const operatorOf = ({ terms: { authorizedSigner, payer } }: Pick<Channel, 'terms'>): string | null =>
  authorizedSigner === payer ? null : authorizedSigner;

export function storedTerms(terms: ChannelTerms): StoredTerms {
  return { ...terms, salt: `${terms.salt}`, openSlot: `${terms.openSlot}`, deposit: `${terms.deposit}` };
}
