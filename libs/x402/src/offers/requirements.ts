/** The offers of a seller that can be paid, and what they require: the scheme `exact` on Solana (`scheme_exact_svm`). */
import { isAddress, MAX_MEMO_BYTES, parseAmount, parseMemo } from '../fields';
import { isObject, type JsonObject } from '../json';
import type { Offer, PaymentRequired } from '../messages/payment-required';
import { X402Error } from '../x402.errors';

/** The networks and assets with which a payer can pay. */
export interface PaymentTarget {
  /** The network's name in version 2: `solana:` and the first 32 characters of its genesis hash. */
  caip2: string;
  /** Its name in version 1: `solana`, `solana-devnet` or `solana-testnet`. Without one nothing of version 1 is paid. */
  v1Name?: string;
  /** The token's mint, base58. */
  mint: string;
}

/** When the seller settles: after its handler succeeded, or before it runs. */
export type PaymentFlow = 'authorization' | 'upfront';

/** The members of an offer on Solana that every scheme has. */
export interface PayableOffer {
  network: string;
  /** In base units (micro-USDC): the price, or the maximum of a metered one. */
  amount: bigint;
  /** The mint. */
  asset: string;
  /** Owner of the associated token account that is credited. */
  payTo: string;
  /** How long the seller takes at most to answer a payment. */
  maxTimeoutSeconds: number;
  /** The facilitator's key: it signs last and pays the fee, and the rent of a channel. It may equal `payTo`. */
  feePayer: string;
  /** The text that the transaction's memo must have; undefined if the payer chooses one. At most 256 bytes. */
  memo: string | undefined;
  /** A blockhash that the seller proposes. */
  recentBlockhash: string | undefined;
  /** As it came: a payment repeats it. */
  object: JsonObject;
}

/** One offer of the scheme `exact` that can be paid. */
export interface PaymentRequirements extends PayableOffer {
  flow: PaymentFlow;
  /** Whether the seller says that its facilitator takes transfers by wallet programs (`extra.features.smartWalletSupported`). */
  takesWalletPrograms: boolean;
}

const SCHEME = 'exact';
const CAIP2_REFERENCE_CHARACTERS = 32;
const V1_NAMES: Record<string, string> = {
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 'solana',
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': 'solana-devnet',
  'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z': 'solana-testnet',
};
const FLOWS: readonly unknown[] = ['authorization', 'upfront'] satisfies PaymentFlow[];
/** A year: a longer time-out is a mistake. */
const MAX_TIMEOUT_SECONDS = 31_536_000;

/** The name that x402 has for the cluster with this genesis hash (base58). Version 1 has no name for a local one. */
export function networkNames(genesisHash: string): { caip2: string; v1Name?: string } {
  const caip2 = `solana:${genesisHash.slice(0, CAIP2_REFERENCE_CHARACTERS)}`;
  const v1Name = V1_NAMES[caip2];
  return v1Name === undefined ? { caip2 } : { caip2, v1Name };
}

/**
 * The offers that can be paid, cheapest first; at the same price those that settle after the work come first, and otherwise the
 * seller's order stands. Offers of other schemes, networks, tokens and payment flows are skipped.
 * @throws X402Error when none is left: `requirements_invalid` if one was malformed, else `mint_mismatch` (an offer on this network
 * wants another token), `network_mismatch` (`exact`, but elsewhere) or `unsupported_method`.
 */
export function payableRequirements(
  { version, accepts }: PaymentRequired,
  { caip2, v1Name, mint }: PaymentTarget,
): [PaymentRequirements, ...PaymentRequirements[]] {
  const exact = accepts.filter(({ scheme }) => scheme === SCHEME);
  const here = exact.filter(({ network }) => network === (version === 2 ? caip2 : v1Name));
  const ours = here.filter(({ object }) => object.asset === mint);
  const read = ours.filter(hasSupportedFlow).map((offer) => readRequirements(version, mint, offer));
  const [first, ...others] = read.filter((each): each is PaymentRequirements => !(each instanceof X402Error)).sort(byPreference);
  if (first) return [first, ...others];
  const malformed = read.find((each) => each instanceof X402Error);
  if (malformed) throw malformed;
  if (ours.length > 0) throw new X402Error('unsupported_method', 'the seller wants the payment in a way that is not supported');
  if (here.length > 0) throw new X402Error('mint_mismatch', `no offer on ${here[0]?.network} takes ${mint}`);
  if (exact.length > 0) throw new X402Error('network_mismatch', `no offer is on ${version === 2 ? caip2 : (v1Name ?? caip2)}`);
  throw new X402Error('unsupported_method', `no offer has the scheme "${SCHEME}"`);
}

/** Other flows and ways to transfer need another transaction. */
function hasSupportedFlow({ object: { extra } }: Offer): boolean {
  if (!isObject(extra)) return true;
  const { paymentFlow, assetTransferMethod } = extra;
  return FLOWS.includes(paymentFlow ?? 'authorization') && (assetTransferMethod ?? 'default') === 'default';
}

function byPreference(one: PaymentRequirements, other: PaymentRequirements): number {
  if (one.amount !== other.amount) return one.amount < other.amount ? -1 : 1;
  return FLOWS.indexOf(one.flow) - FLOWS.indexOf(other.flow);
}

/** Returns what is wrong instead of throwing it: another offer may be payable. */
function readRequirements(version: 1 | 2, asset: string, { network, object }: Offer): PaymentRequirements | X402Error {
  const bad = (message: string): X402Error => new X402Error('requirements_invalid', `an offer on ${network}: ${message}`);
  const { payTo, maxTimeoutSeconds, extra } = object;
  const amountName = version === 2 ? 'amount' : 'maxAmountRequired';
  const amount = parseAmount(object[amountName]);
  if (amount === null) return bad(`${amountName} is a whole number of base units as a text`);
  if (!isAddress(payTo)) return bad('payTo is an address');
  if (!isTimeout(maxTimeoutSeconds)) return bad(`maxTimeoutSeconds is a whole number of 1 to ${MAX_TIMEOUT_SECONDS}`);
  if (!isObject(extra)) return bad('extra is an object');
  if (!isAddress(extra.feePayer)) return bad('extra.feePayer is an address');
  const memo = parseMemo(extra.memo ?? undefined);
  if (memo === null) return bad(`extra.memo is a text of at most ${MAX_MEMO_BYTES} bytes`);
  return {
    network,
    amount,
    asset,
    payTo,
    maxTimeoutSeconds,
    feePayer: extra.feePayer,
    memo,
    // A hint: the specification has payers ignore a malformed one.
    recentBlockhash: isAddress(extra.recentBlockhash) ? extra.recentBlockhash : undefined,
    flow: extra.paymentFlow === 'upfront' ? 'upfront' : 'authorization',
    takesWalletPrograms: version === 2 && isObject(extra.features) && extra.features.smartWalletSupported === true,
    object,
  };
}

function isTimeout(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_TIMEOUT_SECONDS;
}
