/** The price in a provider's `batch-settlement` offers of x402, checked against everything that needs no chain. */
import { asksBatchSettlement, batchRequirements, type BatchRequirements, type PaymentRequired } from '#x402';
import type { Asked, Quote } from '../methods/payment-method';
import { reasonAgainstOperator } from './channel-session';
import { asks } from './upto';
import { firstPayable } from './x402';

/** A price for one more voucher of a channel; the most of it if the seller's operator signs. */
export interface BatchQuote extends Quote {
  required: PaymentRequired;
  requirements: BatchRequirements;
}

/** Whether a 402 has a `batch-settlement` offer. */
export const offersBatchSettlement = (asked: Asked): boolean => asks(asked, asksBatchSettlement);

/** The first `batch-settlement` offer that may be paid. @throws Declined, with the reason against the first */
export function quoteBatchSettlement(asked: Asked, bounds: Parameters<typeof firstPayable>[1]): BatchQuote {
  const quote = firstPayable(asked, bounds, {
    name: 'batch-settlement',
    offersOf: batchRequirements,
    reasonAgainst: ({ operator }) => (operator === null ? undefined : reasonAgainstOperator(operator, asked)),
  });
  return { ...quote, isMetered: quote.requirements.operator !== null };
}
