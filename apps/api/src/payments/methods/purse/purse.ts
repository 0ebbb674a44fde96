import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Chain, type ChainPolicy, ChainUnavailableError, LocalSigner, type Signer } from '#chain';
import { offersPaymentIdentifier, refusalOf, refusalReason } from '#x402';
import { formatUsdc } from '../../../money/usdc';
import { POLICY_REVERTED, underCurrentPolicy } from '../../../orders';
import { type Purse, PurseNotOpen, PurseStore } from '../../../purses';
import { ChainUnavailable } from '../../../http/domain.errors';
import { Failpoints } from '../../../runtime/failpoints';
import { EncryptionService } from '../../../secrets';
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
import { settledResponse, settledTransaction } from '../../provider-client';
import { quoteX402, speaksX402, type X402Quote } from '../../quotes/x402';
import { INTERRUPTED } from '../charge/charge-settlement';
import { PursePaymentStore } from './purse-payment.store';
import { PurseSettlement } from './purse-settlement';
import { X402Transfers } from '../charge/x402-transfers';

const ACCOUNT_PAUSED = 'The account is paused: it pays nothing until an operator resumes it.';
const FLEET_PAUSED = 'The fleet is paused: its accounts pay nothing until an operator resumes it.';
const POLICY_ENDED = 'The policy is no longer valid: see valid_until.';
/** A facilitator's node may be a moment behind the opening of the purse. */
const STALE_FACILITATOR_PAUSE_MS = 1_000;
/** Decrypting a key takes as long as ten signatures: this many stay in memory. */
const MAX_CACHED_KEYS = 1_000;

/**
 * Pays x402 sellers out of an open purse: the delegate of the purse signs each transfer, and no transaction of ours is needed. Several
 * payments go at once; one statement bounds them by the rest of the purse. A payment has one transfer, ever: a second one could land too.
 */
@Injectable()
export class PurseMethod implements PaymentMethod<X402Quote> {
  readonly name = 'purse';
  readonly protocol = 'x402';
  private readonly signers = new LRUCache<string, Signer>({ max: MAX_CACHED_KEYS });

  constructor(
    private readonly chain: Chain,
    private readonly encryption: EncryptionService,
    private readonly purses: PurseStore,
    private readonly transfers: X402Transfers,
    private readonly settlement: PurseSettlement,
    private readonly store: PursePaymentStore,
    private readonly payments: PaymentStore,
    private readonly failpoints: Failpoints,
  ) {}

  isOffered(asked: Asked): boolean {
    return speaksX402(asked);
  }

  quote(asked: Asked, { maxMicroUsdc, provider }: Payment, { purse: funded }: Funding): X402Quote {
    const purse = requirePurse(funded);
    const { host } = new URL(provider);
    if (purse.host !== null && purse.host !== host) throw Declined.because('purse_host', `The purse pays ${purse.host} only, not ${host}.`);
    const quote = quoteX402(narrowed(asked, purse), { identity: this.chain.identity, maxMicroUsdc });
    if (quote.category !== null && quote.category !== purse.category)
      throw Declined.because(
        'category_conflict',
        `The provider is known for ${quote.category}, and the purse is for ${purse.category ?? 'no category'}.`,
        { allowed: purse.category === null ? [] : [purse.category] },
      );
    return { ...quote, category: purse.category };
  }

  /** The offer of the seller, for a purse of any host and category. */
  priceOf(asked: Asked, { maxMicroUsdc }: Payment, { purse }: Funding): X402Quote {
    return {
      ...quoteX402({ ...asked, provider: null }, { identity: this.chain.identity, maxMicroUsdc }),
      category: requirePurse(purse).category,
    };
  }

  async check(payment: Payment, quote: X402Quote, funding: Funding): Promise<void> {
    await this.requirePayable(payment, quote, funding);
    await this.transfers.check(quote, funding.account);
  }

  /** The chain is asked only for its clock and the policy's version: the purse was approved when it opened. */
  private async requirePayable(payment: Payment, quote: X402Quote, { account, purse: funded }: Funding): Promise<void> {
    const purse = requirePurse(funded);
    if (quote.payee === account.chainAddress) throw Declined.because('recipient_mismatch', 'The provider asks the account to pay itself.');
    if (account.paused) throw Declined.because('paused', ACCOUNT_PAUSED);
    const now = await this.chain.sessions.now();
    if ((purse.expiresAt ?? purse.createdAt) <= now) throw notOpen(payment, purse.id, 'expired');
    await this.requireCurrentPolicy(account, now);
    requireRest(purse, quote);
  }

  /** @throws Declined where the account's or its fleet's policy is paused or has ended; ChainUnavailable while the chain has an older one of the account than the one that was set. */
  private async requireCurrentPolicy(account: Funding['account'], now: Date): Promise<void> {
    const addresses = [account.chainAddress, ...(account.fleetAddress === null ? [] : [account.fleetAddress])];
    let policies: (ChainPolicy | null)[] = [];
    const outcome = await underCurrentPolicy(account, async () => {
      policies = await this.chain.policies.findMany(addresses, Number(account.observedSlot));
      return { kind: 'allowed', policyVersion: policies[0]?.version ?? 0n };
    });
    if (outcome.kind === 'failed') throw new ChainUnavailable(POLICY_REVERTED);
    for (const [index, policy] of policies.entries()) {
      const of = index === 0 ? {} : { scope: 'fleet' as const, ...(account.fleetId !== null && { fleet_id: account.fleetId }) };
      if (policy?.paused) throw Declined.because('paused', index === 0 ? ACCOUNT_PAUSED : FLEET_PAUSED, of);
      if (policy?.validUntil && policy.validUntil <= now) throw Declined.because('valid_until', POLICY_ENDED, of);
    }
  }

