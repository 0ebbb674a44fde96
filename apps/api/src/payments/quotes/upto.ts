/** The maximum in a provider's `upto` offers of x402, checked against everything that needs no chain. */
import { asksUpto, asksByChannelOnly, type PaymentRequired, type UptoRequirements, uptoRequirements, X402Error } from '#x402';
import type { Asked, Quote } from '../methods/payment-method';
import { firstPayable, readX402 } from './x402';

/** A maximum that a seller asks to be allowed. */
export interface UptoQuote extends Quote {
  required: PaymentRequired;
  requirements: UptoRequirements;
}

/** Whether a 402 has an `upto` offer. */
export const offersUpto = (asked: Asked): boolean => asks(asked, asksUpto);

/** Whether a 402 has x402 offers of payment channels and no other. */
export const offersChannelsOnly = (asked: Asked): boolean => asks(asked, asksByChannelOnly);

/** Whether a 402 asks by x402 in a way. */
export function asks({ x402 }: Asked, by: (required: PaymentRequired) => boolean): boolean {
  try {
    const required = readX402(x402);
    return required !== null && by(required);
  } catch (error) {
    if (error instanceof X402Error) return false;
    throw error;
  }
}

/** The first `upto` offer that may be paid. @throws Declined, with the reason against the first */
export function quoteUpto(asked: Asked, bounds: Parameters<typeof firstPayable>[1]): UptoQuote {
  return { ...firstPayable(asked, bounds, { name: 'upto', offersOf: uptoRequirements }), isMetered: true };
}
