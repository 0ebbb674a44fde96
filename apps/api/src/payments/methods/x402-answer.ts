/** The meaning of a seller's answer to a credential of x402, for credentials that the chain decides about. Pure. */
import { offersPaymentIdentifier, type PaymentRequired, refusalOf, refusalReason } from '#x402';
import { type Answered, LANDING_WAIT_MS, landingWaitMs, type Quote } from './payment-method';
import { settledResponse, settledTransaction } from '../provider/provider-client';

/** A facilitator's node may be a moment behind ours. */
const STALE_FACILITATOR_PAUSE_MS = 1_000;

/** `again`: the same credential is sent once more, after a pause. `final`: the chain is asked for the outcome, for `waitMs`. */
export type ReadAnswer =
  | { kind: 'again'; pauseMs: number }
  | { kind: 'final'; receipt: string | null; claimed: string | null; waitMs: number };

/**
 * 402: sent once more if the facilitator was stale. No answer or a failure: sent again if the seller keeps its answers. Else the chain
 * decides: a refused credential may land until its blockhash ends.
 */
export function readAnswer({ answer, sends, quote }: Answered<Quote & { required: PaymentRequired }>): ReadAnswer {
  const isFirst = sends === 1 && quote !== null;
  if (answer?.status === 402) {
    const { paymentResponse, paymentRequired, body } = answer;
    const reason = refusalReason({ paymentResponse, paymentRequired, body: body.toString() });
    const refusal = reason === undefined ? 'refused' : refusalOf(reason);
    if (refusal === 'simulation_failed' && isFirst) return { kind: 'again', pauseMs: STALE_FACILITATOR_PAUSE_MS };
    return { kind: 'final', receipt: null, claimed: null, waitMs: refusal === 'in_flight' ? LANDING_WAIT_MS : 0 };
  }
  const isLost = answer === null || answer.status >= 500;
  if (isLost && isFirst && offersPaymentIdentifier(quote.required)) return { kind: 'again', pauseMs: 0 };
  const response = answer?.paymentResponse ?? null;
  const receipt = settledResponse(response);
  return { kind: 'final', receipt, claimed: settledTransaction(response), waitMs: landingWaitMs(answer, receipt) };
}
