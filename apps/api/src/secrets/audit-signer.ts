import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../runtime/config';

/** The prefix of a seed of ed25519 in PKCS #8, and the length of the one of a public key in SPKI. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX_BYTES = 12;
const SEED_BYTES = 32;

/** Signs the heads of the audit log, by a key derived from OPERATOR_KEY_ENCRYPTION_KEY, which the database does not have. */
@Injectable()
export class AuditSigner {
  /** In hexadecimal. It changes with OPERATOR_KEY_ENCRYPTION_KEY. */
  readonly publicKey: string;
  private readonly key: KeyObject;

  constructor({ OPERATOR_KEY_ENCRYPTION_KEY }: Config) {
    const seed = Buffer.from(hkdfSync('sha256', OPERATOR_KEY_ENCRYPTION_KEY, '', 'audit heads', SEED_BYTES));
    this.key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
    const spki = createPublicKey(this.key).export({ format: 'der', type: 'spki' });
    this.publicKey = spki.subarray(SPKI_PREFIX_BYTES).toString('hex');
  }

  /** The signature of a text, in hexadecimal. */
  sign(text: string): string {
    return sign(null, Buffer.from(text), this.key).toString('hex');
  }
}
