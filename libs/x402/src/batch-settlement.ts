/**
 * Offers of the scheme `batch-settlement` on Solana, in client mode: one deposit, then a voucher a call (`scheme_batch_settlement_svm`,
 * x402-foundation/x402 at 0ce3e9c08d0c25462fc214fb7471f5472e59ce5a).
 */
import bs58 from 'bs58';
import { asksBy, type ChannelRequirements, isWhole, offersBy } from './channel-offers';
import { parseAmount } from './fields';
import { decodeObject, isObject, type JsonObject } from './json';
import type { PaymentRequired } from './payment-required';
import type { PaymentTarget } from './requirements';
import { X402Error } from './x402.errors';

/** One `batch-settlement` offer that can be paid. Its amount is the price of a call. */
export interface BatchRequirements extends ChannelRequirements {
  /** The deposit that the seller would like to see, in base units. */
  minDeposit: bigint | undefined;
  /** After so many seconds without activity the facilitator may close the channel. */
  idleSeconds: number;
}

/** What names a channel, for each of its payments. */
export interface BatchChannel {
  payer: string;
  /** Signs the vouchers. */
  payerAuthorizer: string;
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

const SCHEME = 'batch-settlement';
const [LEAST_GRACE_SECONDS, USUAL_IDLE_SECONDS] = [900, 604_800];
const BINDING = 'x402:batch-settlement:svm:rcvauth:v1:';

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
  const { voucherSigner = 'client', minDeposit, maxIdleSecs = USUAL_IDLE_SECONDS, paymentFlow = 'authorization' } = extra;
  if (voucherSigner !== 'client')
    return new X402Error('unsupported_method', 'the seller wants to sign the vouchers itself, by a key that could take a whole deposit');
  if (paymentFlow !== 'authorization') return bad('extra.paymentFlow is "authorization"');
  if (common.graceSeconds < LEAST_GRACE_SECONDS || common.graceSeconds < common.maxTimeoutSeconds)
    return bad(`extra.withdrawDelay is at least ${LEAST_GRACE_SECONDS} and maxTimeoutSeconds`);
  const deposit = minDeposit === undefined ? undefined : parseAmount(minDeposit);
  if (deposit === null || (deposit !== undefined && deposit < common.amount)) return bad('extra.minDeposit is at least the amount');
  if (!isWhole(maxIdleSecs) || maxIdleSecs < 1) return bad('extra.maxIdleSecs is a whole number of 1 or more');
  return { ...common, minDeposit: deposit, idleSeconds: Math.min(maxIdleSecs, USUAL_IDLE_SECONDS) };
}

/** The content of a payment by a voucher. */
export const voucherContent = (channel: BatchChannel, voucher: BatchVoucher): JsonObject => contentOf('voucher', channel, voucher);

/** The content that asks the seller to close a channel: its voucher is the accepted one. */
export const refundContent = (channel: BatchChannel, voucher: BatchVoucher): JsonObject => contentOf('refund', channel, voucher);

/** The content of a payment that opens a channel. `transaction`: the signed opening, in base64. */
export function depositContent(channel: BatchChannel, voucher: BatchVoucher, deposit: { amount: bigint; transaction: string }): JsonObject {
  return { ...contentOf('deposit', channel, voucher), deposit: { amount: `${deposit.amount}`, transaction: deposit.transaction } };
}

/** Whether a PAYMENT-RESPONSE header says that a voucher was accepted. */
export function isAccepted(response: string | null): boolean {
  return response !== null && decodeObject(response.trim())?.success === true;
}

function contentOf(type: string, channel: BatchChannel, { channel: channelId, cumulative, signature }: BatchVoucher): JsonObject {
  return {
    type,
    channelConfig: { ...channel, salt: `${channel.salt}`, openSlot: Number(channel.openSlot) },
    voucher: { channelId, maxClaimableAmount: `${cumulative}`, expiresAt: 0, signature: bs58.encode(signature) },
  };
}
