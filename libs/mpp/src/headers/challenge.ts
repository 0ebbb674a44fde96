/** The demand of a provider: `WWW-Authenticate: Payment …` (draft, section 5.1). */
import { MAX_CHALLENGES, splitChallenges, type SchemeChallenge } from './auth-params';
import { parseDate } from '../fields';
import { decodeObject, encodeObject, isObject, type JsonObject } from '../json';
import { MppError } from '../mpp.errors';

export interface Challenge {
  /** The provider's, bound to the others by a key that only it has. */
  id: string;
  realm: string;
  /** Lower case, such as `solana`. */
  method: string;
  /** Such as `charge` and `session`. */
  intent: string;
  /** The request as it came: credentials repeat these very characters. */
  request: string;
  /** The same, decoded. */
  requestObject: JsonObject;
  /** Digest of the request body that it is for. */
  digest?: string;
  /** As it came, and as a moment. */
  expires?: string;
  expiresAt?: Date;
  description?: string;
  /** The provider's own, as it came and decoded: texts by name. */
  opaque?: string;
  opaqueTexts?: Record<string, string>;
  /** The header that the credential goes into instead of Authorization. */
  header?: string;
  /** A parameter beyond the draft that providers may put a category into. */
  category?: string;
}

export interface ParsedChallenges {
  challenges: Challenge[];
  /** Payment challenges that cannot be read. Other schemes are not defects. */
  defects: MppError[];
}

/** Longest header value, and longest `request`, which mppx bounds alike. */
const MAX_VALUE_CHARACTERS = 65_536;
const MAX_REQUEST_CHARACTERS = 16_384;
const MAX_ID_CHARACTERS = 1_024;
/** mppx is laxer than the draft's 1*LOWERALPHA, and so are we: an unknown method is refused later, by its name. */
const METHOD = /^[a-z][a-z0-9:_-]{0,63}$/;
const INTENT = /^[A-Za-z0-9-]{1,64}$/;
/** A field name that a credential may go into: `Authorization` is the default, and others must not be taken over. */
const CREDENTIAL_HEADER = /^payment-[a-z0-9-]{1,48}$/i;

/** Every Payment challenge in the values of all WWW-Authenticate headers, in their order. */
export function parseChallenges(values: readonly string[]): ParsedChallenges {
  const parsed: ParsedChallenges = { challenges: [], defects: [] };
  let count = 0;
  for (const value of values) {
    if (count > MAX_CHALLENGES) break;
    if (value.length > MAX_VALUE_CHARACTERS) {
      parsed.defects.push(
        new MppError(
          'challenge_too_large',
          `a WWW-Authenticate value has ${value.length} characters, and ${MAX_VALUE_CHARACTERS} are read`,
        ),
      );
      continue;
    }
    // One more than are read, to notice that there are more.
    const split = splitChallenges(value, MAX_CHALLENGES + 1 - count);
    count += split.length;
    for (const found of split.slice(0, split.length - Math.max(count - MAX_CHALLENGES, 0))) {
      if (found.scheme !== 'payment') continue;
      const read = readChallenge(found);
      if (read instanceof MppError) parsed.defects.push(read);
      else parsed.challenges.push(read);
    }
  }
  if (count > MAX_CHALLENGES)
    parsed.defects.push(new MppError('challenge_too_large', `only the first ${MAX_CHALLENGES} challenges are read`));
  return parsed;
}

/** Whether these values have more challenges, of whatever scheme, than are read. */
export function areTooManyChallenges(values: readonly string[]): boolean {
  let left = MAX_CHALLENGES;
  for (const value of values) {
    left -= splitChallenges(value, left + 1).length;
    if (left < 0) return true;
  }
  return false;
}

function readChallenge({ params, defect }: SchemeChallenge): Challenge | MppError {
  const bad = (message: string): MppError => new MppError('challenge_invalid', `a Payment challenge: ${message}`);
  if (defect !== undefined) return bad(defect);
  const [id, realm, method, intent, request] = ['id', 'realm', 'method', 'intent', 'request'].map((name) => params.get(name));
  if (!id || id.length > MAX_ID_CHARACTERS) return bad(`id must have 1 to ${MAX_ID_CHARACTERS} characters`);
  if (realm === undefined) return bad('realm is missing');
  if (method === undefined || !METHOD.test(method)) return bad('method must be a name in lower case');
  if (intent === undefined || !INTENT.test(intent)) return bad('intent must be of letters, digits and hyphens');
  if (!request) return bad('request is missing');
  if (request.length > MAX_REQUEST_CHARACTERS)
    return new MppError(
      'challenge_too_large',
      `a Payment challenge: request has ${request.length} characters, and ${MAX_REQUEST_CHARACTERS} are read`,
    );
  const requestObject = decodeObject(request);
  if (!requestObject) return bad('request is no JSON object in base64url');

  const challenge: Challenge = { id, realm, method, intent, request, requestObject };
  const expires = params.get('expires');
  if (expires !== undefined) {
    const expiresAt = parseDate(expires);
    if (!expiresAt) return bad('expires is no date and time of RFC 3339');
    Object.assign(challenge, { expires, expiresAt });
  }
  const opaque = params.get('opaque');
  if (opaque !== undefined) {
    const opaqueTexts = decodeObject(opaque);
    if (!opaqueTexts || !Object.values(opaqueTexts).every((value) => typeof value === 'string'))
      return bad('opaque is no JSON object of texts in base64url');
    Object.assign(challenge, { opaque, opaqueTexts });
  }
  const header = params.get('header');
  if (header !== undefined && header.toLowerCase() !== 'authorization') {
    if (!CREDENTIAL_HEADER.test(header)) return bad('header names a field that no credential may go into');
    challenge.header = header;
  }
  for (const name of ['digest', 'description', 'category'] as const) {
    const value = params.get(name);
    if (value !== undefined) challenge[name] = value;
  }
  return challenge;
}

/** The value of a WWW-Authenticate header. @throws MppError for a text that no header can carry. */
export function serialiseChallenge(
  challenge: Omit<Challenge, 'request' | 'requestObject' | 'expiresAt' | 'opaqueTexts'> & { request: JsonObject | string },
): string {
  const { request, ...rest } = challenge;
  const params = { ...rest, request: isObject(request) ? encodeObject(request) : request };
  const order = ['id', 'realm', 'method', 'intent', 'request', 'description', 'digest', 'expires', 'header', 'opaque', 'category'] as const;
  return `Payment ${order.flatMap((name) => (params[name] === undefined ? [] : [`${name}=${quoted(params[name])}`])).join(', ')}`;
}

function quoted(value: string): string {
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value)) throw new MppError('challenge_invalid', 'a header cannot carry control characters');
  const escaped = value
    .replace(/[\\"]/g, '\\$&')
    .replace(/[\u0100-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `"${escaped}"`;
}
