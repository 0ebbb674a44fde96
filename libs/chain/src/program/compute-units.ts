/**
 * Compute unit limit of each instruction: the most that `npm run bench:program` measures, with the longest lists, and a margin. Part
 * of the margin is for clusters with the older token program, which takes 6,000 more for a transfer and 4,000 more for a new account.
 * If the program searches an address (`createAccount`, `policyDraft`, `payeeTokenAccount`) each step costs 1,500 and their number
 * is random: the margin covers all but one in a million. A transaction that needs more than its limit fails; a higher limit costs
 * more if compute units have a price.
 */
export const COMPUTE_UNITS = {
  createAccount: 120_000,
  /** A pause may end a charge of a member, whose fleet counts with it. */
  setPolicy: 21_000,
  /** A change by a draft, whose content is hashed: of up to 1,056 entries. */
  commitDraft: 80_000,
  /** Several in one transaction. */
  growPolicy: 30_000,
  /** Two addresses are searched. */
  createFleet: 60_000,
  setFleetLimits: 10_000,
  /** Joining, leaving and ending a policy; leaving searches the address of a policy. */
  changeFleet: 40_000,
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
  /** With the key's token account before it, whose address the associated token program searches. */
  fundChannel: 90_000,
  sweepChannel: 20_000,
  finishChannel: 25_000,
  closeChannel: 20_000,
  /** Finishes it too. */
  closeOpenChannel: 30_000,
  /** Of payment-channels, whose addresses are searched: its `open`, as stock clients ask for; `top_up`; `seal` and `distribute`. */
  openChannel: 90_000,
  topUpChannel: 40_000,
  endChannel: 80_000,
  checkPayment: 10_000,
  /** Of an account or a fleet with its policy. */
  returnSurplusRent: 10_000,
  closeAccount: 25_000,
  sweepClosedAccount: 15_000,
  spending: 20_000,
  /** The plain transfer for a provider, and the most that providers take: a memo may need all of it. */
  chargePayment: 20_000,
  chargePaymentWithMemo: 200_000,
  /** The most that every facilitator takes, memo included; `@x402/svm` asks for as much. */
  x402Transfer: 20_000,
  /** A transfer of the program with a memo beside it: facilitators take up to 400,000 of a wallet program. */
  directTransfer: 40_000,
  mintTo: 5_000,
  /** The system program's transfer, and the budget's own instructions. */
  sendLamports: 1_000,
} as const;
