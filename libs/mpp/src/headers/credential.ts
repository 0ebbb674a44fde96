/** The answer to a challenge: `Authorization: Payment <base64url>` (draft, section 5.2). */
import type { Challenge } from './challenge';
import { decodeObject, encodeObject, isObject, type JsonObject } from '../json';
import { MppError } from '../mpp.errors';

export interface Credential {
  /** The challenge that it answers, its request and opaque data as they came. */
  challenge: Pick<Challenge, 'id' | 'realm' | 'method' | 'intent' | 'request' | 'description' | 'digest' | 'expires' | 'opaque' | 'header'>;
  /** The payer, as a DID. */
  source?: string;
  /** The method's own proof of payment. */
  payload: JsonObject;
}

const SCHEME = /^Payment +(?=[A-Za-z0-9_=-]+$)/i;
/** More than servers have to accept, and enough for the largest transaction. */
const MAX_CHARACTERS = 32_768;

const ECHOED = ['id', 'realm', 'method', 'intent', 'request', 'description', 'digest', 'expires', 'header', 'opaque'] as const;

/** The value of the Authorization header. */
export function serialiseCredential({ challenge, source, payload }: Credential): string {
  const echo = Object.fromEntries(ECHOED.flatMap((name) => (challenge[name] === undefined ? [] : [[name, challenge[name]]])));
  return `Payment ${encodeObject({ challenge: echo, payload, source })}`;
}

/** @throws MppError for what is not a credential. */
export function parseCredential(value: string): Credential {
  const fail = (message: string): never => {
    throw new MppError('credential_invalid', `a Payment credential ${message}`);
  };
  if (value.length > MAX_CHARACTERS) fail(`has at most ${MAX_CHARACTERS} characters`);
  const scheme = SCHEME.exec(value) ?? fail('begins with "Payment" and goes on in base64url');
  const object = decodeObject(value.slice(scheme[0].length)) ?? fail('is a JSON object in base64url');
  const { challenge, source, payload } = object;
  if (!isObject(challenge) || !isObject(payload)) return fail('has a challenge and a payload');
  const texts = Object.fromEntries(
    ECHOED.map((name) => [name, challenge[name]]).filter(([, text]) => text !== undefined),
  ) as Credential['challenge'];
  if (!Object.values(texts).every((text) => typeof text === 'string')) fail('repeats the challenge’s parameters as texts');
  for (const name of ['id', 'realm', 'method', 'intent', 'request'] as const)
    if (texts[name] === undefined) fail(`repeats the challenge’s ${name}`);
  if (source !== undefined && typeof source !== 'string') return fail('names its source as a text');
  return { challenge: texts, payload, ...(source !== undefined && { source }) };
}
