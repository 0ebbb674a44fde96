/** The model test for minutes. `SEED` and `STEPS` choose others. */
import { compare, RARE_RESULTS, RESULTS } from './support/model/run';

const STEPS = Number(process.env.STEPS ?? 100_000);
const SEED = process.env.SEED ?? '38';
/** Takes three minutes on an idle machine. */
const TIMEOUT_MS = 1_800_000;
/** Each result must occur at least this often, or the steps are not random enough. */
const LEAST_SEEN = 10;

it(
  `the program agrees with its model in ${STEPS} random steps of accounts and fleets (SEED=${SEED})`,
  () => {
    const seen = compare(SEED, STEPS);
    const all = [...RESULTS, ...RARE_RESULTS];
    expect(all.filter((result) => (seen.get(result) ?? 0) < LEAST_SEEN)).toEqual([]);
    expect([...seen.keys()].filter((result) => !all.includes(result))).toEqual([]);
  },
  TIMEOUT_MS,
);
