/** The content of a request to pay, in the terms of a payment. */
import type { AuthorizePaymentDto } from './payments.dto';
import type { Asked } from './payment-method';

/** The called resource. The method is null if the agent calls it. */
export interface Called {
  method: string | null;
  url: string;
}

/** The origin and path of a URL: its query may carry secrets. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** The 402 that an agent hands over. */
export function askedIn({ challenges = [], payment_required: required }: AuthorizePaymentDto): Pick<Asked, 'challenges' | 'x402'> {
  const x402 = required === undefined ? null : typeof required === 'string' ? { header: required } : { object: required };
  return { challenges, x402 };
}

/** Absent without a purse, so that the hashes of other requests stay as they were. */
export function purseParameters({ purse_id: id }: { purse_id?: string }): string[] {
  return id === undefined ? [] : [id];
}
