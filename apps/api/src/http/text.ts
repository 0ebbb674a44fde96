/** Unicode, counted and checked as the contract does. */

/** With the flag u a surrogate matches only where it has no partner. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Why a text cannot be stored: PostgreSQL holds no NUL, and a lone surrogate is no character. */
export function textDefect(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the character NUL';
  return LONE_SURROGATE.test(text) ? 'must be well-formed Unicode, without lone surrogates' : undefined;
}

/** The number of code points: an emoji counts as one, not as two. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
