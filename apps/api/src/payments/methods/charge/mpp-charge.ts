import { Injectable } from '@nestjs/common';
import { Chain, type Signer } from '#chain';
import type { Account } from '../../../accounts';
import { Clock } from '../../../runtime/clock';
import { Failpoints } from '../../../runtime/failpoints';
import { EncryptionService } from '../../../secrets';
import { Credentials } from '../../process/credentials';
import { type Answered, type Asked, landingWaitMs, type Step } from '../payment-method';
import type { Payment } from '../../payment.entity';
import { Declined } from '../../payments.errors';
import { receiptFor } from '../../provider/provider-client';
import { type ChargeQuote, offersIntent, quoteCharge } from '../../quotes/mpp';
import { ChargeMethod } from './charge';
import { ChargeApproval } from './charge-approval';
import type { Charge } from './charge-order';
import { ChargeSettlement } from './charge-settlement';
import { type ChargeCredential, ChargeStore } from './charge.store';

/** Single transfers at MPP providers that take no sessions. */
@Injectable()
export class MppChargeMethod extends ChargeMethod<ChargeQuote> {
  readonly protocol = 'mpp';

  constructor(
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly credentials: Credentials,
    encryption: EncryptionService,
    approval: ChargeApproval,
    settlement: ChargeSettlement,
    store: ChargeStore,
    failpoints: Failpoints,
  ) {
    super(encryption, approval, settlement, store, failpoints);
  }

  isOffered(asked: Asked): boolean {
    return offersIntent(asked, 'charge');
  }

  quote(asked: Asked, { maxMicroUsdc }: Payment): ChargeQuote {
    return quoteCharge(asked, { now: this.clock.now(), identity: this.chain.identity, maxMicroUsdc });
  }

  /** The receipt is of this payment if its reference is the transfer's signature. The chain decides the outcome. */
  async conclude(payment: Payment, { answer }: Answered<ChargeQuote>): Promise<Step> {
    const receipt = receiptFor(payment, answer?.receipt ?? null, payment.transactionSignature) && (answer?.receipt ?? null);
    return { payment: await this.settlement.conclude(payment, answer, receipt, landingWaitMs(answer, receipt)), resend: false };
  }

  protected requireTime({ challenge: { expiresAt } }: ChargeQuote): void {
    if (expiresAt && expiresAt <= this.clock.now())
      throw Declined.because('challenge_expired', `The challenge expired at ${expiresAt.toISOString()}, before it was the payment's turn.`);
  }

  protected checkTransfer(quote: ChargeQuote, account: Account): Promise<void> {
    return this.approval.checkTransfer(quote, account);
  }

  protected async sign(
    payment: Payment,
    charge: Charge,
    quote: ChargeQuote,
    delegate: Signer,
    account: Account,
  ): Promise<ChargeCredential> {
    const { transaction, signature, lastValidBlockHeight } = await this.approval.signTransfer(charge, quote, delegate);
    const payload = { type: 'transaction', transaction };
    return {
      credentialSealed: this.credentials.seal(payment, quote.challenge, payload, account.chainAddress),
      signature,
      lastValidBlockHeight,
    };
  }
}
