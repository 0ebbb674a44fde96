/** The parameters of a request, validated as they are read. */
import { fromBase58, keyOf } from '../wire/bytes';
import { invalidParams } from './errors';

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** The optional configuration object at the end of most parameter lists. */
export class Config {
  constructor(private readonly fields: Record<string, unknown>) {}

  has(name: string): boolean {
    return this.fields[name] !== undefined && this.fields[name] !== null;
  }

  string(name: string): string | undefined {
    return this.optional(name, 'string', 'a string');
  }

  number(name: string): number | undefined {
    const value = this.optional<number>(name, 'number', 'u64');
    if (value !== undefined && (!Number.isInteger(value) || value < 0)) throw invalidType(value, 'u64');
    return value;
  }

  boolean(name: string): boolean {
    return this.optional<boolean>(name, 'boolean', 'a boolean') ?? false;
  }

  object(name: string): Config | undefined {
    return this.has(name) ? configOf(this.fields[name]) : undefined;
  }

  list(name: string): unknown[] | undefined {
    const value = this.fields[name];
    if (value === undefined || value === null) return undefined;
    if (!Array.isArray(value)) throw invalidType(value, 'a sequence');
    return value;
  }

  oneOf<T extends string>(name: string, variants: readonly T[]): T | undefined {
    const value = this.string(name);
    if (value === undefined) return undefined;
    const found = variants.find((variant) => variant === value);
    if (found === undefined) throw unknownVariant(value, variants);
    return found;
  }

  /** The names that are present. */
  get names(): string[] {
    return Object.keys(this.fields);
  }

  private optional<T>(name: string, type: string, expected: string): T | undefined {
    const value = this.fields[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== type) throw invalidType(value, expected);
    return value as T;
  }
}

export class Params {
  constructor(private readonly values: unknown[]) {}

  string(index: number): string {
    const value = this.required(index);
    if (typeof value !== 'string') throw invalidType(value, 'a string');
    return value;
  }

  number(index: number): number {
    const value = this.required(index);
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) throw invalidType(value, 'u64');
    return value;
  }

  list(index: number): unknown[] {
    const value = this.required(index);
    if (!Array.isArray(value)) throw invalidType(value, 'a sequence');
    return value;
  }

  /** A public key. */
  address(index: number): Buffer {
    return addressOf(this.string(index));
  }

  /** A signature, as a `keyOf`. */
  signature(index: number): string {
    return signatureOf(this.string(index));
  }

  isString(index: number): boolean {
    return typeof this.values[index] === 'string';
  }

  has(index: number): boolean {
    return this.values[index] !== undefined && this.values[index] !== null;
  }

  config(index: number): Config {
    return configOf(this.values[index] ?? {});
  }

  private required(index: number): unknown {
    const value = this.values[index];
    if (value === undefined) throw invalidParams(`\`params\` should have at least ${index + 1} argument(s)`);
    return value;
  }
}

export function addressOf(value: unknown): Buffer {
  if (typeof value !== 'string') throw invalidType(value, 'a string');
  return bytesOfLength(value, KEY_BYTES);
}

export function signatureOf(value: unknown): string {
  if (typeof value !== 'string') throw invalidType(value, 'a string');
  return keyOf(bytesOfLength(value, SIGNATURE_BYTES));
}

export function unknownVariant(value: string, variants: readonly string[]): Error {
  const known = variants.map((variant) => `\`${variant}\``).join(', ');
  return invalidParams(`Invalid params: unknown variant \`${value}\`, expected one of ${known}.`);
}

function configOf(value: unknown): Config {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidType(value, 'a map');
  return new Config(value as Record<string, unknown>);
}

function bytesOfLength(text: string, length: number): Buffer {
  // The longest base58 of 64 bytes has 88 characters; decoding takes quadratic time.
  if (text.length > 2 * length) throw invalidParams('Invalid param: WrongSize');
  let bytes: Buffer;
  try {
    bytes = fromBase58(text);
  } catch {
    throw invalidParams('Invalid param: Invalid');
  }
  if (bytes.length !== length) throw invalidParams('Invalid param: WrongSize');
  return bytes;
}

function invalidType(value: unknown, expected: string): Error {
  return invalidParams(`Invalid params: invalid type: ${nameOf(value)}, expected ${expected}.`);
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'sequence';
  if (typeof value === 'object') return 'map';
  if (typeof value === 'string') return `string ${JSON.stringify(value)}`;
  if (typeof value === 'number') return `${Number.isInteger(value) ? 'integer' : 'floating point'} \`${value}\``;
  return `${typeof value} \`${String(value)}\``;
}
