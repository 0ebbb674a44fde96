/** A promise to pay so much of a session in all (draft-solana-session-00): cumulative, so that the last one settles every payment. */
import { ed25519 } from '@noble/curves/ed25519';
import { decodeBase58, isAddress, parseAmount } from '../fields';
import { isObject } from '../json';
import { MppError } from '../mpp.errors';
import bs58 from 'bs58';

export interface Voucher {
  /** Address of the session, base58. */
  channelId: string;
  /** Micro-USDC in all since the session was opened. */
  cumulativeAmount: bigint;
  /** Unix seconds; 0 if it does not expire. */
  expiresAt: bigint;
}

export interface SignedVoucher extends Voucher {
  /** The session's voucher key, base58. */
  signer: string;
  /** 64 bytes over `voucherBytes`. */
  signature: Uint8Array;
}

/** `0x56 0x01 | session (32) | cumulative amount (u64 LE) | expiry (i64 LE)`. */
export const VOUCHER_BYTES = 50;
const PREFIX = Buffer.from([0x56, 0x01]);
const AMOUNT_AT = 34;
const EXPIRY_AT = 42;
const SIGNATURE_BYTES = 64;
/** The first 32 bytes of a signature are the point R. */
const POINT_BYTES = 32;

/** The signed bytes. @throws MppError if the channel is not an address or a number does not fit. */
export function voucherBytes({ channelId, cumulativeAmount, expiresAt }: Voucher): Uint8Array {
  if (!isAddress(channelId)) throw new MppError('voucher_invalid', 'a voucher’s channelId is an address');
  const bytes = Buffer.alloc(VOUCHER_BYTES);
  PREFIX.copy(bytes);
  bytes.set(bs58.decode(channelId), PREFIX.length);
  try {
    bytes.writeBigUInt64LE(cumulativeAmount, AMOUNT_AT);
    bytes.writeBigInt64LE(expiresAt, EXPIRY_AT);
  } catch {
    throw new MppError('voucher_invalid', 'a voucher’s amount and expiry fit 64 bits');
  }
  return bytes;
}

/** As it stands in a credential's payload. */
export function signedVoucher({ channelId, cumulativeAmount, expiresAt, signer, signature }: SignedVoucher) {
  return {
    voucher: { channelId, cumulativeAmount: cumulativeAmount.toString(), ...(expiresAt !== 0n && { expiresAt: Number(expiresAt) }) },
    signer,
    signature: bs58.encode(signature),
    signatureType: 'ed25519' as const,
  };
}

/**
 * Reads a voucher as it stands in a credential's payload. A signature whose key or point R has small order is malformed: some verifiers accept
 * it, and the runtime does not, so that the voucher cannot be settled.
 * @throws MppError also for the older shape `{ data, signature }`, whose 48 bytes no program of today takes. */
export function parseSignedVoucher(value: unknown): SignedVoucher {
  const fail = (message: string): never => {
    throw new MppError('voucher_invalid', `a voucher ${message}`);
  };
  if (!isObject(value)) return fail('is an object');
  if (isObject(value.data)) return fail('has the shape of 48 bytes that drafts before 2026-08 had; 50 bytes are signed today');
  const { voucher, signer, signature, signatureType } = value;
  if (!isObject(voucher)) return fail('has a member voucher');
  const { channelId, expiresAt = 0 } = voucher;
  const cumulativeAmount = parseAmount(voucher.cumulativeAmount);
  if (!isAddress(channelId)) return fail('names its channelId by an address');
  if (cumulativeAmount === null) return fail('has a cumulativeAmount in base units');
  if (typeof expiresAt !== 'number' || !Number.isSafeInteger(expiresAt) || expiresAt < 0) return fail('expires at a time in unix seconds');
  if (!isAddress(signer)) return fail('names its signer by an address');
  const bytes = typeof signature === 'string' ? decodeBase58(signature) : null;
  if (bytes?.length !== SIGNATURE_BYTES) return fail('has a signature of 64 bytes in base58');
  if (signatureType !== 'ed25519') return fail('is signed by ed25519');
  if (isSmallOrder(bs58.decode(signer))) return fail('names its signer by a key of small order, whose signatures the chain rejects');
  if (isSmallOrder(bytes.subarray(0, POINT_BYTES))) return fail('has a signature of small order, which the chain rejects');
  return { channelId, cumulativeAmount, expiresAt: BigInt(expiresAt), signer, signature: bytes };
}

/** Whether the bytes are a point of small order. False if they are not a point of the curve: such a signature does not verify. */
function isSmallOrder(point: Uint8Array): boolean {
  try {
    return ed25519.Point.fromBytes(Uint8Array.from(point), true).isSmallOrder();
  } catch {
    return false;
  }
}
