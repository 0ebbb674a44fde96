/** The place and the reason why a text is not JSON. `JSON.parse` says it in some versions of Node only. */
import { parse, type ParseError, ParseErrorCode } from 'jsonc-parser';

/** The parser calls itself for each level: a text that opens more of them is not looked into. */
const MAX_LEVELS = 2_000;

const NO_VALUE = 'this is no value of JSON';

const WORDS: Partial<Record<ParseErrorCode, string>> = {
  [ParseErrorCode.InvalidSymbol]: `${NO_VALUE}, whose names and texts have double quotes`,
  [ParseErrorCode.InvalidNumberFormat]: 'this is not a number of JSON',
  [ParseErrorCode.PropertyNameExpected]: 'a member’s name in double quotes is expected',
  [ParseErrorCode.ValueExpected]: 'a value is expected',
  [ParseErrorCode.ColonExpected]: '“:” is expected',
  [ParseErrorCode.CommaExpected]: '“,” is expected',
  [ParseErrorCode.CloseBraceExpected]: '“}” is expected',
  [ParseErrorCode.CloseBracketExpected]: '“]” is expected',
  [ParseErrorCode.EndOfFileExpected]: 'the end is expected',
  [ParseErrorCode.InvalidCommentToken]: 'JSON has no comments',
  [ParseErrorCode.UnexpectedEndOfString]: 'the closing quote is missing',
  [ParseErrorCode.InvalidUnicode]: 'the escape is not complete',
  [ParseErrorCode.InvalidEscapeCharacter]: 'JSON has no such escape',
  [ParseErrorCode.InvalidCharacter]: 'this character must be escaped',
};

/** The place and the cause of the first defect, such as `line 2, column 5: “,” is expected`. Undefined for JSON, or for too many levels. */
export function jsonDefect(text: string): string | undefined {
  if ((text.match(/[[{]/g)?.length ?? 0) > MAX_LEVELS) return undefined;
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors;
  if (!first) return undefined;
  const lines = text.slice(0, first.offset).split('\n');
  const place = `line ${lines.length}, column ${[...(lines.at(-1) ?? '')].length + 1}`;
  return `${place}: ${WORDS[first.error] ?? NO_VALUE}`;
}
