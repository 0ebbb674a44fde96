/** Parsing and formatting of USDC amounts. Inside the service money is a bigint in micro-USDC, and never a number. */

/** Amounts as clients write them: without sign, exponent or bare point. */
export const AMOUNT = /^(\d{1,12})(?:\.(\d{1,6}))?$/;
const DECIMALS = 6;
const MICROS = 10n ** BigInt(DECIMALS);

/** The largest policy limit or threshold, in USDC. */
export const MAX_LIMIT_USDC = 1_000_000_000;

/** Whether a value is a decimal text of at least 0.000001 USDC, with at most 12 digits before and 6 after the point. */
export function isUsdcAmount(value: unknown): value is string {
  return typeof value === 'string' && AMOUNT.test(value) && parseUsdc(value) > 0n;
}

/** Whether a number is a limit: 0 to 1,000,000,000 with at most six decimals. */
export function isUsdcLimit(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_LIMIT_USDC && Number(value.toFixed(DECIMALS)) === value;
}

/** Parses an amount in USDC into micro-USDC: `"1.5"` → `1500000n`. @throws RangeError for a text that is not an amount. */
export function parseUsdc(amount: string): bigint {
  const [, whole, fraction = ''] = AMOUNT.exec(amount) ?? [];
  if (whole === undefined) throw new RangeError('not a USDC amount');
  return BigInt(whole) * MICROS + BigInt(fraction.padEnd(DECIMALS, '0'));
}

/** Formats micro-USDC as USDC with six decimals: `1500000n` → `"1.500000"`. */
export function formatUsdc(microUsdc: bigint): string {
  const digits = (microUsdc < 0n ? -microUsdc : microUsdc).toString().padStart(DECIMALS + 1, '0');
  return `${microUsdc < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}

/** Converts a limit from a JSON number in USDC to micro-USDC, by its decimal text. @throws RangeError for a number that is not a limit. */
export function limitToMicroUsdc(limit: number): bigint {
  if (!isUsdcLimit(limit)) throw new RangeError('not a USDC limit');
  // Math.abs turns -0 into 0, whose text has no sign.
  return parseUsdc(Math.abs(limit).toFixed(DECIMALS));
}

/** Converts a limit from micro-USDC to a JSON number in USDC. Exact up to MAX_LIMIT_USDC, whose 16 digits fit a double. */
export function microUsdcToLimit(microUsdc: bigint): number {
  return Number(formatUsdc(microUsdc));
}
