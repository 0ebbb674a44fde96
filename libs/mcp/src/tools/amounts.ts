/** Amounts of USDC in arguments: decimal strings, or numbers, which models write more often. */
import type { ObjectSchema } from '../api-document';
import { ArgumentError } from '../results/results';
import type { Content } from './tool';

const AMOUNTS: ReadonlySet<string> = new Set(['amount', 'max_amount', 'min_amount', 'cap']);
const DECIMALS = 6;

type Schema = ObjectSchema['properties'][string];

/** A schema that takes numbers too for amounts, at any depth. */
export function withNumbers(schema: ObjectSchema): ObjectSchema {
  return { ...schema, properties: mapped(schema.properties) };
}

function mapped(properties: ObjectSchema['properties']): ObjectSchema['properties'] {
  const changed = Object.entries(properties).map(([name, one]): [string, Schema] => {
    if (AMOUNTS.has(name) && one.type === 'string') return [name, { ...one, type: ['string', 'number'] }];
    const inner = one.properties as ObjectSchema['properties'] | undefined;
    return [name, inner ? { ...one, properties: mapped(inner) } : one];
  });
  return Object.fromEntries(changed);
}

/** The arguments with each such number as the decimal string that the API takes. @throws ArgumentError for one with more than six decimals */
export function withStrings(args: Content): Content {
  const changed = Object.entries(args).map(([name, value]): [string, unknown] => {
    if (AMOUNTS.has(name) && typeof value === 'number') return [name, decimal(name, value)];
    return [name, name === 'open_session' && typeof value === 'object' && value !== null ? withStrings(value as Content) : value];
  });
  return Object.fromEntries(changed);
}

function decimal(name: string, value: number): string {
  const text = value.toFixed(DECIMALS);
  if (Number(text) !== value || text.includes('e'))
    throw new ArgumentError(`${name} has at most six decimals, such as "1.50"; it is ${value}.`);
  return text;
}
