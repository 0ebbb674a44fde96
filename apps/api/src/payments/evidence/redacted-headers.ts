/** Headers of requests and answers without what they authorize. */
import { createHash } from 'node:crypto';

/** Names of headers whose values let somebody act: keys, tokens, passwords, cookies, sessions, signatures. */
const CREDENTIAL =
  /authorization|authentication-info|cookie|token|secret|passw|passphrase|credential|signature|session|jwt|bearer|api-?key|(^|[-_])(key|auth|pwd|csrf|xsrf)($|[-_])|^x-payment$/i;

/** Header fields in which each value that may be a credential is replaced by its SHA-256, in hexadecimal. */
export function redactedHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, CREDENTIAL.test(name) ? sha256(value) : value]));
}

/** SHA-256 in hexadecimal. A header's text is hashed in UTF-8. */
export function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