  async authorize(payment: Payment, quote: X402Quote, funding: Funding): Promise<Authorization> {
    await this.requirePayable(payment, quote, funding);
    const { account } = funding;
    const purse = requirePurse(funding.purse);
    const credential = await this.credential(payment, quote, { account, purse });
    const authorized = await this.store.authorize(payment, purse, quote, credential);
    if (!authorized) throw await this.reasonAgainst(payment, quote, purse);
    this.failpoints.pass('purse.authorized');
    return { payment: authorized, release: () => undefined };
  }

  /**
   * No answer or a failure: sent again where the seller keeps its answers. 402: sent once more where the facilitator was stale. Else the
   * chain decides: a refused credential may land until it expires, and its amount is committed so long.
   */
  async conclude(payment: Payment, { answer, sends, quote }: Answered<X402Quote>): Promise<Step> {
    const isFirst = sends === 1 && quote !== null;
    if (answer?.status === 402) {
      const { paymentResponse, paymentRequired, body } = answer;
      const reason = refusalReason({ paymentResponse, paymentRequired, body: body.toString() });
      const refusal = reason === undefined ? 'refused' : refusalOf(reason);
      if (refusal === 'simulation_failed' && isFirst) {
        await setTimeout(STALE_FACILITATOR_PAUSE_MS);
        return { payment, resend: true };
      }
      const outcome = { answer, receipt: null, claimed: null };
      return { payment: await this.settlement.answered(payment, outcome, refusal === 'in_flight' ? LANDING_WAIT_MS : 0), resend: false };
    }
    const isLost = answer === null || answer.status >= 500;
    if (isLost && isFirst && offersPaymentIdentifier(quote.required)) return { payment, resend: true };
    const response = answer?.paymentResponse ?? null;
    const receipt = settledResponse(response);
    const outcome = { answer, receipt, claimed: settledTransaction(response) };
    return { payment: await this.settlement.answered(payment, outcome, landingWaitMs(answer, receipt)), resend: false };
  }

  /** The chain shows whether the agent used it. */
  async concludeUnseen(payment: Payment): Promise<Payment> {
    return payment;
  }

  /** Never resends: the chain shows the outcome. */
  async resume(payment: Payment): Promise<Step> {
    return { payment: (await this.settlement.advance(payment)) ?? (await this.payments.find(payment.id)), resend: false };
  }

  private async credential(payment: Payment, quote: X402Quote, { account, purse }: { account: Funding['account']; purse: Purse }) {
    try {
      return await this.transfers.credential(payment, quote, this.signer(purse), account);
    } catch (error) {
      // The transfer fails also where a pause or another process has ended the purse.
      if (error instanceof Declined) throw (await this.isOpenOnChain(purse, account)) ? error : notOpen(payment, purse.id, 'closing');
      throw error;
    }
  }

  private async isOpenOnChain({ seq }: Purse, { chainAddress, observedSlot }: Funding['account']): Promise<boolean> {
    const [onChain] = await this.chain.accounts.findMany([chainAddress], Number(observedSlot));
    return onChain?.openCharge?.seq === seq;
  }

  /** Why a credential was not stored. */
  private async reasonAgainst(payment: Payment, quote: X402Quote, { id }: Purse): Promise<Error> {
    if ((await this.payments.find(payment.id)).status !== 'created') return new ChainUnavailableError(INTERRUPTED);
    const purse = await this.purses.find(id);
    if (purse.status !== 'open') return notOpen(payment, id, purse.status);
    return exceeded(purse, quote.microUsdc);
  }

  private signer({ id, delegateKey, delegateKeySealed }: Purse): Signer {
    const cached = this.signers.get(id);
    if (cached) return cached;
    const signer = LocalSigner.fromSeed(this.encryption.unseal('purse-key', id, delegateKeySealed ?? ''), delegateKey);
    this.signers.set(id, signer);
    return signer;
  }
}

function requirePurse(purse: Purse | null): Purse {
  if (!purse) throw new Error('a payment by purse needs a purse');
  return purse;
}

/** x402 names no category: a provider that is known for the category of the purse, among others, is paid under that. */
function narrowed(asked: Asked, { category }: Purse): Asked {
  const { provider } = asked;
  return category !== null && provider?.categories?.includes(category)
    ? { ...asked, provider: { ...provider, categories: [category] } }
    : asked;
}

/** A named purse that is not open is the request's conflict; a chosen one is passed over. */
function notOpen({ purseId }: Payment, id: string, status: string): Error {
  return purseId === null ? Declined.because('purse_not_open', `The purse is ${status}.`) : new PurseNotOpen(id, status);
}

function requireRest(purse: Purse, { microUsdc }: X402Quote): void {
  if (purse.committedMicroUsdc + microUsdc > purse.microUsdc) throw exceeded(purse, microUsdc);
}

function exceeded({ microUsdc: amount, committedMicroUsdc }: Purse, microUsdc: bigint): Declined {
  const [limit, rest] = [formatUsdc(amount), formatUsdc(amount - committedMicroUsdc)];
  return Declined.because('purse_amount', `The purse's amount, ${limit} USDC, leaves ${rest} USDC.`, {
    limit_usdc: limit,
    attempted_usdc: formatUsdc(microUsdc),
    remaining_usdc: rest,
  });
}
