/** The receipt of a provider after it was paid: `Payment-Receipt: <base64url>` (draft, section 5.3). It is not signed and proves nothing by itself. */
import { parseDate } from '../fields';
import { decodeObject, encodeObject, type JsonObject } from '../json';
import { MppError } from '../mpp.errors';

export interface Receipt {
  status: 'success';
  method: string;
  timestamp: string;
  /** A transaction's signature, or a session's address. */
  reference: string;
  intent?: string;
  challengeId?: string;
  /** Everything that came, the method's own members too. */
  members: JsonObject;
}

const MAX_CHARACTERS = 16_384;
const MAX_REFERENCE_CHARACTERS = 512;

/** @throws MppError for what is not a receipt. */
export function parseReceipt(value: string): Receipt {
  const fail = (message: string): never => {
    throw new MppError('receipt_invalid', `a Payment-Receipt ${message}`);
  };
  if (value.length > MAX_CHARACTERS) fail(`has at most ${MAX_CHARACTERS} characters`);
  const members = decodeObject(value.trim()) ?? fail('is a JSON object in base64url');
  const { status, method, timestamp, reference, intent, challengeId } = members;
  if (status !== 'success') return fail('says "success"');
  if (typeof method !== 'string' || method === '') return fail('names its method');
  if (typeof timestamp !== 'string' || parseDate(timestamp) === null) return fail('has a timestamp of RFC 3339');
  if (typeof reference !== 'string' || reference === '' || reference.length > MAX_REFERENCE_CHARACTERS) return fail('has a reference');
  if ((intent !== undefined && typeof intent !== 'string') || (challengeId !== undefined && typeof challengeId !== 'string'))
    return fail('names intent and challenge by texts');
  return {
    status,
    method,
    timestamp,
    reference,
    ...(intent !== undefined && { intent }),
    ...(challengeId !== undefined && { challengeId }),
    members,
  };
}

export function serialiseReceipt({
  status,
  method,
  timestamp,
  reference,
  intent,
  challengeId,
  members,
}: Omit<Receipt, 'members'> & { members?: JsonObject }): string {
  return encodeObject({ ...members, status, method, timestamp, reference, intent, challengeId });
}
