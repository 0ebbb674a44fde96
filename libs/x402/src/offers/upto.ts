/** Offers of the scheme `upto` on Solana (`scheme_upto_svm`): the seller opens a payment channel with a maximum, and settles what it used. */
import { asksBy, type ChannelRequirements, offersBy } from './channel-offers';
import { isObject, type JsonObject } from '../json';
import type { PaymentRequired } from '../messages/payment-required';
import type { PaymentTarget } from './requirements';

/** One `upto` offer that can be paid. Its amount is the maximum: the channel's deposit. */
export interface UptoRequirements extends ChannelRequirements {
  /** The older dialect of a seller that is its own facilitator: the payee is the seller, and no distribution is named. */
  isUndistributed: boolean;
}

/** The payer's statement about the channel that it signed. */
export interface UptoChannel {
  /** The payer: the key that signed the opening. */
  from: string;
  channel: string;
  salt: bigint;
  openSlot: bigint;
  /** Unix seconds. */
  validAfter: number;
  expiresAt: number;
  /** The transaction that opens the channel, in base64. */
  transaction: string;
}

const SCHEME = 'upto';

/** Whether a seller asks by `upto` at all. */
export const asksUpto = (required: PaymentRequired): boolean => asksBy(SCHEME, required);

/**
 * The `upto` offers that can be paid, lowest maximum first. @throws X402Error when none is left: `requirements_invalid`, `mint_mismatch`,
 * `network_mismatch` or `unsupported_method`, with the reason against the first.
 */
export function uptoRequirements(required: PaymentRequired, target: PaymentTarget): [UptoRequirements, ...UptoRequirements[]] {
  return offersBy(SCHEME, required, target, (common) => {
    const { payTo, receiverAuthorizer, feePayer, object } = common;
    const flow = isObject(object.extra) ? object.extra.paymentFlow : undefined;
    return { ...common, isUndistributed: flow === undefined && payTo === receiverAuthorizer && payTo === feePayer };
  });
}

/** The content of the payment for an `upto` offer. Amounts and numbers of 64 bits are texts. */
export function uptoContent({ amount, receiverAuthorizer }: UptoRequirements, channel: UptoChannel): JsonObject {
  return {
    from: channel.from,
    maxAmount: `${amount}`,
    deposit: `${amount}`,
    expiresAt: channel.expiresAt,
    validAfter: channel.validAfter,
    nonce: `${channel.salt}`,
    openSlot: `${channel.openSlot}`,
    channelId: channel.channel,
    authorizedSigner: receiverAuthorizer,
    openTransaction: channel.transaction,
  };
}
