/** HTTP 402, the Machine Payments Protocol (draft-httpauth-payment-00): what stands in the headers. Pure: no framework, no I/O. */
export { decodeBase64url, encodeBase64url } from './base64url';
export { categoryOf, normaliseCategory } from './requests/category';
export { MAX_CHALLENGES } from './headers/auth-params';
export { areTooManyChallenges, parseChallenges, serialiseChallenge, type Challenge, type ParsedChallenges } from './headers/challenge';
export { parseChargeRequest, type ChargeRequest } from './requests/charge-request';
export { parseCredential, serialiseCredential, type Credential } from './headers/credential';
export { MppError, type MppErrorCode } from './mpp.errors';
export { canonicalJson } from './json';
export { parseReceipt, serialiseReceipt, type Receipt } from './headers/receipt';
export { sessionProofBytes, signedProof, type SessionProof } from './requests/session-proof';
export { parseSessionRequest, type SessionRequest } from './requests/session-request';
export { VOUCHER_BYTES, parseSignedVoucher, signedVoucher, voucherBytes, type SignedVoucher, type Voucher } from './requests/voucher';
