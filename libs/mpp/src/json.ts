/** JSON as the protocol carries it: objects in base64url, canonical if it is ours (RFC 8785). */
import { decodeBase64url, encodeBase64url } from './base64url';

export type JsonObject = { [member: string]: unknown };

/** No object of the protocol is nested deeper. */
const MAX_DEPTH = 16;

/** The object inside base64url, or null: no base64url, no UTF-8, no JSON, no object, or nested too deeply. */
export function decodeObject(text: string): JsonObject | null {
  const bytes = decodeBase64url(text);
  if (!bytes) return null;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isObject(value) && depthOf(value) <= MAX_DEPTH ? value : null;
  } catch {
    return null;
  }
}

export function encodeObject(value: JsonObject): string {
  return encodeBase64url(canonicalJson(value));
}

/** RFC 8785: members sorted by their UTF-16 code units, no space. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).filter((name) => value[name] !== undefined);
  return `{${members
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`)
    .join(',')}}`;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
