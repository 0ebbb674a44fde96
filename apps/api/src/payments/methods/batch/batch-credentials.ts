import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { voucherBytes } from '#mpp';
import {
  authorizationBytes,
  type BatchChannel,
  type BatchProof,
  type BatchRequirements,
  buildPayment,
  type JsonObject,
  type PaymentRequired,
  refundContent,
  type X402Payment,
} from '#x402';
import { type Channel, operatorOf, termsOf } from '../../../channels';
import { type Purse, PurseKeys } from '../../../purses';
import { Clock } from '../../../runtime/clock';

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
export type Named = Pick<Channel, 'address' | 'terms' | 'payee'>;

/** One request that a channel pays for: micro-USDC of this one, and of all up to it. */
export interface ChargedRequest {
  /** Once for each request. */
  id: string;
  microUsdc: bigint;
  cumulative: bigint;
}

/** Signatures for channels of `batch-settlement`, by the key of their purse. */
@Injectable()
export class BatchCredentials {
  constructor(
    private readonly clock: Clock,
    private readonly keys: PurseKeys,
  ) {}

  /** The parts of a demand that payments repeat. */
  demandOf({ required, requirements }: { required: PaymentRequired; requirements: BatchRequirements }): BatchDemand {
    const { version, resource, extensions } = required;
    return { required: { version, resource, extensions }, requirements: { network: requirements.network, object: requirements.object } };
  }

  /**
   * The proof that a request carries: a voucher of so much in all, whose signature is the same every time, or the permission by which the
   * seller's operator signs one itself.
   */
  async proof(channel: Named, purse: Purse, demand: BatchDemand, { id, microUsdc, cumulative }: ChargedRequest): Promise<BatchProof> {
    const { address } = channel;
    const key = this.keys.of(purse);
    const operator = operatorOf(channel);
    if (operator === null) {
      const bytes = voucherBytes({ channelId: address, cumulativeAmount: cumulative, expiresAt: 0n });
      return { voucher: { channel: address, cumulative, signature: await key.sign(bytes) } };
    }
    const expiresAt = Math.floor(this.clock.now().getTime() / 1000) + Number(demand.requirements.object.maxTimeoutSeconds);
    const authorization = { channel: address, payer: purse.delegateKey, operator, requestId: id, amount: microUsdc, expiresAt };
    return { authorization, signature: await key.sign(authorizationBytes(authorization)) };
  }

  /** The request that asks the seller to close a channel. */
  async refund(channel: Channel, purse: Purse): Promise<X402Payment> {
    const demand = demandKept(channel);
    const closing = { id: randomUUID(), microUsdc: 0n, cumulative: channel.acceptedMicroUsdc };
    const proof = await this.proof(channel, purse, demand, closing);
    const content = refundContent(batchChannel(channel, demand.requirements.object), proof);
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
    ...(operatorOf(channel) !== null && { voucherSigner: 'server' as const }),
    receiver: channel.payee,
    receiverAuthorizer,
    token: mint,
    withdrawDelay: graceSeconds,
    salt,
    openSlot,
  };
}
