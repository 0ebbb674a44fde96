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

/** A limit of a policy in USDC, which the API takes as a number; `none` is null, which unsets it. */
export function policyLimit(text: string): number | null {
  if (text === 'none') return null;
  if (!LIMIT.test(text)) throw new InvalidArgumentError('It must be an amount of USDC, such as 12.50, or none.');
  return Number(text);
}

/** A list of a policy: `any` is null, which allows all; `none` is empty, which allows none. */
export function policyList(text: string): string[] | null {
  if (text === 'any') return null;
  return text === 'none' ? [] : text.split(',').map((entry) => entry.trim());
}

/** yes or no. */
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
