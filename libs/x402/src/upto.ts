/** Offers of the scheme `upto` on Solana (`scheme_upto_svm`): the seller opens a payment channel with a maximum, and settles what it used. */
import { isAddress, parseAmount } from './fields';
import { isObject, type JsonObject } from './json';
import type { Offer, PaymentRequired } from './payment-required';
import type { PaymentTarget } from './requirements';
import { X402Error } from './x402.errors';

/** One `upto` offer that can be paid. */
export interface UptoRequirements {
  network: string;
  /** The maximum in base units (micro-USDC): the channel's deposit. */
  amount: bigint;
  /** The mint. */
  asset: string;
  /** Owner of the associated token account that is credited. */
  payTo: string;
  /** How long the seller takes at most to answer a payment. */
  maxTimeoutSeconds: number;
  /** The facilitator's key: it pays fee and rent of the channel, and is its payee. */
  feePayer: string;
  /** The server's key, which signs how much is settled. */
  receiverAuthorizer: string;
  /** Seconds from a payer's request to close to the end of the channel. */
  graceSeconds: number;
  /** The text that the transaction's memo must have; undefined for a transaction without one. */
  memo: string | undefined;
  /** A blockhash that the seller proposes. */
  recentBlockhash: string | undefined;
  /** The older dialect of a seller that is its own facilitator: the payee is the seller, and no distribution is named. */
  isUndistributed: boolean;
  /** As it came: a payment repeats it. */
  object: JsonObject;
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
/** Facilitators take no longer one. */
const MAX_TIMEOUT_SECONDS = 3_600;
/** A payer gets its rest back after this time at the latest. */
const MAX_GRACE_SECONDS = 86_400;
const MAX_MEMO_BYTES = 256;
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

/** Whether a seller asks by `upto`, and by `upto` alone. */
export const asksUptoOnly = (required: PaymentRequired): boolean =>
  asksUpto(required) && required.accepts.every(({ scheme }) => scheme === SCHEME);

/** Whether a seller asks by `upto` at all. */
export const asksUpto = ({ version, accepts }: PaymentRequired): boolean =>
  version === 2 && accepts.some(({ scheme }) => scheme === SCHEME);

/**
 * The `upto` offers that can be paid, lowest maximum first. @throws X402Error when none is left: `requirements_invalid`, `mint_mismatch`,
 * `network_mismatch` or `unsupported_method`, with the reason against the first.
 */
export function uptoRequirements(
  { version, accepts }: PaymentRequired,
  { caip2, mint }: PaymentTarget,
): [UptoRequirements, ...UptoRequirements[]] {
  const offers = accepts.filter(({ scheme }) => version === 2 && scheme === SCHEME);
  const here = offers.filter(({ network }) => network === caip2);
  const ours = here.filter(({ object }) => object.asset === mint);
  const read = ours.map((offer) => readRequirements(mint, offer));
  const payable = read.filter((each): each is UptoRequirements => !(each instanceof X402Error));
  const [first, ...others] = payable.sort((one, other) => (one.amount < other.amount ? -1 : one.amount > other.amount ? 1 : 0));
  if (first) return [first, ...others];
  const reason = read.find((each) => each instanceof X402Error);
  if (reason) throw reason;
  if (here.length > 0) throw new X402Error('mint_mismatch', `no offer on ${caip2} takes ${mint}`);
  if (offers.length > 0) throw new X402Error('network_mismatch', `no offer is on ${caip2}`);
  throw new X402Error('unsupported_method', `no offer has the scheme "${SCHEME}"`);
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

/** Returns what is wrong instead of throwing it: another offer may be payable. */
function readRequirements(asset: string, { network, object }: Offer): UptoRequirements | X402Error {
  const bad = (message: string): X402Error => new X402Error('requirements_invalid', `an offer on ${network}: ${message}`);
  const unsupported = (message: string): X402Error => new X402Error('unsupported_method', message);
  const { payTo, maxTimeoutSeconds: timeout, extra } = object;
  const amount = parseAmount(object.amount);
  if (amount === null) return bad('amount is a whole number of base units as a text');
  if (!isAddress(payTo)) return bad('payTo is an address');
  if (!isWhole(timeout) || timeout < 1) return bad('maxTimeoutSeconds is a whole number of 1 or more');
  if (timeout > MAX_TIMEOUT_SECONDS) return unsupported(`the seller wants up to ${timeout} seconds, and ${MAX_TIMEOUT_SECONDS} are given`);
  if (!isObject(extra)) return bad('extra is an object');
  const { feePayer, receiverAuthorizer, withdrawDelay: grace, tokenProgram, memo = '' } = extra;
  if (feePayer === undefined) return unsupported('the seller makes the payer pay fee and rent of the channel');
  if (!isAddress(feePayer)) return bad('extra.feePayer is an address');
  if (!isAddress(receiverAuthorizer)) return bad('extra.receiverAuthorizer is an address');
  if (!isWhole(grace) || grace < 0) return bad('extra.withdrawDelay is a whole number of seconds');
  if (grace > MAX_GRACE_SECONDS) return unsupported(`the seller keeps the rest for ${grace} seconds, and ${MAX_GRACE_SECONDS} are given`);
  if (tokenProgram !== undefined && tokenProgram !== TOKEN_PROGRAM)
    return new X402Error('mint_mismatch', 'the seller wants a token of another token program');
  if (typeof memo !== 'string' || !memo.isWellFormed() || Buffer.byteLength(memo) > MAX_MEMO_BYTES)
    return bad(`extra.memo is a text of at most ${MAX_MEMO_BYTES} bytes`);
  return {
    network,
    amount,
    asset,
    payTo,
    maxTimeoutSeconds: timeout,
    feePayer,
    receiverAuthorizer,
    graceSeconds: grace,
    memo: memo === '' ? undefined : memo,
    recentBlockhash: isAddress(extra.recentBlockhash) ? extra.recentBlockhash : undefined,
    isUndistributed: extra.paymentFlow === undefined && payTo === receiverAuthorizer && payTo === feePayer,
    object,
  };
}

const isWhole = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value);
