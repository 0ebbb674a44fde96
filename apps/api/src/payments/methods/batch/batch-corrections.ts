import { Injectable } from '@nestjs/common';
import { Chain, isSignedBy } from '#chain';
import { voucherBytes } from '#mpp';
import { callContent, correctionIn } from '#x402';
import { type Channel, operatorOf } from '../../../channels';
import { PurseStore } from '../../../purses';
import { Credentials } from '../../process/credentials';
import type { KeptAnswer } from '../payment-method';
import type { Payment } from '../../payment.entity';
import { ChannelSessionStore } from '../channel-session/channel-session.store';
import { batchChannel, BatchCredentials, demandKept } from './batch-credentials';

/**
 * Answers of sellers of `batch-settlement` that count more in a channel than we do, as after a restore of the database. What a seller says is
 * believed as far as our own signature or the chain proves it.
 */
@Injectable()
export class BatchCorrections {
  constructor(
    private readonly chain: Chain,
    private readonly purses: PurseStore,
    private readonly signing: BatchCredentials,
    private readonly credentials: Credentials,
    private readonly store: ChannelSessionStore,
  ) {}

  /**
   * The payment with a voucher that adds its price to what the seller proved; undefined for a refusal that proves nothing. If the proof is
   * no more than the voucher that was just refused, it proves nothing either: the seller may have accepted that one.
   */
  async corrected(payment: Payment, channel: Channel, answer: KeptAnswer): Promise<Payment | undefined> {
    if (operatorOf(channel) !== null) return undefined;
    const accepted = await this.proven(channel, answer);
    if (accepted === null || accepted <= (payment.cumulativeMicroUsdc ?? 0n)) return undefined;
    const cumulative = accepted + payment.microUsdc;
    if (cumulative > channel.depositMicroUsdc) return undefined;
    const demand = demandKept(channel);
    const request = { id: payment.id, microUsdc: payment.microUsdc, cumulative };
    const proof = await this.signing.proof(channel, await this.purses.find(channel.purseId), demand, request);
    const content = callContent(batchChannel(channel, demand.requirements.object), proof);
    const credentialSealed = this.credentials.sealX402(payment, this.signing.payment(demand, content, payment.id));
    return this.store.correct(payment, channel, { accepted, credentialSealed });
  }

  /** Micro-USDC that the seller proves to have accepted in all: at most what we signed, or what the chain settled. Null without a proof. */
  private async proven({ address, terms }: Channel, { paymentRequired }: KeptAnswer): Promise<bigint | null> {
    const correction = correctionIn(paymentRequired, address);
    if (correction === null) return null;
    const { charged, voucher } = correction;
    if (voucher === null) return (await this.chain.channels.find([address]))[0]?.settled ?? null;
    const bytes = voucherBytes({ channelId: address, cumulativeAmount: voucher.cumulative, expiresAt: 0n });
    return charged <= voucher.cumulative && isSignedBy(terms.authorizedSigner, bytes, voucher.signature) ? charged : null;
  }
}
