import type { PolicyFields } from '../../policy';
import type { AnswerEvidence, DemandEvidence, RequestEvidence } from './evidence-seals';

/** A rule that declined a payment, with its numbers. */
export interface BrokenRuleView extends Record<string, unknown> {
  rule: string;
  message: string;
}

/** The approval of the session, purse or charge that pays. */
export interface ApprovalView {
  /** The session, purse or charge. */
  id: string;
  /** The API key that approved it. */
  approved_by: string | null;
  approved_at: string | null;
}

/** What was decided about a 402, and by which policy. */
export interface DecisionView {
  policy: PolicyFields | null;
  version: number;
  /** The rules that declined the payment; none where it was allowed. */
  rules: BrokenRuleView[];
  approval: ApprovalView | null;
}

/** Something that the provider says about its offer or about the payment. */
export interface EvidenceReceiptView {
  kind: 'offer' | 'receipt' | 'payment_response' | 'payment_receipt';
  /** As it came. */
  raw: string;
  /** The id of the key that signed it; null where it is not signed. */
  signer: string | null;
  /** Whether its signature is of that key, and what it says is true of this payment. */
  verified: boolean;
  /** Why it is not verified. */
  reason: string | null;
}

/** Everything that proves a payment. What does not exist is null. */
export interface EvidenceView {
  payment_id: string;
  request: RequestEvidence | null;
  challenge: DemandEvidence | null;
  decision: DecisionView | null;
  /** The header that was sent to pay. */
  credential: { header: string; value: string } | null;
  transaction: { signature: string; slot: number | null } | null;
  response: AnswerEvidence | null;
  receipts: EvidenceReceiptView[];
}
