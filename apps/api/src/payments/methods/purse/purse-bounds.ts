import { Injectable } from '@nestjs/common';
import { Chain, type ChainPolicy, ChainUnavailableError } from '#chain';
import { ChainUnavailable } from '../../../http/domain.errors';
import { formatUsdc } from '../../../money/usdc';
import { POLICY_REVERTED, underCurrentPolicy } from '../../../orders';
import { type Purse, PurseNotOpen, PurseStore } from '../../../purses';
import type { Asked, Funding, Quote } from '../payment-method';
import type { Payment } from '../../payment.entity';
import { PaymentStore } from '../../payment.store';
import { Declined } from '../../payments.errors';
import { INTERRUPTED } from '../charge/charge-settlement';

const ACCOUNT_PAUSED = 'The account is paused: it pays nothing until an operator resumes it.';
const FLEET_PAUSED = 'The fleet is paused: its accounts pay nothing until an operator resumes it.';
const POLICY_ENDED = 'The policy is no longer valid: see valid_until.';

/** The account and the purse that pay a payment. */
export interface Source {
  account: Funding['account'];
  purse: Purse;
}

/** The bounds of an open purse, of either kind, on the payments out of it. */
@Injectable()
export class PurseBounds {
  constructor(
    private readonly chain: Chain,
    private readonly purses: PurseStore,
    private readonly payments: PaymentStore,
  ) {}

  /** Checks that a purse may pay a quote now, and that its rest covers it. @throws Declined; ChainUnavailable */
  async require(payment: Payment, quote: Quote, source: Source, outliving = 0): Promise<void> {
    await this.requirePaying(payment, quote, source, outliving);
    requireRest(source.purse, quote.microUsdc);
  }

  /**
   * Checks that a purse may pay a quote now. The chain is asked only for its clock and the policy's version: the purse was approved when it
   * opened. `outliving`: the seconds that it must live on. @throws Declined; ChainUnavailable
   */
  async requirePaying(payment: Payment, quote: Quote, { account, purse }: Source, outliving = 0): Promise<void> {
    if (quote.payee === account.chainAddress) throw Declined.because('recipient_mismatch', 'The provider asks the account to pay itself.');
    if (account.paused) throw Declined.because('paused', ACCOUNT_PAUSED);
    // At the same time, so that both are one request.
    const [now, policies] = await Promise.all([this.chain.clock.now(), this.currentPolicies(account)]);
    const expiresAt = purse.expiresAt ?? purse.createdAt;
    if (expiresAt <= now) throw notOpen(payment, purse.id, 'expired');
    if (expiresAt.getTime() < now.getTime() + outliving * 1000)
      throw Declined.because(
        'purse_expires',
        `The purse ends at ${expiresAt.toISOString()}, within ${outliving} seconds: the rest of a channel might come back later.`,
      );
    requireSpending(account, policies, now);
  }

  /**
   * The policies of the account and its fleet. @throws ChainUnavailable while the chain has an older one of the account than the one that
   * was set
   */
  private async currentPolicies(account: Funding['account']): Promise<(ChainPolicy | null)[]> {
    const addresses = [account.chainAddress, ...(account.fleetAddress === null ? [] : [account.fleetAddress])];
    let policies: (ChainPolicy | null)[] = [];
    const outcome = await underCurrentPolicy(account, async () => {
      policies = await this.chain.policies.findMany(addresses, Number(account.observedSlot));
      return { kind: 'allowed', policyVersion: policies[0]?.version ?? 0n };
    });
    if (outcome.kind === 'failed') throw new ChainUnavailable(POLICY_REVERTED);
    return policies;
  }

  /** Why a credential was not stored. */
  async reasonAgainst(payment: Payment, quote: Quote, { id }: Purse): Promise<Error> {
    if ((await this.payments.find(payment.id)).status !== 'created') return new ChainUnavailableError(INTERRUPTED);
    const purse = await this.purses.find(id);
    return purse.status === 'open' ? exceeded(purse, quote.microUsdc) : notOpen(payment, id, purse.status);
  }
}

/** @throws Declined if the account's or its fleet's policy is paused or has ended */
function requireSpending({ fleetId }: Funding['account'], policies: (ChainPolicy | null)[], now: Date): void {
  for (const [index, policy] of policies.entries()) {
    const of = index === 0 ? {} : { scope: 'fleet' as const, ...(fleetId !== null && { fleet_id: fleetId }) };
    if (policy?.paused) throw Declined.because('paused', index === 0 ? ACCOUNT_PAUSED : FLEET_PAUSED, of);
    if (policy?.validUntil && policy.validUntil <= now) throw Declined.because('valid_until', POLICY_ENDED, of);
  }
}

/**
 * The price that a purse may pay: of its host, and under its category; without a purse, the price as it is offered. `quote` finds the price of
 * an offer. @throws Declined
 */
export function quoteWithin<Q extends Quote>(purse: Purse | null, asked: Asked, { provider }: Payment, quote: (asked: Asked) => Q): Q {
  if (!purse) return quote(asked);
  const { host } = new URL(provider);
  if (purse.host !== null && purse.host !== host) throw Declined.because('purse_host', `The purse pays ${purse.host} only, not ${host}.`);
  const found = quote(narrowed(asked, purse));
  if (found.category !== null && found.category !== purse.category)
    throw Declined.because(
      'category_conflict',
      `The provider is known for ${found.category}, and the purse is for ${purse.category ?? 'no category'}.`,
      { allowed: purse.category === null ? [] : [purse.category] },
    );
  return { ...found, category: purse.category };
}

/** A named purse that is not open is the request's conflict; a chosen one is passed over. */
export function notOpen({ purseId }: Payment, id: string, status: string): Error {
  return purseId === null ? Declined.because('purse_not_open', `The purse is ${status}.`) : new PurseNotOpen(id, status);
}

/** x402 names no category: a provider that is known for the category of the purse, among others, is paid under that. */
function narrowed(asked: Asked, { category }: Purse): Asked {
  const { provider } = asked;
  return category !== null && provider?.categories?.includes(category)
    ? { ...asked, provider: { ...provider, categories: [category] } }
    : asked;
}

/** Micro-USDC of a purse that no payment or channel has. */
export const restOf = ({ microUsdc, committedMicroUsdc }: Purse): bigint => microUsdc - committedMicroUsdc;

/** The amount that a channel is opened with, or topped up by: what the seller would like, as far as the purse has it, and at least `least`. */
export function depositOf(purse: Purse, wanted: bigint | undefined, least: bigint): bigint {
  const rest = restOf(purse);
  const most = wanted === undefined || wanted > rest ? rest : wanted;
  return most < least ? least : most;
}

/** @throws Declined if the rest of a purse does not cover an amount */
export function requireRest(purse: Purse, microUsdc: bigint): void {
  if (microUsdc > restOf(purse)) throw exceeded(purse, microUsdc);
}

function exceeded(purse: Purse, microUsdc: bigint): Declined {
  const [limit, rest] = [formatUsdc(purse.microUsdc), formatUsdc(restOf(purse))];
  return Declined.because('purse_amount', `The purse's amount, ${limit} USDC, leaves ${rest} USDC.`, {
    limit_usdc: limit,
    attempted_usdc: formatUsdc(microUsdc),
    remaining_usdc: rest,
  });
}
