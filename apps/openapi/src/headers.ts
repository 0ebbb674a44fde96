/** Headers of requests and responses. */
import { MAX_IDEMPOTENCY_KEY } from '../../api/src/http/headers';

/** Parameters of requests, by the decorator of the handler that reads them. */
export const REQUEST_HEADERS: Record<string, object> = {
  IdempotencyKeyHeader: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'The same key with the same parameters executes once. It is kept for 24 hours. Where the body has `idempotency_key`, the header stands for it.',
    schema: { type: 'string', minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY },
  },
  IfMatchHeader: {
    name: 'If-Match',
    in: 'header',
    description: 'The `ETag` of the policy that the change is based on. Another version answers 412.',
    schema: { type: 'string', examples: ['"7"'] },
  },
  DryRunHeader: {
    name: 'Dry-Run',
    in: 'header',
    description: 'Checks everything and changes nothing: the response says what the request would do.',
    schema: { type: 'string', enum: ['true'] },
  },
};

/** Parameters that every request may have. */
export const REQUEST_ID = {
  name: 'X-Request-Id',
  in: 'header',
  description: 'Identifies the request in logs. Omitted or unfit: the service makes one.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
};

export const RESPONSE_HEADERS = {
  'X-Request-Id': { description: 'Identifies the request in the logs of the service.', schema: { type: 'string' } },
  ETag: { description: 'The version of the policy, for `If-Match`.', schema: { type: 'string', examples: ['"7"'] } },
  'Idempotent-Replayed': {
    description: 'Present where the response is that of an earlier request with the same key.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Payment-Id': { description: 'The payment, where the answer of the provider is passed on as it comes.', schema: { type: 'string' } },
  'Payment-Status': {
    description: 'The status of the payment when the answer of the provider began: `unknown` where the provider settles afterwards.',
    schema: { type: 'string', enum: ['free', 'paid', 'paid_unreceipted', 'unknown'] },
  },
  'Retry-After': { description: 'When to try again: seconds, or a date.', schema: { type: 'string' } },
  RateLimit: {
    description: 'What is left of the limit: `"key";r=29999;t=60` is 29,999 requests of this key in the next 60 seconds.',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'The limit: `"key";q=30000;w=60` is 30,000 requests of a key in 60 seconds.',
    schema: { type: 'string' },
  },
  'WWW-Authenticate': { description: 'The scheme of the key.', schema: { type: 'string', enum: ['Bearer'] } },
};

/** Headers of the requests that webhooks receive. */
export const DELIVERY_HEADERS = {
  'X-Service-Signature': 'The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret.',
  'X-Service-Signature-Previous': 'The same under the previous secret, for 24 hours after a rotation.',
  'X-Service-Event-Id': 'The id of the event.',
  'X-Service-Delivery-Id': 'The id of the delivery.',
  'X-Service-Attempt': 'The number of the attempt, from 1.',
  'webhook-id': 'The id of the event, as Standard Webhooks has it.',
  'webhook-timestamp': 'Seconds since 1970, as Standard Webhooks has it.',
  'webhook-signature': 'Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them.',
};
