/** USDC amounts as decimal strings. They are compared and added in micro-USDC, as bigints, and never become floats. */

const AMOUNT = /^\d{1,12}(\.\d{1,6})?$/;
const DECIMALS = 6;
const SHOWN_DECIMALS = 2;

/** Whether a text is an amount that the API accepts. */
export function isAmount(text: string): boolean {
  return AMOUNT.test(text) && toMicro(text) > 0n;
}

/** An amount in micro-USDC. */
export function toMicro(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(DECIMALS, '0'));
}

/** Micro-USDC as an amount with six decimals. */
export function formatMicro(micro: bigint): string {
  const digits = micro.toString().padStart(DECIMALS + 1, '0');
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}

/** `1234.500000` as `1,234.50`: with at least `decimals` of them, and without trailing zeros beyond. */
export function formatUsdc(text: string, decimals = SHOWN_DECIMALS): string {
  const [whole = '0', fraction = ''] = text.split('.');
  const shown = fraction.replace(/0+$/, '').padEnd(decimals, '0');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${shown}`;
}

const CENT = 10_000n;
const HUNDREDTH_OF_A_CENT = 100n;

/** An amount rounded to two decimals, below 0.01 to four, so that a column lines up: `40.150009` as `40.15`. */
export function roundedUsdc(text: string): string {
  const micro = toMicro(text);
  if (micro > 0n && micro < HUNDREDTH_OF_A_CENT) return '<0.0001';
  const [unit, decimals] = micro === 0n || micro >= CENT ? [CENT, SHOWN_DECIMALS] : [HUNDREDTH_OF_A_CENT, SHOWN_DECIMALS * 2];
  const rounded = formatMicro(((micro + unit / 2n) / unit) * unit);
  return formatUsdc(rounded.slice(0, rounded.length - DECIMALS + decimals), decimals);
}

const LAMPORTS_DIGITS = 9;

/** Lamports in SOL, cut after so many decimals; without a number, exact and without zeros at the end. */
export function solOf(lamports: string, decimals?: number): string {
  const digits = lamports.padStart(LAMPORTS_DIGITS + 1, '0');
  const [whole, fraction] = [digits.slice(0, -LAMPORTS_DIGITS), digits.slice(-LAMPORTS_DIGITS)];
  const shown = decimals === undefined ? fraction.replace(/0+$/, '') : fraction.slice(0, decimals);
  return shown === '' ? whole : `${whole}.${shown}`;
}

/** A limit in a sentence: `5`, or `5.50`. */
export function formatLimit(text: string): string {
  return formatUsdc(text).replace(/\.00$/, '');
}

/** The percentage of the whole, from 0 to 100, for the length of a bar. */
export function percentOf(part: string, whole: string): number {
  const all = toMicro(whole);
  if (all === 0n) return toMicro(part) > 0n ? 100 : 0;
  const percent = Number((toMicro(part) * 1000n) / all) / 10;
  return Math.min(100, percent);
}

/** The percentages of a limit from which its bar is amber and red. */
const AMBER = 80;
const RED = 100;

/** The class of a bar that shows this percentage of a limit. */
export function toneOf(percent: number): '' | 'near' | 'full' {
  if (percent >= RED) return 'full';
  return percent >= AMBER ? 'near' : '';
}
