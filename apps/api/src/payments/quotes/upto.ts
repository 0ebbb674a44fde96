/** The maximum in a provider's `upto` offers of x402, checked against everything that needs no chain. */
import type { ChainIdentity } from '#chain';
import { asksUpto, asksUptoOnly, type PaymentRequired, type UptoRequirements, uptoRequirements, X402Error } from '#x402';
import type { Asked, Quote } from '../payment-method';
import { Declined } from '../payments.errors';
import { readX402, reasonAgainst, ruleOf, soleCategory, targetOf } from './x402';

/** A maximum that a seller asks to be allowed. */
export interface UptoQuote extends Quote {
  required: PaymentRequired;
  requirements: UptoRequirements;
}

/** Whether a 402 has an `upto` offer. */
export const offersUpto = (asked: Asked): boolean => asks(asked, asksUpto);

/** Whether a 402 has `upto` offers and no other of x402. */
export const offersUptoOnly = (asked: Asked): boolean => asks(asked, asksUptoOnly);

function asks({ x402 }: Asked, by: (required: PaymentRequired) => boolean): boolean {
  try {
    const required = readX402(x402);
    return required !== null && by(required);
  } catch (error) {
    if (error instanceof X402Error) return false;
    throw error;
  }
}

/** The first `upto` offer that may be paid. @throws Declined, with the reason against the first */
export function quoteUpto(
  { x402, provider }: Asked,
  { identity, maxMicroUsdc }: { identity: ChainIdentity; maxMicroUsdc: bigint },
): UptoQuote {
  let declined: Declined | undefined;
  try {
    const required = readX402(x402);
    if (!required) throw new X402Error('unsupported_method', 'the provider does not ask by x402');
    for (const requirements of uptoRequirements(required, targetOf(identity))) {
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
      const reason = reasonAgainst(quote, provider, maxMicroUsdc);
      if (!reason) return quote;
      declined ??= reason;
    }
  } catch (error) {
    if (!(error instanceof X402Error)) throw error;
    throw Declined.because(ruleOf(error), `The provider's upto offer cannot be paid: ${error.message}.`);
  }
  throw declined ?? Declined.because('unsupported_method', 'The provider has no upto offer that can be paid.');
}
