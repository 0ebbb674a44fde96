/**
 * Offers of the scheme `batch-settlement` on Solana: one deposit, then a voucher a call, of the payer's or of the seller's
 * (`scheme_batch_settlement_svm`, x402-foundation/x402 at 0ce3e9c08d0c25462fc214fb7471f5472e59ce5a).
 */
import bs58 from 'bs58';
import { asksBy, type ChannelRequirements, isWhole, offersBy } from './channel-offers';
import { isAddress, isSignature, parseAmount } from '../fields';
import { decodeObject, isObject, type JsonObject } from '../json';
import type { PaymentRequired } from '../messages/payment-required';
import type { PaymentTarget } from './requirements';
import { X402Error } from '../x402.errors';

/** One `batch-settlement` offer that can be paid. Its amount is the price of a call, or its maximum if the seller signs the vouchers. */
export interface BatchRequirements extends ChannelRequirements {
  /** The key of the seller's that signs the vouchers: it could take a whole deposit. Null if the payer's key signs them. */
  operator: string | null;
  /** The deposit that the seller would like to see, in base units. */
  minDeposit: bigint | undefined;
  /** After so many seconds without activity the facilitator may close the channel. */
  idleSeconds: number;
}

/** The name of a channel, for each of its payments. */
export interface BatchChannel {
  payer: string;
  /** Signs the vouchers: a key of the payer's, or the seller's operator. */
  payerAuthorizer: string;
  /** Named if the seller's operator signs the vouchers. */
  voucherSigner?: 'server';
  receiver: string;
  receiverAuthorizer: string;
  token: string;
  withdrawDelay: number;
  salt: bigint;
  openSlot: bigint;
}

/** A voucher for so much in all. `signature`: 64 bytes over the 50 bytes of a payment channel's voucher without expiry. */
export interface BatchVoucher {
  channel: string;
  cumulative: bigint;
  signature: Uint8Array;
}

/** The payer's permission to charge one request, if the seller's operator signs the vouchers. */
export interface BatchAuthorization {
  channel: string;
  payer: string;
  operator: string;
  /** Once for each request: 1 to 256 bytes. */
  requestId: string;
  /** The most that may be charged, in base units; zero asks for the end of the channel. */
  amount: bigint;
  /** Unix seconds. */
  expiresAt: number;
}

/** The signed part of a payment: a voucher of the payer's, or its permission. `signature`: 64 bytes over `authorizationBytes`. */
export type BatchProof = { voucher: BatchVoucher } | { authorization: BatchAuthorization; signature: Uint8Array };

const SCHEME = 'batch-settlement';
const [LEAST_GRACE_SECONDS, USUAL_IDLE_SECONDS] = [900, 604_800];
const BINDING = 'x402:batch-settlement:svm:rcvauth:v1:';
const AUTHORIZATION = 'x402-batch-authorization-v2';
const MISMATCH = 'invalid_batch_settlement_svm_cumulative_amount_mismatch';

/** Whether a seller asks by `batch-settlement` at all. */
export const asksBatchSettlement = (required: PaymentRequired): boolean => asksBy(SCHEME, required);

/** The text of the memo that binds the end of a channel to the seller's key. */
export const bindingMemo = (receiverAuthorizer: string): string => `${BINDING}${receiverAuthorizer}`;

/**
 * The `batch-settlement` offers that can be paid, lowest price first. @throws X402Error when none is left: `requirements_invalid`,
 * `mint_mismatch`, `network_mismatch` or `unsupported_method`, with the reason against the first.
 */
export function batchRequirements(required: PaymentRequired, target: PaymentTarget): [BatchRequirements, ...BatchRequirements[]] {
  return offersBy(SCHEME, required, target, read);
}

function read(common: ChannelRequirements): BatchRequirements | X402Error {
  const bad = (message: string): X402Error => new X402Error('requirements_invalid', `an offer on ${common.network}: ${message}`);
  const extra = isObject(common.object.extra) ? common.object.extra : {};
  const { minDeposit, maxIdleSecs = USUAL_IDLE_SECONDS, paymentFlow = 'authorization' } = extra;
  const operator = operatorIn(extra, common);
  if (operator instanceof X402Error) return operator;
  if (paymentFlow !== 'authorization') return bad('extra.paymentFlow is "authorization"');
  if (common.graceSeconds < LEAST_GRACE_SECONDS || common.graceSeconds < common.maxTimeoutSeconds)
    return bad(`extra.withdrawDelay is at least ${LEAST_GRACE_SECONDS} and maxTimeoutSeconds`);
  const deposit = minDeposit === undefined ? undefined : parseAmount(minDeposit);
  if (deposit === null || (deposit !== undefined && deposit < common.amount)) return bad('extra.minDeposit is at least the amount');
  if (!isWhole(maxIdleSecs) || maxIdleSecs < 1) return bad('extra.maxIdleSecs is a whole number of 1 or more');
  return { ...common, operator, minDeposit: deposit, idleSeconds: Math.min(maxIdleSecs, USUAL_IDLE_SECONDS) };
}

