import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ChainUnavailableError } from '#chain';
import { sessionProofBytes, signedProof, signedVoucher, voucherBytes } from '#mpp';
import { type Channel, ChannelStore } from '../../../channels';
import { EgressError } from '../../../egress/egress.errors';
import { JobsService } from '../../../jobs/jobs.service';
import { limitsOf, Providers } from '../../../providers';
import { type Purse, PurseKeys, PurseStore } from '../../../purses';
import { Failpoints } from '../../../runtime/failpoints';
import { type Credential, mppCredential } from '../../process/credentials';
import type { Payment } from '../../payment.entity';
import { PaymentStore } from '../../payment.store';
import { type ProviderAnswer, ProviderClient, type ProviderRequest } from '../../provider/provider-client';
import type { ChannelSessionQuote } from '../../quotes/channel-session';
import { BatchCredentials } from '../batch/batch-credentials';

const EVERY_MS = 2_000;
const BATCH = 20;

/** Speaks with the sellers of MPP channels: sends openings, and asks them to close. */
@Injectable()
export class ChannelSellers implements OnModuleInit {
  private readonly logger = new Logger('Channels');

  constructor(
    private readonly client: ProviderClient,
    private readonly batch: BatchCredentials,
    private readonly providers: Providers,
    private readonly channels: ChannelStore,
    private readonly purses: PurseStore,
    private readonly keys: PurseKeys,
    private readonly payments: PaymentStore,
    private readonly jobs: JobsService,
    private readonly failpoints: Failpoints,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'channel-sellers', everyMs: EVERY_MS, run: () => this.askAll() });
  }

  /** The seller's answer to the opening or the top-up of a channel, at the place of the payment's request; null if there is none. */
  async send(
    payment: Payment,
    { challenge }: ChannelSessionQuote,
    payload: Record<string, unknown>,
    payer: string,
  ): Promise<ProviderAnswer | null> {
    // Not the payment in memory: it no longer has its request.
    const request = this.client.open(await this.payments.find(payment.id));
    return this.call(payment, request, mppCredential(challenge, payload, payer));
  }

  /** The channels of a purse with the seller that take vouchers as it asks for them, newest first. */
  async channelsOf({ id, delegateKey }: Purse, { provider }: Payment, { payee, operator }: ChannelSessionQuote): Promise<Channel[]> {
    const channels = await this.channels.takingVouchers(id, provider, payee);
    return channels.filter(({ terms }) => terms.authorizedSigner === (operator ?? delegateKey));
  }

  /** The member `authentication` of a payload, if the seller's operator signs the vouchers; else nothing. The same every time. */
  async proof({ address, proofChallengeId }: Pick<Channel, 'address' | 'proofChallengeId'>, purse: Purse) {
    if (proofChallengeId === null) return {};
    const proof = { channelId: address, payer: purse.delegateKey, challengeId: proofChallengeId };
    return { authentication: signedProof(proof, await this.keys.of(purse).sign(sessionProofBytes(proof))) };
  }

  /** The payload of one call: a voucher of so much in all, or the proof by which the seller's operator signs one itself. */
  async callPayload(channel: Channel, purse: Purse, cumulative: bigint) {
    if (channel.proofChallengeId !== null) return { action: 'use', channelId: channel.address, ...(await this.proof(channel, purse)) };
    return { action: 'voucher', channelId: channel.address, voucher: await this.voucher(channel, purse, cumulative) };
  }

  /** A voucher of a channel, as the member of a payload. The same amount has the same signature every time. */
  private async voucher({ address }: Channel, purse: Purse, cumulative: bigint) {
    const facts = { channelId: address, cumulativeAmount: cumulative, expiresAt: 0n };
    const signature = await this.keys.of(purse).sign(voucherBytes(facts));
    return signedVoucher({ ...facts, signer: purse.delegateKey, signature });
  }

  private async askAll(): Promise<void> {
    await Promise.all((await this.channels.claimToAsk(BATCH)).map((channel) => this.ask(channel)));
  }

  /** Asks the seller of a channel to close it. Its answer does not matter: the chain shows the end, and without one it is forced. */
  private async ask(channel: Channel): Promise<void> {
    this.failpoints.pass('channel.seller_asked');
    if (channel.acceptedMicroUsdc === 0n || channel.challenge === null) return;
    const purse = await this.purses.find(channel.purseId);
    const payment = await this.payments.find(channel.paymentId);
    const request = { method: payment.requestMethod ?? 'GET', url: payment.requestUrl ?? channel.seller, headers: {}, body: null };
    const answer = await this.call(payment, request as ProviderRequest, await this.closing(channel, purse));
    if (answer?.status !== 200)
      this.logger.warn(`the seller of the channel ${channel.address} was asked to close it: ${answer?.status ?? 'no answer'}`);
  }

  /** The credential that asks for the end of a channel, with its last accepted voucher. */
  private async closing(channel: Channel, purse: Purse): Promise<Credential> {
    if (channel.protocol === 'x402') return this.batch.refund(channel, purse);
    const { address: channelId, acceptedMicroUsdc, challenge } = channel;
    const isOurs = channel.proofChallengeId === null;
    const final = isOurs ? { voucher: await this.voucher(channel, purse, acceptedMicroUsdc) } : await this.proof(channel, purse);
    const payload = { action: 'close', channelId, ...final };
    return mppCredential(challenge as Parameters<typeof mppCredential>[0], payload, purse.delegateKey);
  }

  private async call(payment: Payment, request: ProviderRequest, credential: Credential): Promise<ProviderAnswer | null> {
    const reading = { ...limitsOf(await this.providers.known(payment.operatorId, payment.provider)), isLive: false };
    try {
      return await this.client.call(request, reading, credential);
    } catch (error) {
      if (!(error instanceof EgressError) && !(error instanceof ChainUnavailableError)) throw error;
      this.logger.warn(`${payment.id}: ${error.message}`);
      return null;
    }
  }
}
