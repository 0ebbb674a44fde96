/** The request that a payment makes to a provider, as the caller gives it. */
import { Check, type Defect, IsOmittable, IsOneOf, IsText, itself } from '../../http/validation/checks';
import { MAX_URL } from '../../egress/url-policy';
import type { Json } from '../../lists/references';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;
const MAX_HEADERS = 50;
const MAX_HEADER_BYTES = 16_384;

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/;
/** Visible characters, spaces and tabs, as HTTP has them. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Ours to set, or the connection's. */
const OWN_HEADERS =
  /^(host|content-length|connection|transfer-encoding|upgrade|expect|te|trailer|keep-alive|proxy-.*|payment-.*|x-payment|accept-payment)$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Header fields by name. */
const IsHeaders = (): PropertyDecorator =>
  Check(
    (value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return [itself('must be an object')];
      const entries = Object.entries(value);
      if (entries.length > MAX_HEADERS) return [itself(`must have at most ${MAX_HEADERS} fields`)];
      if (entries.reduce((sum, [name, text]) => sum + name.length + String(text).length, 0) > MAX_HEADER_BYTES)
        return [itself(`must have at most ${MAX_HEADER_BYTES} characters in all`)];
      const seen = new Set<string>();
      return entries.flatMap(([name, text]): Defect[] => {
        const isTwice = seen.has(name.toLowerCase());
        seen.add(name.toLowerCase());
        if (!HEADER_NAME.test(name)) return [{ at: `.${name}`, message: 'is not the name of a header' }];
        if (isTwice) return [{ at: `.${name}`, message: 'is there twice' }];
        if (OWN_HEADERS.test(name)) return [{ at: `.${name}`, message: 'is set by the service itself' }];
        if (typeof text !== 'string' || !HEADER_VALUE.test(text))
          return [{ at: `.${name}`, message: 'must be a string that a header can carry' }];
        return /^authorization$/i.test(name) && /^\s*payment\b/i.test(text)
          ? [{ at: `.${name}`, message: 'must not be a Payment credential: the service makes it' }]
          : [];
      });
    },
    { type: 'object', maxProperties: MAX_HEADERS, additionalProperties: { type: 'string' } },
  );

export class ProviderRequestDto {
  @IsOneOf(METHODS)
  method: (typeof METHODS)[number];

  /** Of the paid API. */
  @IsText({ min: 1, max: MAX_URL })
  url: string;

  @IsOmittable()
  @IsHeaders()
  headers?: Record<string, string>;

  /** Text, which is sent as it is; or another JSON value, which is sent as JSON with that content type. Bytes go into body_base64. */
  @IsOmittable()
  @Check((_value, object) => bodyDefects(object), {})
  body?: Json;

  @IsOmittable()
  @Check((value, object) => (typeof value === 'string' && BASE64.test(value) ? bodyDefects(object) : [itself('must be base64')]), {
    type: 'string',
    contentEncoding: 'base64',
  })
  body_base64?: string;

  /** Whether the answer of an API that serves the request is passed on as it comes, in place of a payment. Not compared in a replay. */
  @IsOmittable()
  @Check((value) => (typeof value === 'boolean' ? [] : [itself('must be true or false')]), { type: 'boolean' })
  stream?: boolean;
}

function bodyDefects(object: object): Defect[] {
  if ('body' in object && object.body !== undefined && 'body_base64' in object && object.body_base64 !== undefined)
    return [itself('goes into body or into body_base64, not into both')];
  return 'method' in object && (object.method === 'GET' || object.method === 'HEAD') ? [itself('has no place in a GET or HEAD')] : [];
}
