/** USDC on its way in and out. Inside the service money is a bigint of micro-USDC, and never anything else. */

/** Amounts as clients write them: no sign, no exponent, no bare point. */
const AMOUNT = /^(\d{1,12})(?:\.(\d{1,6}))?$/;
const DECIMALS = 6;
const MICROS = 10n ** BigInt(DECIMALS);

/** The largest policy limit or threshold, in USDC. */
export const MAX_LIMIT_USDC = 1_000_000_000;

/** Whether a value is an amount of at least 0.000001 USDC in the grammar of the contract. */
export function isUsdcAmount(value: unknown): value is string {
  return typeof value === 'string' && AMOUNT.test(value) && parseUsdc(value) > 0n;
}

/** Whether a number is a limit: 0 to 1,000,000,000 with at most six decimals. */
export function isUsdcLimit(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_LIMIT_USDC && Number(value.toFixed(DECIMALS)) === value;
}

/** `"1.5"` → `1500000n`. */
export function parseUsdc(amount: string): bigint {
  const [, whole, fraction = ''] = AMOUNT.exec(amount) ?? [];
  if (whole === undefined) throw new RangeError('not a USDC amount');
  return BigInt(whole) * MICROS + BigInt(fraction.padEnd(DECIMALS, '0'));
}

/** `1500000n` → `"1.500000"`. */
export function formatUsdc(microUsdc: bigint): string {
  const digits = (microUsdc < 0n ? -microUsdc : microUsdc).toString().padStart(DECIMALS + 1, '0');
  return `${microUsdc < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}

/** A limit from a JSON number, through its decimal text: the one place where money meets a number, coming in. */
export function limitToMicroUsdc(limit: number): bigint {
  if (!isUsdcLimit(limit)) throw new RangeError('not a USDC limit');
  // Math.abs turns -0 into 0, whose text has no sign.
  return parseUsdc(Math.abs(limit).toFixed(DECIMALS));
}

/** A limit as a JSON number, going out. Exact, because fifteen or sixteen digits fit a double. */
export function microUsdcToLimit(microUsdc: bigint): number {
  return Number(formatUsdc(microUsdc));
}
