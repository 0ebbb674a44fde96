import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Chain, ChainRefusedError, ChainUnavailableError, type ChannelTerms } from '#chain';
import { buildPayment, offersPaymentIdentifier, refusalOf, refusalReason, type UptoRequirements, uptoContent } from '#x402';
import type { Account } from '../../../accounts';
import { PurseKeys, storedTerms } from '../../../channels';
import { ChainUnavailable } from '../../../http/domain.errors';
import type { Purse } from '../../../purses';
import { Clock } from '../../../runtime/clock';
import { Failpoints } from '../../../runtime/failpoints';
import { Credentials } from '../../credentials';
import {
  type Answered,
  type Asked,
  type Authorization,
  type Funding,
  LANDING_WAIT_MS,
  landingWaitMs,
  type PaymentMethod,
  type Step,
} from '../../payment-method';
import type { Payment } from '../../payment.entity';
import { PaymentStore } from '../../payment.store';
import { Declined } from '../../payments.errors';
import { settledResponse } from '../../provider-client';
import { offersUpto, quoteUpto, type UptoQuote } from '../../quotes/upto';
import { INTERRUPTED, isAway } from '../charge/charge-settlement';
import { ChannelFunding } from './channel-funding';
import { type ChannelCredential, ChannelPaymentStore } from './channel-payment.store';
import { ChannelSettlement } from './channel-settlement';

/** A facilitator's node may be a moment behind ours. */
const STALE_FACILITATOR_PAUSE_MS = 1_000;
/** A channel that its seller has not settled is closed by force so long after the time that the seller has. */
const CLOSE_AFTER_MS = 60_000;
const ALL_BPS = 10_000;
const UNPAYABLE = 'What the seller asks for would fail on chain: its facilitator cannot open the channel.';

/**
 * Pays metered sellers of x402, scheme `upto`: the seller's facilitator opens a payment channel with the maximum out of a purse that the
 * payment funds for itself, the seller settles what it used, and the rest comes back. The purse was judged and reserved as every other;
 * the chain does not bind its destination.
 */
@Injectable()
export class ChannelMethod implements PaymentMethod<UptoQuote> {
  readonly name = 'channel';
  readonly protocol = 'x402';

  constructor(
    private readonly chain: Chain,
    private readonly clock: Clock,
    private readonly keys: PurseKeys,
    private readonly funding: ChannelFunding,
    private readonly credentials: Credentials,
    private readonly settlement: ChannelSettlement,
    private readonly store: ChannelPaymentStore,
    private readonly payments: PaymentStore,
    private readonly failpoints: Failpoints,
  ) {}

  isOffered(asked: Asked): boolean {
    return offersUpto(asked);
  }

  quote(asked: Asked, { maxMicroUsdc }: Payment): UptoQuote {
    return quoteUpto(asked, { identity: this.chain.identity, maxMicroUsdc });
  }

  async check(payment: Payment, quote: UptoQuote, funding: Funding): Promise<void> {
    await this.funding.check(payment, quote, funding);
  }

  async authorize(payment: Payment, quote: UptoQuote, funding: Funding): Promise<Authorization> {
    const release = (): undefined => undefined;
    const { account } = funding;
    const before = await this.funding.paidBefore(payment, account);
    if (before)
      return { payment: (await this.store.settleLost(payment, before, quote)) ?? (await this.payments.find(payment.id)), release };
    const purseId = await this.funding.newId(payment);
    const begun = await this.store.begin(payment, purseId);
    if (!begun) throw new ChainUnavailableError(INTERRUPTED);
    try {
      const purse = await this.funding.fund(begun, purseId, quote, funding);
      this.failpoints.pass('channel.funded');
      const authorized = await this.store.authorize(begun, purse, quote, await this.credential(begun, quote, { account, purse }));
      if (!authorized) throw new ChainUnavailableError(INTERRUPTED);
      this.failpoints.pass('channel.authorized');
      return { payment: authorized, release };
    } catch (error) {
      await this.settlement.release(begun);
      if (isAway(error)) throw new ChainUnavailable();
      throw error;
    }
  }

