/** Makes the schemas of tools out of those of the API: takes members away, makes them optional, puts them together. */
import type { ObjectSchema } from '../api-document';

interface Change {
  /** Members that the tool does not take. */
  without?: readonly string[];
  /** Members that the API requires and the tool does not. */
  optional?: readonly string[];
  /** Members that replace those of the same name, or are added. */
  with?: ObjectSchema['properties'];
}

/** A changed copy of a schema. */
export function changed(schema: ObjectSchema, { without = [], optional = [], with: added = {} }: Change): ObjectSchema {
  const kept = Object.entries(schema.properties).filter(([name]) => !without.includes(name));
  const required = (schema.required ?? []).filter((name) => !without.includes(name) && !optional.includes(name));
  const { required: _, ...rest } = schema;
  return { ...rest, properties: { ...Object.fromEntries(kept), ...added }, ...(required.length > 0 && { required }) };
}

/** A schema with these members of another one alone. */
export function only(schema: ObjectSchema, names: readonly string[]): ObjectSchema {
  return changed(schema, { without: Object.keys(schema.properties).filter((name) => !names.includes(name)) });
}

/** The members of both. */
export function merged(one: ObjectSchema, other: ObjectSchema): ObjectSchema {
  const required = [...(one.required ?? []), ...(other.required ?? [])];
  return { ...one, properties: { ...one.properties, ...other.properties }, ...(required.length > 0 && { required }) };
}

/** A member's schema. @throws Error if the API no longer has it. */
export function member(schema: ObjectSchema, name: string): ObjectSchema['properties'][string] {
  const found = schema.properties[name];
  if (!found) throw new Error(`docs/openapi.json no longer has ${name}.`);
  return found;
}
