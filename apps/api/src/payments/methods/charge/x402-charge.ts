import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Chain, LocalSigner, type Signer } from '#chain';
import { offersPaymentIdentifier, refusalOf, refusalReason } from '#x402';
import { type Account, AccountsService } from '../../../accounts';
import type { Order } from '../../../orders';
import { Failpoints } from '../../../runtime/failpoints';
import { EncryptionService } from '../../../secrets';
import { type Answered, type Asked, type Funding, type KeptAnswer, LANDING_WAIT_MS, landingWaitMs, type Step } from '../payment-method';
import type { Payment } from '../../payment.entity';
import { Declined } from '../../payments.errors';
import { settledResponse } from '../../provider/provider-client';
import { offersChannelsOnly } from '../../quotes/upto';
import { quoteX402, speaksX402, type X402Quote } from '../../quotes/x402';
import { ChargeMethod } from './charge';
import { ChargeApproval } from './charge-approval';
import type { Charge } from './charge-order';
import { ChargeSettlement } from './charge-settlement';
import { type ChargeCredential, ChargeStore } from './charge.store';
import { X402Transfers } from '../x402-transfers';

/** A facilitator's node may be a moment behind the approval. */
const STALE_FACILITATOR_PAUSE_MS = 1_000;
/** The same payment, again after a pause, and once more under a new blockhash. */
const MAX_SENDS = 3;

/** Single transfers that an x402 facilitator completes, pays the fee of, and sends. */
@Injectable()
export class X402ChargeMethod extends ChargeMethod<X402Quote> {
  readonly protocol = 'x402';

  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly transfers: X402Transfers,
    encryption: EncryptionService,
    approval: ChargeApproval,
    settlement: ChargeSettlement,
    store: ChargeStore,
    failpoints: Failpoints,
  ) {
    super(encryption, approval, settlement, store, failpoints);
  }

  isOffered(asked: Asked): boolean {
    return speaksX402(asked) && !offersChannelsOnly(asked);
  }

  quote(asked: Asked, { maxMicroUsdc }: Payment): X402Quote {
    return quoteX402(asked, { identity: this.chain.identity, maxMicroUsdc });
  }

  /**
   * 402: the facilitator may be stale, and then the payment is sent again; else the charge ends at once. No answer: sent again if the
   * seller keeps its answers. In any case the chain decides the outcome.
   */
  async conclude(payment: Payment, { answer, sends, quote }: Answered<X402Quote>): Promise<Step> {
    if (answer?.status === 402) return this.refused(payment, answer, sends, quote);
    const isLost = answer === null || answer.status >= 500;
    if (isLost && sends === 1 && quote && offersPaymentIdentifier(quote.required)) return { payment, resend: true };
    const receipt = settledResponse(answer?.paymentResponse ?? null);
    return { payment: await this.settlement.conclude(payment, answer, receipt, landingWaitMs(answer, receipt)), resend: false };
  }

  /**
   * Pays by a charge under the nonce of a direct transfer that the seller refused: of the two at most one can land. Returns the payment with
   * the charge's credential; undefined if there is none to send, and then what is stored decides the outcome.
   * @throws Declined, AccountBusy, ChainUnavailable
   */
  async follow(payment: Payment, direct: Order, quote: X402Quote, funding: Funding): Promise<Payment | undefined> {
    const { signer: delegate, seed } = LocalSigner.generate();
    const charge = await this.newCharge(payment, delegate, seed);
    await this.lock(payment, () => this.store.lockFollowing(payment));
    try {
      const held = this.store.following(payment, charge);
      const approved = await this.approval.takeOver({ ...payment, ...charge }, direct, funding, { quote, held });
      if (!approved) return undefined;
      this.failpoints.pass('charge.approved');
      const renewed = await this.store.replaceCredential(payment, await this.credential(payment, quote, delegate, funding.account));
      this.failpoints.pass('charge.authorized');
      return renewed;
    } finally {
      await this.store.unlockUnlessCharged(payment);
    }
  }

  /** An offer has no time of expiry: the blockhash of the transfer ends it. */
  protected requireTime(): void {}

  protected sign(payment: Payment, _charge: Charge, quote: X402Quote, delegate: Signer, account: Account): Promise<ChargeCredential> {
    return this.credential(payment, quote, delegate, account);
  }

  protected checkTransfer(quote: X402Quote, account: Account): Promise<void> {
    return this.transfers.check(quote, account);
  }

  private async refused(payment: Payment, answer: KeptAnswer, sends: number, quote: X402Quote | null): Promise<Step> {
    const { paymentResponse, paymentRequired, body } = answer;
    const reason = refusalReason({ paymentResponse, paymentRequired, body: body.toString() });
    const refusal = reason === undefined ? 'refused' : refusalOf(reason);
    if (refusal === 'in_flight') return { payment: await this.settlement.conclude(payment, answer, null, LANDING_WAIT_MS), resend: false };
    if (refusal === 'simulation_failed' && quote && sends < MAX_SENDS) {
      await setTimeout(STALE_FACILITATOR_PAUSE_MS);
      const renewed = sends === 1 ? payment : await this.renewed(payment, quote);
      if (renewed) return { payment: renewed, resend: true };
    }
    return { payment: await this.settlement.endRefused(payment, answer), resend: false };
  }

  /**
   * Another transfer of the same charge under a new blockhash: of the two at most one can land, because the delegate has the amount once.
   * Undefined if it would fail: the first one has landed, or a pause has ended the charge.
   */
  private async renewed(payment: Payment, quote: X402Quote): Promise<Payment | undefined> {
    const account = await this.accounts.findEver(payment.operatorId, payment.accountId);
    const seed = this.encryption.unseal('charge-key', payment.id, payment.delegateKeySealed ?? '');
    const delegate = LocalSigner.fromSeed(seed, payment.delegateKey ?? '');
    try {
      const credential = await this.settlement.attempt(payment, () => this.credential(payment, quote, delegate, account));
      return credential && (await this.store.replaceCredential(payment, credential));
    } catch (error) {
      if (error instanceof Declined) return undefined;
      throw error;
    }
  }

  private async credential(payment: Payment, quote: X402Quote, delegate: Signer, account: Account): Promise<ChargeCredential> {
    const { credentialSealed, lastValidBlockHeight } = await this.transfers.credential(payment, quote, delegate, account);
    return { credentialSealed, signature: null, lastValidBlockHeight };
  }
}
