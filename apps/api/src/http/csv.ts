/** CSV by RFC 4180: CRLF after each line, and fields in quotes where they need them. */

/** A line of the names of columns. */
export function csvHeader(columns: readonly string[]): string {
  return line(columns);
}

/** A row as a line. A null or absent member is an empty field, and an object is JSON. */
export function csvLine<Row extends object>(columns: readonly (keyof Row & string)[], row: Row): string {
  return line(columns.map((column) => field(row[column])));
}

function field(value: unknown): string {
  if (value === null || value === undefined) return '';
  return harmless(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Spreadsheets take a text that begins with one of these for a formula. */
function harmless(text: string): string {
  return /^[=+\-@]/.test(text) ? `'${text}` : text;
}

function line(fields: readonly string[]): string {
  return `${fields.map(quoted).join(',')}\r\n`;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
