/** Wrong arguments of a tool, in the sentences of the API. */
import { nearest } from '#spelling';
import type { ObjectSchema } from '../api-document';
import { ArgumentError } from '../results/results';
import type { Content } from '../tools/tool';

/** One wrong argument. */
export interface ArgumentProblem {
  field: string;
  message: string;
}

/**
 * The arguments that are unknown or missing, and those that are not text if an id or another text belongs, which the client puts into a
 * path or a query. All other values are checked by the API.
 */
export function problemsOf({ properties, required = [] }: ObjectSchema, args: Content): ArgumentProblem[] {
  const known = Object.keys(properties);
  const given = Object.entries(args).filter(([, value]) => value !== undefined && value !== null);
  const textless = given.filter(([name, value]) => properties[name]?.type === 'string' && typeof value !== 'string');
  const unknown = Object.keys(args).filter((name) => !known.includes(name));
  const missing = required.filter((name) => args[name] === undefined || args[name] === null);
  return [
    ...unknown.map((field) => ({ field, message: `is not a known field${meant(field, known)}` })),
    ...missing.map((field) => ({ field, message: 'is required' })),
    ...textless.map(([field]) => ({ field, message: 'must be a string' })),
  ];
}

/** @throws ArgumentError with every wrong argument */
export function assertArguments(schema: ObjectSchema, args: Content): void {
  const problems = problemsOf(schema, args);
  const [first, ...more] = problems;
  if (!first) return;
  const rest = more.length > 0 ? `, and ${more.length} more` : '';
  throw new ArgumentError(`${first.field} ${first.message}${rest}.`, problems);
}

function meant(field: string, known: string[]): string {
  const name = nearest(field, known);
  return name === undefined ? '' : ` (did you mean ${name}?)`;
}
