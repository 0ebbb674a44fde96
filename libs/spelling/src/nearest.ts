import { closest, distance } from 'fastest-levenshtein';

/** Longer words are not compared: the time grows with the product of the lengths. */
const MAX_LENGTH = 128;

/**
 * The one among `words` that a mistyped word most likely stands for: it begins the word or begins with it, as `amount` and `amount_usdc`, or
 * differs by a third of its letters at most. Undefined for none.
 */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  if (typed.length > MAX_LENGTH || words.length === 0) return undefined;
  const extended = words.find((word) => typed.startsWith(`${word}_`) || word.startsWith(`${typed}_`));
  if (extended !== undefined) return extended;
  const found = closest(typed, words);
  return distance(typed, found) <= Math.max(1, Math.floor(found.length / 3)) ? found : undefined;
}
