/** Serialized transactions, as the service and wallets exchange them. */

const SIGNATURE_BYTES = 64;
/** A message whose first bit is set has a version, in the other bits. */
const VERSIONED = 0x80;

/** The bytes of a text in base64. @throws DOMException for any other text */
export function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

export function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** The version of a transaction with fewer than 128 signatures, as wallets name it. */
export function versionOf(transaction: Uint8Array): 'legacy' | number {
  const signatures = transaction[0] ?? 0;
  const first = transaction[1 + signatures * SIGNATURE_BYTES] ?? 0;
  return first < VERSIONED ? 'legacy' : first - VERSIONED;
}

/** The time until a moment, such as `42 s`; null from then on. */
export function timeLeft(until: string, now: number): string | null {
  const seconds = Math.ceil((Date.parse(until) - now) / 1_000);
  return seconds > 0 ? `${seconds} s` : null;
}

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** How long ago something was, such as `3 minutes ago`. */
export function age(since: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(since)) / 1_000);
  if (seconds < MINUTE_S) return 'less than a minute ago';
  const [unit, name] = seconds < HOUR_S ? [MINUTE_S, 'minute'] : seconds < DAY_S ? [HOUR_S, 'hour'] : [DAY_S, 'day'];
  const count = Math.floor(seconds / unit);
  return `${count} ${name}${count === 1 ? '' : 's'} ago`;
}
