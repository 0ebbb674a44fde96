import { isAddress } from '../fields';
import type { JsonObject } from '../json';

const MAX_DECIMALS = 19;

/** The token of a challenge, if it names one. */
export interface TokenDetails {
  decimals: number | undefined;
  /** The program that the mint belongs to. */
  tokenProgram: string | undefined;
}

/** Of a challenge's `methodDetails`. `fail` throws. */
export function tokenDetails({ decimals, tokenProgram }: JsonObject, fail: (message: string) => never): TokenDetails {
  if (decimals !== undefined && !(typeof decimals === 'number' && Number.isInteger(decimals) && decimals >= 0 && decimals <= MAX_DECIMALS))
    return fail(`decimals are a whole number up to ${MAX_DECIMALS}`);
  if (tokenProgram !== undefined && !isAddress(tokenProgram)) return fail('tokenProgram is an address');
  return { decimals, tokenProgram };
}
