/** The part of http_ece that is used: RFC 8188 with the keys of RFC 8291. The package has no types. */
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  interface Parameters {
    version: 'aes128gcm';
    /** The private key of this side. */
    privateKey: ECDH;
    /** The public key of the other side, in base64url. Read from the message when decrypting. */
    dh?: string;
    /** The secret that the browser shares with this service, in base64url. */
    authSecret: string;
  }

  export function encrypt(plain: Buffer, parameters: Parameters): Buffer;
  export function decrypt(encrypted: Buffer, parameters: Parameters): Buffer;
}
