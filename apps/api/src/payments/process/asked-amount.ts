/** The amount that a provider asked for, of a payment that was declined before its price was accepted. */
import { USDC_DECIMALS } from '#chain';
import { MppError, parseChallenges, parseChargeRequest, parseSessionRequest, type Challenge } from '#mpp';
import { X402Error } from '#x402';
import type { StoredViolation } from '../../orders';
import type { Demand } from '../provider/demands';
import { readX402 } from '../quotes/x402';

/** The most that a row can hold. A greater price is none. */
const MAX_MICRO_USDC = (1n << 63n) - 1n;
/** Base units, as x402 writes them. */
const BASE_UNITS = /^\d{1,19}$/;

/**
 * The price in micro-USDC: the one that a rule declined, else that of the first challenge or offer that can be read, also for another mint
 * or network. Zero if there is none.
 */
export function askedMicroUsdc(asked: Demand, { attempted_usdc: attempted }: StoredViolation): bigint {
  const price = attempted === undefined ? (challengedPrice(asked.challenges) ?? offeredPrice(asked)) : BigInt(attempted.replace('.', ''));
  return price === undefined || price > MAX_MICRO_USDC ? 0n : price;
}

function challengedPrice(challenges: readonly string[]): bigint | undefined {
  for (const challenge of parseChallenges(challenges).challenges) {
    const price = challenge.method === 'solana' ? priceOf(challenge) : undefined;
    if (price !== undefined) return price;
  }
  return undefined;
}

function priceOf(challenge: Challenge): bigint | undefined {
  try {
    const { amount, decimals } = challenge.intent === 'session' ? parseSessionRequest(challenge) : parseChargeRequest(challenge);
    return decimals === undefined || decimals === USDC_DECIMALS ? amount : undefined;
  } catch (error) {
    if (error instanceof MppError) return undefined;
    throw error;
  }
}

function offeredPrice({ x402 }: Pick<Demand, 'x402'>): bigint | undefined {
  try {
    const required = readX402(x402);
    const amounts = required?.accepts.map(({ object }) => object[required.version === 2 ? 'amount' : 'maxAmountRequired']);
    const first = amounts?.find((amount) => typeof amount === 'string' && BASE_UNITS.test(amount));
    return typeof first === 'string' ? BigInt(first) : undefined;
  } catch (error) {
    if (error instanceof X402Error) return undefined;
    throw error;
  }
}
