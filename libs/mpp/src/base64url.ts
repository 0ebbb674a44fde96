/** base64url as RFC 4648, section 5, has it: without padding when we write, with or without when we read, and nothing else. */

/** The alphabet, and padding at the end. */
const BASE64URL = /^[A-Za-z0-9_-]*={0,2}$/;

export function encodeBase64url(bytes: Uint8Array | string): string {
  return Buffer.from(bytes as string).toString('base64url');
}

/** Decodes base64url. Null for other characters, a wrong length or padding, or bits that no encoder leaves behind. */
export function decodeBase64url(text: string): Buffer | null {
  if (!BASE64URL.test(text)) return null;
  const bare = text.replace(/=+$/, '');
  if (bare.length % 4 === 1 || (text !== bare && text.length % 4 !== 0)) return null;
  const bytes = Buffer.from(bare, 'base64url');
  return bytes.toString('base64url') === bare ? bytes : null;
}
