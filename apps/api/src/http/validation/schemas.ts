/** The facts that the checks of a DTO declare about its fields, for the API's description. A bound stands once: in the decorator that checks it. */

/** A JSON Schema (2020-12), as far as the API uses it. */
export interface JsonSchema {
  type?: string | string[];
  description?: string;
  format?: string;
  pattern?: string;
  enum?: readonly unknown[];
  const?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  maxProperties?: number;
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  default?: unknown;
  examples?: unknown[];
  contentEncoding?: string;
  discriminator?: { propertyName: string; mapping?: Record<string, string> };
  $ref?: string;
}

/** A field of a DTO. */
export interface FieldSchema {
  schema: JsonSchema;
  isOptional: boolean;
  isNullable: boolean;
  /** White space around the text is removed before it is checked. */
  isTrimmed: boolean;
  /** The class of a nested object. */
  nested?: () => new () => object;
}

const FIELDS = Symbol('schemas of fields');

/** Adds what a decorator knows to the schema of a field. Several decorators of a field add up. */
export function declareField(target: object, property: string | symbol, { schema = {}, ...more }: Partial<FieldSchema>): void {
  const fields = fieldsOfPrototype(target);
  const known = fields.get(String(property)) ?? { schema: {}, isOptional: false, isNullable: false, isTrimmed: false };
  const field = { ...known, ...more, schema: { ...known.schema, ...schema } };
  Reflect.defineMetadata(FIELDS, new Map([...fields, [String(property), field]]), target);
}

/** The fields that the checks of a class and its base classes declare. */
export function fieldsOf(type: { prototype: object }): ReadonlyMap<string, FieldSchema> {
  return fieldsOfPrototype(type.prototype);
}

function fieldsOfPrototype(target: object): ReadonlyMap<string, FieldSchema> {
  const fields: unknown = Reflect.getMetadata(FIELDS, target);
  return fields instanceof Map ? fields : new Map();
}
