/** `npm run bench:program`: prints a table of compute units, compute budget instruction included. Asserts nothing. */
import { COMPUTE_UNITS } from '../../../libs/chain/src/program/compute-units';
import { CASES, measure } from './support/compute';

const TIMES = 40;

function row(units: number[]): { min: number; typical: number; max: number } {
  const sorted = [...units].sort((a, b) => a - b);
  return { min: sorted[0] ?? 0, typical: sorted[Math.floor(sorted.length / 2)] ?? 0, max: sorted.at(-1) ?? 0 };
}

console.log(`compute units, each case on ${TIMES} accounts`);
console.table(
  Object.fromEntries(
    CASES.map((one) => [
      one.title,
      { ...row(measure(one, TIMES).map(({ computeUnits }) => computeUnits)), limit: COMPUTE_UNITS[one.ceiling] },
    ]),
  ),
);
