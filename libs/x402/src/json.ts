/** JSON objects as x402 carries them: in base64 of the standard alphabet, or as they are. */

export type JsonObject = { [member: string]: unknown };

/** The alphabet of RFC 4648, section 4, with padding or without, as `@x402/core` reads it. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** Sellers describe their bodies by JSON Schema inside of extensions, so this is deeper than the protocol itself. */
const MAX_DEPTH = 64;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object in base64, or null: no base64, no UTF-8, no JSON, no object, or nested too deeply. */
export function decodeObject(text: string): JsonObject | null {
  if (!BASE64.test(text)) return null;
  const bare = text.replace(/=+$/, '');
  if (bare.length % 4 === 1 || (text !== bare && text.length % 4 !== 0)) return null;
  const bytes = Buffer.from(bare, 'base64');
  // The last character may have bits that no encoder sets.
  if (bytes.toString('base64').replace(/=+$/, '') !== bare) return null;
  try {
    return parseObject(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}

export function encodeObject(object: JsonObject): string {
  return Buffer.from(JSON.stringify(object), 'utf8').toString('base64');
}

/** The object in a JSON text, or null: no JSON, no object, or nested too deeply. */
export function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && isShallow(value, MAX_DEPTH) ? value : null;
  } catch {
    return null;
  }
}

/** The JSON text of a value of any origin; null if it has none. */
export function textOf(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null;
  }
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1));
}