  /** Signs the opening and builds the credential. @throws Declined where it would fail on chain */
  private async credential(
    payment: Payment,
    quote: UptoQuote,
    { account, purse }: { account: Account; purse: Purse },
  ): Promise<ChannelCredential> {
    const { required, requirements } = quote;
    const { channels } = this.chain;
    const terms = termsFor(requirements, purse, await channels.openSlot());
    const { memo = null, recentBlockhash = null } = requirements;
    const opening = { terms, memo, recentBlockhash, minContextSlot: Number(account.observedSlot) };
    const { transaction, lastValidBlockHeight } = await declinedIfRefused(() => channels.buildOpening(opening, this.keys.of(purse)));
    const address = channels.addressOf(terms);
    const validAfter = Math.floor(this.clock.now().getTime() / 1000);
    const content = uptoContent(requirements, {
      from: terms.payer,
      channel: address,
      salt: terms.salt,
      openSlot: terms.openSlot,
      validAfter,
      expiresAt: validAfter + requirements.maxTimeoutSeconds,
      transaction,
    });
    const built = buildPayment({ required, requirements, content, paymentId: payment.id });
    const closeAt = new Date((await this.chain.sessions.now()).getTime() + requirements.maxTimeoutSeconds * 1000 + CLOSE_AFTER_MS);
    const facts = { purseId: purse.id, accountId: purse.accountId, paymentId: payment.id, seller: payment.provider, payee: quote.payee };
    return {
      credentialSealed: this.credentials.sealX402(payment, built),
      channel: {
        ...facts,
        address,
        terms: storedTerms(terms),
        depositMicroUsdc: terms.deposit,
        lastValidBlockHeight: BigInt(lastValidBlockHeight),
        closeAt,
      },
    };
  }

  /**
   * 402: sent once more where the facilitator was stale. No answer or a failure: sent again where the seller keeps its answers. Else the chain
   * decides: a refused opening may land until its blockhash ends.
   */
  async conclude(payment: Payment, { answer, sends, quote }: Answered<UptoQuote>): Promise<Step> {
    const isFirst = sends === 1 && quote !== null;
    if (answer?.status === 402) {
      const { paymentResponse, paymentRequired, body } = answer;
      const reason = refusalReason({ paymentResponse, paymentRequired, body: body.toString() });
      const refusal = reason === undefined ? 'refused' : refusalOf(reason);
      if (refusal === 'simulation_failed' && isFirst) {
        await setTimeout(STALE_FACILITATOR_PAUSE_MS);
        return { payment, resend: true };
      }
      return {
        payment: await this.settlement.conclude(payment, answer, null, refusal === 'in_flight' ? LANDING_WAIT_MS : 0),
        resend: false,
      };
    }
    const isLost = answer === null || answer.status >= 500;
    if (isLost && isFirst && offersPaymentIdentifier(quote.required)) return { payment, resend: true };
    const receipt = settledResponse(answer?.paymentResponse ?? null);
    return { payment: await this.settlement.conclude(payment, answer, receipt, landingWaitMs(answer, receipt)), resend: false };
  }

  /** The chain shows whether the agent used it. */
  async concludeUnseen(payment: Payment): Promise<Payment> {
    return payment;
  }

  /** Never resends: the chain shows the outcome. */
  async resume(payment: Payment): Promise<Step> {
    return { payment: await this.settlement.resume(payment), resend: false };
  }
}

/** The channel that a seller asks for, out of a purse. The facilitator is its payee, and may close it. */
function termsFor(
  { feePayer, asset, receiverAuthorizer, amount, graceSeconds, payTo, isUndistributed }: UptoRequirements,
  purse: Purse,
  openSlot: bigint,
): ChannelTerms {
  return {
    payer: purse.delegateKey,
    rentPayer: feePayer,
    payee: feePayer,
    mint: asset,
    authorizedSigner: receiverAuthorizer,
    salt: randomBytes(8).readBigUInt64LE(),
    openSlot,
    deposit: amount,
    graceSeconds,
    recipients: isUndistributed ? [] : [{ owner: payTo, shareBps: ALL_BPS }],
  };
}

async function declinedIfRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ChainRefusedError)) throw error;
    throw Declined.because(
      'challenge_invalid',
      error.reason === 'open_fails' ? UNPAYABLE : `What the seller asks for cannot be built: ${error.message}.`,
    );
  }
}
