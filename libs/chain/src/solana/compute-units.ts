/**
 * Compute units asked for, per instruction: the most that `npm run bench:program` measures, with the longest lists, and a
 * little room. Where an address is searched (`createAccount`, `policyDraft`, `openSession`, and a payee's token account that
 * has vanished in `settleSession` and `closeSession`) a step costs 1,500 and their number is chance, so
 * the room is for all but one in a million. A transaction that needs more fails; one that asks for more pays more where
 * units have a price.
 */
export const COMPUTE_UNITS = {
  createAccount: 120_000,
  setPolicy: 20_000,
  policyDraft: 40_000,
  keyChange: 4_000,
  transfer: 30_000,
  openSession: 140_000,
  topUpSession: 30_000,
  settleSession: 80_000,
  closeSession: 80_000,
  approveCharge: 25_000,
  finishCharge: 15_000,
  checkPayment: 25_000,
  closeAccount: 10_000,
  spending: 20_000,
  /** The plain transfer for a provider, and the most that providers take: a memo may need all of it. */
  chargePayment: 20_000,
  chargePaymentWithMemo: 200_000,
  mintTo: 5_000,
} as const;
