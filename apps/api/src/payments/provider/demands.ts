/** A provider's 402, from its answer or from the agent that got it. */
import { PAYMENT_REQUIRED_HEADER } from '#x402';
import type { Answer } from '../payment.entity';
import type { Asked } from '../methods/payment-method';
import type { AuthorizePaymentDto } from '../payments.dto';
import type { ProviderAnswer, ProviderRequest } from './provider-client';

/** The prices of a 402, as it names them. */
export type Demand = Pick<Asked, 'challenges' | 'x402'>;

/** The 402 that an agent hands over. */
export function demandIn({ challenges = [], payment_required: required }: AuthorizePaymentDto): Demand {
  const x402 = required === undefined ? null : typeof required === 'string' ? { header: required } : { object: required };
  return { challenges, x402 };
}

/** A 402 with its request, checked against the operator's record of the provider. */
export function askedBy(answer: ProviderAnswer, request: ProviderRequest, provider: Asked['provider']): Asked {
  const { challenges, paymentRequired, body } = answer;
  const x402 = paymentRequired === null ? { body: body.toString() } : { header: paymentRequired };
  const hasAuthorization = Object.keys(request.headers).some((name) => name.toLowerCase() === 'authorization');
  return { challenges, x402, body: request.body === null ? null : Buffer.from(request.body, 'base64'), hasAuthorization, provider };
}

/** A 402 whose request this service did not send. */
export function askedUnseen({ challenges, x402 }: Demand, provider: Asked['provider']): Asked {
  return { challenges, x402, body: null, hasAuthorization: false, provider };
}

/** The answer that a demand came in, as far as the agent hands it over. */
export function answerOf({ challenges, x402 }: Demand): Answer {
  const headers = {
    ...(challenges.length > 0 && { 'www-authenticate': challenges.join(', ') }),
    ...(x402 && 'header' in x402 && { [PAYMENT_REQUIRED_HEADER]: x402.header }),
  };
  const body = x402 && 'object' in x402 ? JSON.stringify(x402.object) : '';
  return { status: 402, headers, body: Buffer.from(body), truncated: false };
}
