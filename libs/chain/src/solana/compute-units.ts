/**
 * Compute units asked for, per instruction: the most that `npm run bench:program` measures, with the longest lists, and a
 * little room. Part of it is for clusters whose token program is the older one, which takes 6,000 more for a transfer and 4,000
 * more for a new account. Where an address is searched (`createAccount`, `policyDraft`, `payeeTokenAccount`) a step costs 1,500
 * and their number is chance, so the room is for all but one in a million. A transaction that needs more fails; one that asks
 * for more pays more where units have a price.
 */
export const COMPUTE_UNITS = {
  createAccount: 120_000,
  setPolicy: 20_000,
  policyDraft: 40_000,
  /** A rotation may end a charge. */
  keyChange: 15_000,
  transfer: 20_000,
  openSession: 40_000,
  topUpSession: 20_000,
  settleSession: 20_000,
  closeSession: 35_000,
  /** The associated token program's, before what pays to it. */
  payeeTokenAccount: 60_000,
  approveCharge: 20_000,
  finishCharge: 15_000,
  checkPayment: 10_000,
  closeAccount: 25_000,
  sweepClosedAccount: 15_000,
  spending: 20_000,
  /** The plain transfer for a provider, and the most that providers take: a memo may need all of it. */
  chargePayment: 20_000,
  chargePaymentWithMemo: 200_000,
  /** The most that every facilitator takes, memo included; `@x402/svm` asks for as much. */
  x402Transfer: 20_000,
  mintTo: 5_000,
} as const;
