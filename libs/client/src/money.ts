/** Amounts of USDC. They are exact: strings on the wire, bigint in micro-USDC for arithmetic, never a JavaScript number. */

const AMOUNT = /^(\d{1,13})(?:\.(\d{1,6}))?$/;
const DECIMALS = 6;
const MICROS = 10n ** BigInt(DECIMALS);

/** An amount: USDC as a decimal string (`'1.50'`), or micro-USDC as a bigint (`1500000n`). */
export type Amount = string | bigint;

/** Converts USDC to micro-USDC: `'1.5'` to `1500000n`. @throws RangeError for a text that is not an amount. */
export function parseUsdc(amount: string): bigint {
  const [, whole, fraction = ''] = AMOUNT.exec(amount) ?? [];
  if (whole === undefined) throw new RangeError(`not an amount of USDC: ${amount}`);
  return BigInt(whole) * MICROS + BigInt(fraction.padEnd(DECIMALS, '0'));
}

/** Converts micro-USDC to USDC with six decimals: `1500000n` to `'1.500000'`. @throws RangeError for a negative amount. */
export function formatUsdc(microUsdc: bigint): string {
  if (microUsdc < 0n) throw new RangeError(`not an amount of USDC: ${microUsdc}`);
  const digits = microUsdc.toString().padStart(DECIMALS + 1, '0');
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}

/** An amount as requests have it. */
export function toUsdc(amount: Amount): string {
  return typeof amount === 'bigint' ? formatUsdc(amount) : amount;
}
