/** Common parts of the offers of the schemes that open payment channels on Solana: `upto` and `batch-settlement`. */
import { isAddress, MAX_MEMO_BYTES, parseAmount, parseMemo } from '../fields';
import { isObject } from '../json';
import type { Offer, PaymentRequired } from '../messages/payment-required';
import type { PayableOffer, PaymentTarget } from './requirements';
import { X402Error } from '../x402.errors';

/** An offer that can be paid out of a payment channel. */
export interface ChannelRequirements extends PayableOffer {
  /** The seller's key: of `upto` it signs how much is settled, of `batch-settlement` the end of the channel. */
  receiverAuthorizer: string;
  /** Seconds from a payer's request to close to the end of the channel. */
  graceSeconds: number;
}

/** Facilitators take no longer one. */
const MAX_TIMEOUT_SECONDS = 3_600;
/** A payer gets its rest back after this time at the latest. */
const MAX_GRACE_SECONDS = 86_400;
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

/** Whether a seller asks by a scheme at all. */
export const asksBy = (scheme: string, { version, accepts }: PaymentRequired): boolean =>
  version === 2 && accepts.some((offer) => offer.scheme === scheme);

/** Whether a seller asks by schemes of channels, and by no other. */
export const asksByChannelOnly = ({ version, accepts }: PaymentRequired): boolean =>
  version === 2 && accepts.every(({ scheme }) => scheme === 'upto' || scheme === 'batch-settlement');

/**
 * The offers of a scheme that can be paid, lowest amount first. `read` returns what is wrong instead of throwing it: another offer may be
 * payable. @throws X402Error when none is left: `requirements_invalid`, `mint_mismatch`, `network_mismatch` or `unsupported_method`, with the
 * reason against the first.
 */
export function offersBy<One extends ChannelRequirements>(
  scheme: string,
  { version, accepts }: PaymentRequired,
  { caip2, mint }: PaymentTarget,
  read: (common: ChannelRequirements) => One | X402Error,
): [One, ...One[]] {
  const offers = accepts.filter((offer) => version === 2 && offer.scheme === scheme);
  const here = offers.filter(({ network }) => network === caip2);
  const ours = here.filter(({ object }) => object.asset === mint);
  const found = ours.map((offer) => {
    const common = readCommon(mint, offer);
    return common instanceof X402Error ? common : read(common);
  });
  const payable = found.filter((each): each is One => !(each instanceof X402Error));
  const [first, ...others] = payable.sort((one, other) => (one.amount < other.amount ? -1 : one.amount > other.amount ? 1 : 0));
  if (first) return [first, ...others];
  const reason = found.find((each) => each instanceof X402Error);
  if (reason instanceof X402Error) throw reason;
  if (here.length > 0) throw new X402Error('mint_mismatch', `no offer on ${caip2} takes ${mint}`);
  if (offers.length > 0) throw new X402Error('network_mismatch', `no offer is on ${caip2}`);
  throw new X402Error('unsupported_method', `no offer has the scheme "${scheme}"`);
}

function readCommon(asset: string, { network, scheme, object }: Offer): ChannelRequirements | X402Error {
  const bad = (message: string): X402Error => new X402Error('requirements_invalid', `an offer on ${network}: ${message}`);
  const unsupported = (message: string): X402Error => new X402Error('unsupported_method', message);
  const { payTo, maxTimeoutSeconds: timeout, extra } = object;
  const amount = parseAmount(object.amount);
  if (amount === null) return bad('amount is a whole number of base units as a text');
  if (!isAddress(payTo)) return bad('payTo is an address');
  if (!isWhole(timeout) || timeout < 1) return bad('maxTimeoutSeconds is a whole number of 1 or more');
  if (timeout > MAX_TIMEOUT_SECONDS) return unsupported(`the seller wants up to ${timeout} seconds, and ${MAX_TIMEOUT_SECONDS} are given`);
  if (!isObject(extra)) return bad('extra is an object');
  const { feePayer, receiverAuthorizer, withdrawDelay: grace, tokenProgram } = extra;
  if (feePayer === undefined) return unsupported('the seller makes the payer pay fee and rent of the channel');
  if (!isAddress(feePayer)) return bad('extra.feePayer is an address');
  if (receiverAuthorizer === undefined && scheme !== 'upto')
    return unsupported('the seller names no receiverAuthorizer, which the end of its channel is bound to');
  if (!isAddress(receiverAuthorizer)) return bad('extra.receiverAuthorizer is an address');
  if (!isWhole(grace) || grace < 0) return bad('extra.withdrawDelay is a whole number of seconds');
  if (grace > MAX_GRACE_SECONDS) return unsupported(`the seller keeps the rest for ${grace} seconds, and ${MAX_GRACE_SECONDS} are given`);
  if (tokenProgram !== undefined && tokenProgram !== TOKEN_PROGRAM)
    return new X402Error('mint_mismatch', 'the seller wants a token of another token program');
  const memo = parseMemo(extra.memo);
  if (memo === null) return bad(`extra.memo is a text of at most ${MAX_MEMO_BYTES} bytes`);
  return {
    network,
    amount,
    asset,
    payTo,
    maxTimeoutSeconds: timeout,
    feePayer,
    receiverAuthorizer,
    graceSeconds: grace,
    memo,
    recentBlockhash: isAddress(extra.recentBlockhash) ? extra.recentBlockhash : undefined,
    object,
  };
}

export const isWhole = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value);
