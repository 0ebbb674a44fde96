/** HTTP 402, the Machine Payments Protocol (draft-httpauth-payment-00): what stands in the headers. Pure: no framework, no I/O. */
export { decodeBase64url, encodeBase64url } from './base64url';
export { categoryOf, normaliseCategory } from './category';
export { MAX_CHALLENGES } from './auth-params';
export { areTooManyChallenges, parseChallenges, serialiseChallenge, type Challenge, type ParsedChallenges } from './challenge';
export { parseChargeRequest, type ChargeRequest } from './charge-request';
export { parseCredential, serialiseCredential, type Credential } from './credential';
export { MppError, type MppErrorCode } from './mpp.errors';
export { canonicalJson } from './json';
export { parseReceipt, serialiseReceipt, type Receipt } from './receipt';
export { sessionProofBytes, signedProof, type SessionProof } from './session-proof';
export { parseSessionRequest, type SessionRequest } from './session-request';
export { VOUCHER_BYTES, parseSignedVoucher, signedVoucher, voucherBytes, type SignedVoucher, type Voucher } from './voucher';
