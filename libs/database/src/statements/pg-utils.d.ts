/** The conversion of parameters that pg itself uses. Its types leave it out. */
declare module 'pg/lib/utils' {
  export function prepareValue(value: unknown): unknown;
}
