/** Keypair files as solana-keygen writes them: a JSON array of 64 numbers, the seed and the public key. */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import bs58 from 'bs58';
import { UsageError } from '../output/exit-codes';
import { requirePrivate } from '../settings';

const SEED_BYTES = 32;
const KEYPAIR_BYTES = 64;
/** A keypair file has about 230 bytes. */
const MAX_FILE_BYTES = 4_096;
/** The prefix of the seed in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** An ed25519 key that signs. Its secret part cannot be read from it. */
export class Keypair {
  readonly #key: KeyObject;
  /** The public key, in base58. */
  readonly address: string;

  /** `seed`: 32 bytes. */
  constructor(seed: Uint8Array) {
    this.#key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
    this.address = bs58.encode(Buffer.from(createPublicKey(this.#key).export({ format: 'jwk' }).x ?? '', 'base64url'));
  }

  /** The 64 bytes of the signature. */
  sign(bytes: Uint8Array): Buffer {
    return sign(null, bytes, this.#key);
  }
}

/** The default path of the key of solana-keygen. */
export function defaultKeypairPath(): string {
  return join(homedir(), '.config', 'solana', 'id.json');
}

/** Reads a keypair file. @throws UsageError if it is missing or malformed, or others can read it. No message contains its content. */
export function readKeypair(path: string): Keypair {
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file) throw new UsageError(`There is no keypair file ${path}: name one by --keypair or APS_KEYPAIR.`);
  if (!file.isFile() || file.size > MAX_FILE_BYTES) throw malformed(path, 'it is no file of at most 4 KiB');
  requirePrivate(path);
  const bytes = keypairBytes(parsed(path), path);
  const keypair = new Keypair(bytes.subarray(0, SEED_BYTES));
  if (keypair.address !== bs58.encode(bytes.subarray(SEED_BYTES)))
    throw malformed(path, 'its last 32 bytes are not the public key of its first 32 bytes');
  return keypair;
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // The error's message may quote the file.
    throw malformed(path, 'it is not JSON');
  }
}

function keypairBytes(content: unknown, path: string): Buffer {
  if (!Array.isArray(content) || content.length !== KEYPAIR_BYTES)
    throw malformed(path, `it is not an array of ${KEYPAIR_BYTES} numbers, as solana-keygen writes it`);
  if (!content.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255))
    throw malformed(path, 'a number in it is not a whole number from 0 to 255');
  return Buffer.from(content);
}

function malformed(path: string, why: string): UsageError {
  return new UsageError(`${path} is not a keypair file: ${why}.`);
}
