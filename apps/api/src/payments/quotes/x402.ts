/** The price in a provider's x402 offers, checked against everything that needs no chain. */
import type { ChainIdentity } from '#chain';
import {
  networkNames,
  parsePaymentRequired,
  parsePaymentRequiredBody,
  parsePaymentRequiredHeader,
  payableRequirements,
  type PaymentRequired,
  type PaymentRequirements,
  type PaymentTarget,
  X402Error,
} from '#x402';
import type { Asked, Quote, X402Ask } from '../methods/payment-method';
import { Declined } from '../payments.errors';
import { requireAmount } from './mpp';

/** A price asked by an x402 offer. */
export interface X402Quote extends Quote {
  required: PaymentRequired;
  requirements: PaymentRequirements;
}

/** Reads what a 402 asks by x402; null if it does not speak x402. @throws X402Error */
export function readX402(ask: X402Ask | null): PaymentRequired | null {
  if (ask === null) return null;
  if ('header' in ask) return parsePaymentRequiredHeader(ask.header);
  return 'body' in ask ? parsePaymentRequiredBody(ask.body) : parsePaymentRequired(ask.object);
}

/** Whether a 402 asks by x402, also if it does so wrongly. */
export function speaksX402({ x402 }: Asked): boolean {
  try {
    return readX402(x402) !== null;
  } catch (error) {
    if (error instanceof X402Error) return true;
    throw error;
  }
}

/** The requirements of an offer that every scheme has. */
type Offer = Pick<PaymentRequirements, 'amount' | 'payTo' | 'network'>;

/** A way to ask by x402, as refusals name it, and its offers of a cluster and a mint. `offersOf` throws X402Error if there is none. */
interface OfferKind<One extends Offer> {
  name: string;
  offersOf: (required: PaymentRequired, target: PaymentTarget) => Iterable<One>;
  /** Why this kind's offer may not be paid, before what holds for all. */
  reasonAgainst?: (requirements: One) => Declined | undefined;
}

/** The bounds of a quote. */
interface Bounds {
  identity: ChainIdentity;
  maxMicroUsdc: bigint;
}

/** The first offer of the scheme `exact` that may be paid. @throws Declined, with the reason against the first */
export function quoteX402(asked: Asked, bounds: Bounds): X402Quote {
  return firstPayable(asked, bounds, { name: 'x402', offersOf: payableRequirements });
}

/**
 * The first offer of a kind that may be paid: of this cluster and mint, to the pinned payee, within the bound.
 * @throws Declined, with the reason against the first.
 */
export function firstPayable<One extends Offer>(
  { x402, provider }: Asked,
  { identity, maxMicroUsdc }: Bounds,
  { name, offersOf, reasonAgainst: reasonOfKind }: OfferKind<One>,
): Quote & { required: PaymentRequired; requirements: One } {
  let declined: Declined | undefined;
  try {
    const required = readX402(x402);
    if (!required) throw new X402Error('unsupported_method', 'the provider does not ask by x402');
    for (const requirements of offersOf(required, targetOf(identity))) {
      const quote = {
        required,
        requirements,
        microUsdc: requirements.amount,
        payee: requirements.payTo,
        category: soleCategory(provider),
        challengeId: null,
        network: requirements.network,
        expiresAt: null,
      };
      const reason = reasonOfKind?.(requirements) ?? reasonAgainst(quote, provider, maxMicroUsdc);
      if (!reason) return quote;
      declined ??= reason;
    }
  } catch (error) {
    if (!(error instanceof X402Error)) throw error;
    throw Declined.because(ruleOf(error), `The provider's ${name} offer cannot be paid: ${error.message}.`);
  }
  throw declined ?? Declined.because('unsupported_method', `The provider has no ${name} offer that can be paid.`);
}

/** Version 1 has no name for a local chain: sellers call it devnet. The mint, which is the chain's own, distinguishes them. */
function targetOf({ genesisHash, cluster, usdcMint }: ChainIdentity): PaymentTarget {
  return { ...networkNames(genesisHash), ...(cluster === 'localnet' && { v1Name: 'solana-devnet' }), mint: usdcMint };
}

function reasonAgainst(quote: Quote, provider: Asked['provider'], maxMicroUsdc: bigint): Declined | undefined {
  if (quote.microUsdc === 0n) return Declined.because('challenge_invalid', 'The offer asks for nothing.');
  if (provider?.payee && provider.payee !== quote.payee)
    return Declined.because('recipient_mismatch', `The provider is to be paid at ${provider.payee}, and asks for ${quote.payee}.`, {
      allowed: [provider.payee],
    });
  if (provider?.categories && quote.category === null)
    return Declined.because(
      'category_conflict',
      `The provider is known for ${provider.categories.join(', ') || 'nothing'}, and x402 names no category.`,
      { allowed: provider.categories },
    );
  try {
    requireAmount(quote, { maxMicroUsdc });
    return undefined;
  } catch (error) {
    if (error instanceof Declined) return error;
    throw error;
  }
}

/** x402 names no category. A provider that the operator knows by one category is paid under that. */
function soleCategory(provider: Asked['provider']): string | null {
  return provider?.categories?.length === 1 ? (provider.categories[0] ?? null) : null;
}

function ruleOf({ code }: X402Error): string {
  return code === 'unsupported_method' || code === 'network_mismatch' || code === 'mint_mismatch' ? code : 'challenge_invalid';
}