function operatorIn(
  { voucherSigner = 'client', operator }: JsonObject,
  { network, feePayer }: ChannelRequirements,
): string | null | X402Error {
  const bad = (message: string): X402Error => new X402Error('requirements_invalid', `an offer on ${network}: ${message}`);
  if (voucherSigner === 'client') return operator === undefined ? null : bad('extra.operator is for vouchers that the seller signs');
  if (voucherSigner !== 'server')
    return new X402Error('unsupported_method', `vouchers are to be signed by ${JSON.stringify(voucherSigner)}`);
  if (operator === undefined)
    return new X402Error('unsupported_method', 'the seller wants to sign the vouchers itself, and does not name its key');
  if (!isAddress(operator) || operator === feePayer) return bad('extra.operator is an address, and not extra.feePayer');
  return operator;
}

/** The bytes that the payer signs to let the seller's operator charge a request. */
export function authorizationBytes({ channel, payer, operator, requestId, amount, expiresAt }: BatchAuthorization): Uint8Array {
  const request = Buffer.from(requestId);
  const numbers = Buffer.alloc(16);
  numbers.writeBigUInt64LE(amount);
  numbers.writeBigInt64LE(BigInt(expiresAt), 8);
  const addresses = [channel, payer, operator].map((address) => bs58.decode(address));
  return Buffer.concat([Buffer.from(AUTHORIZATION), ...addresses, Buffer.of(request.length & 0xff, request.length >> 8), request, numbers]);
}

/** The content of a payment by a channel that is open. */
export function callContent(channel: BatchChannel, proof: BatchProof): JsonObject {
  return contentOf('voucher' in proof ? 'voucher' : 'authorization', channel, proof);
}

/** The content that asks the seller to close a channel: its voucher is the accepted one, its authorization of zero. */
export const refundContent = (channel: BatchChannel, proof: BatchProof): JsonObject => contentOf('refund', channel, proof);

/** The content of a payment that opens a channel. `transaction`: the signed opening, in base64. */
export function depositContent(channel: BatchChannel, proof: BatchProof, deposit: { amount: bigint; transaction: string }): JsonObject {
  return { ...contentOf('deposit', channel, proof), deposit: { amount: `${deposit.amount}`, transaction: deposit.transaction } };
}

/** Whether a PAYMENT-RESPONSE header says that a voucher was accepted. */
export function isAccepted(response: string | null): boolean {
  return response !== null && decodeObject(response.trim())?.success === true;
}

/** The voucher without expiry in a PAYMENT-RESPONSE header, whose signature is not checked; null if there is none. */
export function voucherIn(response: string | null): BatchVoucher | null {
  const extra = response === null ? undefined : decodeObject(response.trim())?.extra;
  const voucher = isObject(extra) ? extra.voucher : undefined;
  if (!isObject(voucher)) return null;
  const { channelId, maxClaimableAmount, expiresAt, signature } = voucher;
  const cumulative = parseAmount(maxClaimableAmount);
  if (!isAddress(channelId) || cumulative === null || expiresAt !== 0 || !isSignature(signature)) return null;
  return { channel: channelId, cumulative, signature: bs58.decode(signature) };
}

/** The sums of a channel that a seller claims, if it counts otherwise, in base units. */
export interface BatchCorrection {
  /** The sum that it accepted. */
  charged: bigint;
  /** The voucher by which it did, whose signature is not checked; null if it has none, and the chain is to be asked. */
  voucher: BatchVoucher | null;
}

/** The correction of a channel in a PAYMENT-REQUIRED header that refuses a voucher for its amount; null if there is none. */
export function correctionIn(required: string | null, channel: string): BatchCorrection | null {
  const object = required === null ? null : decodeObject(required.trim());
  if (object?.error !== MISMATCH || !Array.isArray(object.accepts)) return null;
  for (const offer of object.accepts) {
    const { channelState: state, voucherState: proof } = isObject(offer) && isObject(offer.extra) ? offer.extra : {};
    if (!isObject(state) || state.channelId !== channel) continue;
    const charged = parseAmount(state.chargedCumulativeAmount);
    if (charged === null) return null;
    if (proof === undefined) return { charged, voucher: null };
    const cumulative = isObject(proof) ? parseAmount(proof.signedMaxClaimable) : null;
    if (!isObject(proof) || cumulative === null || proof.expiresAt !== 0 || !isSignature(proof.signature)) return null;
    return { charged, voucher: { channel, cumulative, signature: bs58.decode(proof.signature) } };
  }
  return null;
}

function contentOf(type: string, channel: BatchChannel, proof: BatchProof): JsonObject {
  const channelConfig = { ...channel, salt: `${channel.salt}`, openSlot: Number(channel.openSlot) };
  return { type, channelConfig, ...proofContent(proof) };
}

function proofContent(proof: BatchProof): JsonObject {
  if ('voucher' in proof) {
    const { channel: channelId, cumulative, signature } = proof.voucher;
    return { voucher: { channelId, maxClaimableAmount: `${cumulative}`, expiresAt: 0, signature: bs58.encode(signature) } };
  }
  const { channel: channelId, payer, requestId, amount, expiresAt } = proof.authorization;
  const signature = bs58.encode(proof.signature);
  return { authorization: { type: 'proof', channelId, payer, requestId, authorizedAmount: `${amount}`, expiresAt, signature } };
}
