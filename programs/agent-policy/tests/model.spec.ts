/** Model test: random steps of accounts and fleets through the program and through exact lists. */
import { compare, RESULTS } from './support/model/run';

const STEPS = 6_000;
const SEED = process.env.SEED ?? '20261124';
/** Takes 10 seconds on an idle machine. */
const TIMEOUT_MS = 120_000;

it(
  `the program agrees with its model in ${STEPS} random steps of accounts and fleets (SEED=${SEED})`,
  () => {
    const seen = compare(SEED, STEPS);
    expect(RESULTS.filter((result) => !seen.has(result))).toEqual([]);
  },
  TIMEOUT_MS,
);
