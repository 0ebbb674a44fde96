/** Messages of a provider for the specs of `src/`, valid unless a spec changes them. */
import bs58 from 'bs58';
import { encodeBase64url, MppError, parseChallenges, serialiseChallenge, type Challenge } from '../src';

/** 32 bytes of the same value, in base58. */
export const anAddress = (byte: number): string => bs58.encode(Buffer.alloc(32, byte));
export const [mint, payee, program] = [anAddress(1), anAddress(2), anAddress(3)];

export const encoded = (value: unknown): string => encodeBase64url(typeof value === 'string' ? value : JSON.stringify(value));

/** The request of a charge of 1,000 base units, with changes of its members and of its `methodDetails`. */
export const aCharge = (changes: object = {}, details: object = {}): Record<string, unknown> => ({
  amount: '1000',
  currency: mint,
  recipient: payee,
  methodDetails: { network: 'localnet', ...details },
  ...changes,
});

/** The request of a session, with changes of its members and of its `methodDetails`. */
export const aSession = (changes: object = {}, details: object = {}): Record<string, unknown> =>
  aCharge(changes, { channelProgram: program, ...details });

/** A parsed challenge with this request. */
export function aChallenge(request: Record<string, unknown> = aCharge(), params: Partial<Challenge> = {}): Challenge {
  const value = serialiseChallenge({ id: 'a', realm: 'r', method: 'solana', intent: 'charge', ...params, request });
  return parseChallenges([value]).challenges[0] as Challenge;
}

/** Code and message of the MppError that is thrown; `none` if nothing is. Other errors pass. */
export function errorOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof MppError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'none';
}
