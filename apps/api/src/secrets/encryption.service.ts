import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../runtime/config';

/** The purpose of a sealed secret. It is authenticated with the secret, so that one cannot be used for another purpose. */
export type SealPurpose =
  | 'operator-chain-key'
  | 'account-authority'
  | 'session-voucher-key'
  | 'charge-key'
  | 'purse-key'
  | 'payment'
  | 'payment-answer'
  | 'payment-evidence'
  | 'webhook-secret'
  | 'webhook-url'
  | 'push-key';

/** The purpose of a message authentication code. It is a part of what is authenticated. */
export type MacPurpose =
  | 'api-key'
  | 'browser-session'
  | 'operator-rotation'
  | 'authority-rotation'
  | 'signature-request'
  | 'waiting-order'
  | 'approval'
  | 'provider'
  | 'bulk-job'
  | 'account'
  | 'fleet';

const CIPHER = 'aes-256-gcm';
const FORMAT = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets for the database, so that the database alone does not reveal them. A sealed text names its key, and is bound to its
 * purpose and its owner's id: copied to another row it cannot be decrypted.
 */
@Injectable()
export class EncryptionService {
  /** The present key of codes, and the previous one if it is set. */
  private readonly macKeys: Buffer[];

  constructor(private readonly config: Config) {
    const { OPERATOR_KEY_ENCRYPTION_KEY, PREVIOUS_OPERATOR_KEY_ENCRYPTION_KEY } = config;
    this.macKeys = [OPERATOR_KEY_ENCRYPTION_KEY, PREVIOUS_OPERATOR_KEY_ENCRYPTION_KEY].filter((key) => key !== undefined).map(macKeyOf);
  }

  /** Encrypts a secret under the present key. */
  seal(purpose: SealPurpose, ownerId: string, secret: Uint8Array): string {
    const [key] = this.keysFor(purpose);
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(binding(purpose, ownerId));
    const sealed = Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
    return [FORMAT, keyId(key), sealed.toString('base64url')].join('.');
  }

  /** Decrypts a sealed secret. @throws Error if it was altered, belongs to another row, or was sealed under another key. */
  unseal(purpose: SealPurpose, ownerId: string, text: string): Buffer {
    const [format, sealedUnder, body = ''] = text.split('.');
    if (format !== FORMAT) throw new Error(`The secret of ${ownerId} is not sealed in a known format.`);
    const keys = this.keysFor(purpose);
    const key = keys.find((one) => keyId(one) === sealedUnder);
    if (!key)
      throw new Error(
        `The secret of ${ownerId} was sealed under key ${sealedUnder}, and the service was started with key ${keys.map(keyId).join(' and ')}.`,
      );
    const sealed = Buffer.from(body, 'base64url');
    if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new Error(`The sealed secret of ${ownerId} is cut short.`);
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(binding(purpose, ownerId))
      .setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    } catch {
      throw new Error(`The sealed secret of ${ownerId} was altered, or belongs to another row.`);
    }
  }

  /** A message authentication code of facts, under a key that only the holder of OPERATOR_KEY_ENCRYPTION_KEY has. */
  mac(purpose: MacPurpose, facts: readonly unknown[]): Buffer {
    const [key] = this.macKeys;
    if (!key) throw new Error('OPERATOR_KEY_ENCRYPTION_KEY is missing.');
    return macUnder(key, purpose, facts);
  }

  /** Whether a code is that of the facts, under the present key or the previous one. */
  isMac(purpose: MacPurpose, facts: readonly unknown[], mac: Buffer): boolean {
    return this.macKeys.some((key) => {
      const expected = macUnder(key, purpose, facts);
      return expected.length === mac.length && timingSafeEqual(expected, mac);
    });
  }

  /** The setting with the key for a purpose. */
  settingOf(purpose: SealPurpose): string {
    return purpose === 'operator-chain-key' ? 'OPERATOR_KEY_ENCRYPTION_KEY' : 'KEY_ENCRYPTION_KEY';
  }

  /** The prefix of every text that is sealed under the present key. */
  presentPrefix(purpose: SealPurpose): string {
    return `${FORMAT}.${keyId(this.keysFor(purpose)[0])}.`;
  }

  /**
   * The present key, and the previous one if it is set. Operator chain keys, which change limits, are sealed under other keys than
   * those that spend.
   */
  private keysFor(purpose: SealPurpose): [Buffer, ...Buffer[]] {
    const { KEY_ENCRYPTION_KEY, PREVIOUS_KEY_ENCRYPTION_KEY, OPERATOR_KEY_ENCRYPTION_KEY, PREVIOUS_OPERATOR_KEY_ENCRYPTION_KEY } =
      this.config;
    const [present, previous] =
      purpose === 'operator-chain-key'
        ? [OPERATOR_KEY_ENCRYPTION_KEY, PREVIOUS_OPERATOR_KEY_ENCRYPTION_KEY]
        : [KEY_ENCRYPTION_KEY, PREVIOUS_KEY_ENCRYPTION_KEY];
    return previous ? [present, previous] : [present];
  }
}

function binding(purpose: SealPurpose, ownerId: string): Buffer {
  return Buffer.from(`${purpose}\0${ownerId}`);
}

/** Identifies a key without revealing it. */
function keyId(key: Buffer): string {
  return createHash('sha256').update('key id\0').update(key).digest('hex').slice(0, 8);
}

function macKeyOf(key: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', 'message authentication', key.length));
}

function macUnder(key: Buffer, purpose: MacPurpose, facts: readonly unknown[]): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([purpose, ...facts]))
    .digest();
}
