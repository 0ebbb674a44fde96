/** Checks and counts of Unicode text. */

/** With the flag u this matches only a surrogate without its pair. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Why a text cannot be stored, or undefined: PostgreSQL stores no NUL, and a lone surrogate is not a character. */
export function textDefect(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the character NUL';
  return LONE_SURROGATE.test(text) ? 'must be well-formed Unicode, without lone surrogates' : undefined;
}

/** The number of code points. An emoji counts as one. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** A part of a sentence as a sentence of its own. */
export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A sentence as a part of another one. */
export function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
