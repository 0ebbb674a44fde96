/** The provider's response inside a payment, for a model: text once, and no longer than a model can read. */
import type { Schemas } from '#client';
import type { ObjectSchema } from '../api-document';
import { member } from '../schemas/schemas';
import type { Content } from '../tools/tool';

type Payment = Schemas['Payment'];

/** Longer bodies are cut: `GET /v1/payments/:id` has the whole one for 24 hours. A multiple of four, so that base64 stays valid. */
const MAX_CHARACTERS = 100_000;

/** A payment whose response has its text in `body`, without the same bytes in base64. */
export function readableResponse({ response, ...payment }: Payment): Omit<Payment, 'response'> & { response: Content | null } {
  if (response === null) return { ...payment, response };
  const { body, body_base64, ...rest } = response;
  const text = body ?? body_base64;
  const kept = { [body === null ? 'body_base64' : 'body']: text.slice(0, MAX_CHARACTERS) };
  return { ...payment, response: { ...rest, ...kept, ...(text.length > MAX_CHARACTERS && { truncated: true }) } };
}

/** The schema of such a payment. */
export function readableSchema(payment: ObjectSchema): ObjectSchema {
  const response = member(payment, 'response');
  return { ...payment, properties: { ...payment.properties, response: withoutRequired(response, ['body', 'body_base64']) } };
}

/** A schema, or the alternatives of one, in which these members are optional. */
function withoutRequired(schema: Content, names: string[]): Content {
  const { required, oneOf } = schema;
  return {
    ...schema,
    ...(Array.isArray(required) && { required: required.filter((each) => !names.includes(each)) }),
    ...(Array.isArray(oneOf) && { oneOf: oneOf.map((each: Content) => withoutRequired(each, names)) }),
  };
}
