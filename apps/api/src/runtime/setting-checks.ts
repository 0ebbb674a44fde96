/** Checks of the environment's variables. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { applyDecorators } from '@nestjs/common';
import { Transform, type TransformFnParams } from 'class-transformer';
import { IsInt, Max, Min, ValidateBy } from 'class-validator';
import { LocalSigner, isAddress, nodeAddressIn } from '#chain';
import { isRemoteSigner, parted } from '../key-sources/key-source';

const KEY_BYTES = 32;
const KEYPAIR_BYTES = 64;
const MAX_KEYPAIRS = 32;
const MAX_RETRIES = 20;
const MAX_RETRY_SECONDS = 86_400;
/** The names that Express has for networks. */
const PROXY_NETWORKS = new Set(['loopback', 'linklocal', 'uniquelocal']);

const wholeNumber = (): PropertyDecorator =>
  Transform(({ value }: TransformFnParams) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value));
export const list = (): PropertyDecorator =>
  Transform(({ value }: TransformFnParams) => (typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value));
export const numbers = (): PropertyDecorator =>
  Transform(({ value }: TransformFnParams) =>
    typeof value === 'string' && /^\d{1,5}( *, *\d{1,5})*$/.test(value) ? value.split(',').map(Number) : value,
  );
export const yesOrNo = (): PropertyDecorator =>
  Transform(({ value }: TransformFnParams) => (value === 'true' ? true : value === 'false' ? false : value));
const base64 = (): PropertyDecorator =>
  Transform(({ value }: TransformFnParams) =>
    typeof value === 'string' && /^[A-Za-z0-9+/]{43}=$/.test(value) ? Buffer.from(value, 'base64') : value,
  );
/** Lamports, of an amount in SOL with at most nine decimals; null for `off`. */
export const sol = (): PropertyDecorator =>
  Transform(({ value }: TransformFnParams) => {
    if (typeof value !== 'string') return value;
    const [, whole, decimals = ''] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(value) ?? [];
    if (whole === undefined) return value === 'off' ? null : value;
    return BigInt(whole + decimals.padEnd(9, '0'));
  });
const keypair = (): PropertyDecorator => Transform(({ value }: TransformFnParams) => (typeof value === 'string' ? keyOf(value) : value));
const keypairs = (): PropertyDecorator =>
  Transform(({ value }: TransformFnParams) => (typeof value === 'string' ? parted(value).map(keyOf) : value));

/** A list of nodes that is not empty. */
export const mustBeNodes = (): PropertyDecorator =>
  must(
    'be a list of URLs that begin with http:// or https://, each as name=url;rps=50 or without a name or a rate, separated by commas',
    (value) =>
      Array.isArray(value) && value.length > 0 && value.every((node) => typeof node === 'string' && nodeAddressIn(node) !== undefined),
  );

/** A check with the sentence that follows the variable's name. The message never contains the value, which may be a secret. */
export const must = (sentence: string, valid: (value: unknown) => boolean): PropertyDecorator =>
  ValidateBy({ name: 'must', validator: { validate: valid, defaultMessage: () => `$property must ${sentence}.` } });
export const mustBeUrl = (...protocols: string[]): PropertyDecorator =>
  must(`be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`, (value) => isUrl(value, protocols));
export const mustBeUrls = (...protocols: string[]): PropertyDecorator =>
  must(
    `be a list of URLs that begin with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}, separated by commas`,
    (value) => Array.isArray(value) && value.length > 0 && value.every((url) => isUrl(url, protocols)),
  );
export const mustBeBetween = (min: number, max: number): PropertyDecorator => {
  const message = `$property must be a whole number from ${min} to ${max}.`;
  return applyDecorators(wholeNumber(), IsInt({ message }), Min(min, { message }), Max(max, { message }));
};
/** A key of 32 bytes, in base64. */
export const mustBeKey = (): PropertyDecorator =>
  applyDecorators(
    base64(),
    must(
      'be 32 random bytes in base64, as `openssl rand -base64 32` prints them',
      (value) => value instanceof Buffer && value.length === KEY_BYTES,
    ),
  );
/** A keypair: the path of its file, its content, or the name of one in a key service. */
export const mustBeKeypair = (): PropertyDecorator =>
  applyDecorators(
    keypair(),
    must('be the path of a readable keypair file, a JSON array of its 64 numbers, or the name of a key in a key service', isKeypair),
  );
/** At most 32 keypairs, separated by commas. */
export const mustBeKeypairs = (): PropertyDecorator =>
  applyDecorators(
    keypairs(),
    must(
      `be at most ${MAX_KEYPAIRS} keypairs separated by commas, each the path of a readable file, a JSON array of its 64 numbers, or the name of a ` +
        'key in a key service',
      (value) => Array.isArray(value) && value.length <= MAX_KEYPAIRS && value.every(isKeypair),
    ),
  );
export const mustBeAddress = (): PropertyDecorator =>
  must('be a chain address: 32 bytes in base58', (value) => typeof value === 'string' && isAddress(value));

export function isSchedule(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= MAX_RETRIES &&
    value.every((seconds) => Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_RETRY_SECONDS)
  );
}

export function areProxies(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string' && (PROXY_NETWORKS.has(each) || isNetwork(each)));
}

/** An IP address, or a network by its address and the length of its prefix. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...others] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return others.length === 0 && bits > 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits));
}

export function isUrl(value: unknown, protocols: string[]): boolean {
  return typeof value === 'string' && URL.canParse(value) && protocols.includes(new URL(value).protocol);
}

/** The bytes of a keypair. A key in a key service stays its name. */
const keyOf = (value: string): unknown => (isRemoteSigner(value) ? value : readKeypair(value));

/** The bytes of a keypair. What is none stays as it is: the check of the variable reports it. */
function readKeypair(value: string): unknown {
  try {
    const numbers: unknown = JSON.parse(value.trimStart().startsWith('[') ? value : readFileSync(value, 'utf8'));
    if (!Array.isArray(numbers) || !numbers.every((number) => Number.isInteger(number) && number >= 0 && number <= 255)) return value;
    return Uint8Array.from(numbers);
  } catch {
    return value;
  }
}

/** A key in a key service, or a keypair whose second half is the public key of the first: a damaged file is found at the start and not on chain. */
function isKeypair(value: unknown): boolean {
  if (isRemoteSigner(value)) return true;
  if (!(value instanceof Uint8Array) || value.length !== KEYPAIR_BYTES) return false;
  const bytes = value;
  return LocalSigner.fromSeed(bytes).publicKey.every((byte, index) => byte === bytes[KEY_BYTES + index]);
}
