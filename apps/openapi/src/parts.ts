/** The small parts of the document. */
import type { JsonSchema } from '../../api/src/http/validation/schemas';
import { RESPONSE_HEADERS } from './headers';

export type Member = Record<string, unknown>;

/** The reference to a schema of the components. */
export function refTo(name: string): string {
  return `#/components/schemas/${name}`;
}

/** References to the headers of responses. */
export function headerRefs(names: (keyof typeof RESPONSE_HEADERS)[]): Member {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** A JSON body. */
export function json(schema: JsonSchema, more: Member = {}): Member {
  return { 'application/json': { schema, ...more } };
}

/** `transfer.settled` as `TransferSettled`. */
export function pascal(name: string): string {
  return name.replace(/(^|[._])(\w)/g, (_match, _separator, letter: string) => letter.toUpperCase());
}
