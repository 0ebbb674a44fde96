import { Injectable } from '@nestjs/common';
import { voucherBytes } from '#mpp';
import {
  type BatchChannel,
  type BatchRequirements,
  type BatchVoucher,
  buildPayment,
  type JsonObject,
  type PaymentRequired,
  refundContent,
  type X402Payment,
} from '#x402';
import { type Channel, termsOf } from '../../../channels';
import { type Purse, PurseKeys } from '../../../purses';

/** The parts of a seller's demand that each payment of a channel repeats; stored with the channel, because the refund repeats them too. */
export type BatchDemand = {
  required: Pick<PaymentRequired, 'version' | 'resource' | 'extensions'>;
  requirements: { network: string; object: JsonObject };
};

/** The demand as a channel keeps it: as text, because JSONB does not keep the order of members. */
export const keptDemand = (demand: BatchDemand): { demand: string } => ({ demand: JSON.stringify(demand) });

/** The demand that a channel keeps. */
export const demandKept = ({ challenge }: Pick<Channel, 'challenge'>): BatchDemand =>
  JSON.parse((challenge as { demand: string }).demand) as BatchDemand;

/** A channel as its payments need it: its address and what names it. */
type Named = Pick<Channel, 'address' | 'terms' | 'payee'>;

/** Signatures for channels of `batch-settlement`, by the key of their purse. */
@Injectable()
export class BatchCredentials {
  constructor(private readonly keys: PurseKeys) {}

  /** The parts of a demand that payments repeat. */
  demandOf({ required, requirements }: { required: PaymentRequired; requirements: BatchRequirements }): BatchDemand {
    const { version, resource, extensions } = required;
    return { required: { version, resource, extensions }, requirements: { network: requirements.network, object: requirements.object } };
  }

  /** A voucher of so much in all. The same amount has the same signature every time. */
  async voucher({ address }: Named, purse: Purse, cumulative: bigint): Promise<BatchVoucher> {
    const bytes = voucherBytes({ channelId: address, cumulativeAmount: cumulative, expiresAt: 0n });
    return { channel: address, cumulative, signature: await this.keys.of(purse).sign(bytes) };
  }

  /** The request that asks the seller to close a channel. */
  async refund(channel: Channel, purse: Purse): Promise<X402Payment> {
    const demand = demandKept(channel);
    const voucher = await this.voucher(channel, purse, channel.acceptedMicroUsdc);
    const content = refundContent(batchChannel(channel, demand.requirements.object), voucher);
    return this.payment(demand, content, channel.paymentId);
  }

  payment({ required, requirements }: BatchDemand, content: JsonObject, paymentId: string): X402Payment {
    return buildPayment({ required: { ...required, error: undefined, accepts: [] }, requirements, content, paymentId });
  }
}

/** A channel by the names that the scheme has for its terms. */
export function batchChannel(channel: Named, { extra }: JsonObject): BatchChannel {
  const { payer, authorizedSigner, mint, graceSeconds, salt, openSlot } = termsOf(channel);
  const { receiverAuthorizer } = extra as { receiverAuthorizer: string };
  return {
    payer,
    payerAuthorizer: authorizedSigner,
    receiver: channel.payee,
    receiverAuthorizer,
    token: mint,
    withdrawDelay: graceSeconds,
    salt,
    openSlot,
  };
}
