/** CSV by RFC 4180: CRLF after each line, and fields in quotes where they need them. */

/** A line of the names of columns. */
export function csvHeader(columns: readonly string[]): string {
  return line(columns);
}

/** A number with its sign. It is written as it is: no spreadsheet takes it for a formula. */
export class CsvNumber {
  constructor(readonly text: string) {}
}

/** An amount of USDC as a number of a file: negative if it left the account. */
export function signedUsdc(direction: 'in' | 'out', amountUsdc: string): CsvNumber {
  return new CsvNumber(direction === 'out' ? `-${amountUsdc}` : amountUsdc);
}

/** A row as a line. A null or absent member is an empty field, and an object is JSON. */
export function csvLine<Row extends object>(columns: readonly (keyof Row & string)[], row: Row): string {
  return line(columns.map((column) => field(row[column])));
}

function field(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof CsvNumber) return value.text;
  return harmless(typeof value === 'string' ? value : JSON.stringify(value));
}

/**
 * Spreadsheets take a text that begins with `=`, `+`, `-` or `@` for a formula. Some skip white space before it, and some split a field
 * at a tab, a line break or a semicolon. A quotation mark before each makes it a text.
 */
function harmless(text: string): string {
  const inside = text.replace(/([\t\r\n;])(?=[=+\-@])/g, "$1'");
  return /^[\s;]*[=+\-@]/.test(text) ? `'${inside}` : inside;
}

function line(fields: readonly string[]): string {
  return `${fields.map(quoted).join(',')}\r\n`;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
