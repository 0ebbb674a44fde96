/** The program's interface, from its IDL: coder, errors, constants. */
import { BorshCoder, BN, type Idl } from '@coral-xyz/anchor';
import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import rawIdl from '../../program/agent_policy.json';
import type { AccountFields } from './idl-types';

/** The program's interface, as its build wrote it. */
export const idl = rawIdl as Idl;

/** Encodes and decodes by the IDL's own names, in snake_case. */
export const coder = new BorshCoder(idl);

/** Reads the bytes of one of the program's accounts. */
export function decodeFields<Name extends keyof AccountFields>(name: Name, data: Buffer): AccountFields[Name] {
  return coder.accounts.decode(name, data);
}

/** The id that the committed program was built with. */
export const PROGRAM_ID = new PublicKey(rawIdl.address);

/** Decimals of USDC, on every cluster. */
export const USDC_DECIMALS = 6;
/** The classic Token program, to which USDC belongs. */
export const TOKEN_PROGRAM = TOKEN_PROGRAM_ID.toBase58();

/** "No limit" for an amount: `u64::MAX`. */
export const NO_LIMIT = 2n ** 64n - 1n;

/** Nonces that the nonce window holds; `REPLAY_WINDOW` of the program. */
export const REPLAY_WINDOW = 1024n;

/** Seconds of a bucket and buckets of the spend window; `BUCKET_SECONDS` and `BUCKETS` of the program. */
export const BUCKET_SECONDS = 900n;
export const BUCKETS = 97n;

const ERROR_NAMES = new Map(rawIdl.errors.map(({ code, name }) => [code, name]));
const ERROR_MESSAGES = new Map(rawIdl.errors.map(({ code, msg }) => [code, msg]));

/** The program's name of an error code, in snake_case; Anchor's own codes are below 6000. */
export function errorName(code: number): string {
  const name = ERROR_NAMES.get(code);
  return name ? name.replace(/(?!^)([A-Z])/g, '_$1').toLowerCase() : `error_${code}`;
}

/** The program's message for an error code. */
export function errorMessage(code: number): string {
  return ERROR_MESSAGES.get(code) ?? `program error ${code}`;
}

export const toBn = (value: bigint): BN => new BN(value.toString());

/** A u64 or i64 of a decoded account, event or return value. */
export function toBigint(value: unknown): bigint {
  if (!BN.isBN(value)) throw new Error('the program’s data holds no 64-bit number where one was expected');
  return BigInt(String(value));
}

/** A limit of a decoded account or report in micro-USDC; null for none. */
export function limitOf(value: unknown): bigint | null {
  const limit = toBigint(value);
  return limit === NO_LIMIT ? null : limit;
}

/** The argument that changes a limit; undefined keeps it, null clears it. */
export function amountChange(value: bigint | null | undefined): object {
  if (value === undefined) return { Keep: {} };
  return value === null ? { Clear: {} } : { Set: { amount: toBn(value) } };
}

/** Unix seconds of the program as a date. */
export const dateOf = (seconds: unknown): Date => new Date(Number(toBigint(seconds)) * 1000);
