/** Parsers of options. They throw what commander reports as wrong usage. */
import { InvalidArgumentError } from 'commander';

const MAX_LIST = 10_000;
const LIMIT = /^\d{1,10}(\.\d{1,6})?$/;

/** An amount of USDC, as the API takes it. */
export function amount(text: string): string {
  if (!/^\d{1,12}(\.\d{1,6})?$/.test(text)) throw new InvalidArgumentError('It must be an amount of USDC, such as 12.50.');
  return text;
}

/** How many entries to print. */
export function listLimit(text: string): number {
  return wholeNumber(1, MAX_LIST)(text);
}

/** A whole number in a range. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < least || number > most)
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    return number;
  };
}

/** A time in days or hours, in milliseconds. */
export function duration(text: string): number {
  const [, count, unit] = /^(\d{1,5})([dh])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('It must be days or hours, such as 90d or 12h.');
  return Number(count) * (unit === 'd' ? 24 : 1) * 3_600_000;
}

/** A limit of a policy, checked. */
export function policyLimit(text: string): string {
  if (text !== 'none' && !LIMIT.test(text)) throw new InvalidArgumentError('It must be an amount of USDC, such as 12.50, or none.');
  return text;
}

/** A limit as the API takes it: a number of USDC, or null, which unsets it. Commander cannot keep a null. */
export function limitOf(text: string): number | null {
  return text === 'none' ? null : Number(text);
}

/** A list of a policy as the API takes it: `any` is null, which allows all; `none` is empty, which allows none. */
export function listOf(text: string): string[] | null {
  if (text === 'any') return null;
  return text === 'none' ? [] : text.split(',').map((entry) => entry.trim());
}

/** yes or no, checked. */
export function flag(text: string): boolean {
  if (text !== 'yes' && text !== 'no') throw new InvalidArgumentError('It must be yes or no.');
  return text === 'yes';
}

/** Collects an option that may be given more than once. */
export function several(text: string, before: string[] = []): string[] {
  return [...before, text];
}

/** The members that are given. */
export function given<T extends object>(members: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };
}
