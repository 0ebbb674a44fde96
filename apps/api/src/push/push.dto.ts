import { ECDH } from 'node:crypto';
import { Check, IsNested, itself } from '../http/validation/checks';
import { egressUrlDefect, MAX_URL } from '../egress/url-policy';

/** Bytes of an uncompressed point on P-256, and of the secret (RFC 8291). */
const POINT_BYTES = 65;
const AUTH_BYTES = 16;

const IsEndpoint = (): PropertyDecorator =>
  Check(
    (value) => {
      const defect = typeof value === 'string' ? egressUrlDefect(value, { allowPrivate: true }) : 'must be a string';
      return defect === undefined ? [] : [itself(defect)];
    },
    { type: 'string', format: 'uri', maxLength: MAX_URL },
  );

const IsBytes = (bytes: number, isValid: (value: Buffer) => boolean = () => true): PropertyDecorator =>
  Check(
    (value) => {
      const decoded = typeof value === 'string' && /^[A-Za-z0-9_-]{1,128}={0,2}$/.test(value) ? Buffer.from(value, 'base64url') : undefined;
      return decoded?.length === bytes && isValid(decoded) ? [] : [itself(`must be ${bytes} bytes in base64url, as browsers make them`)];
    },
    { type: 'string', maxLength: 130 },
  );

function isPoint(value: Buffer): boolean {
  try {
    ECDH.convertKey(value, 'prime256v1');
    return true;
  } catch {
    return false;
  }
}

class PushKeysDto {
  /** The browser's public key, an uncompressed point on P-256, in base64url. */
  @IsBytes(POINT_BYTES, isPoint)
  p256dh: string;

  /** The secret that the browser shares with this service, 16 bytes in base64url. */
  @IsBytes(AUTH_BYTES)
  auth: string;
}

/** A browser's subscription, as `PushSubscription.toJSON()` has it. */
export class PushSubscriptionDto {
  /** The URL of the browser's push service. */
  @IsEndpoint()
  endpoint: string;

  @IsNested(() => PushKeysDto)
  keys: PushKeysDto;
}

/** The browser that gets no more notifications. */
export class PushEndpointDto {
  @IsEndpoint()
  endpoint: string;
}
