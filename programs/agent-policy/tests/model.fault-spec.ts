/** The model test for minutes: several lives of accounts and fleets. `SEED` chooses others. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { compare, RARE_RESULTS, RESULTS } from './support/model/run';

const ROUNDS = 5;
const STEPS = 20_000;
const SEED = process.env.SEED ?? '38';
/** A round takes 20 seconds on an idle machine. */
const TIMEOUT_MS = 600_000;
/** Each result must occur at least this often in all rounds, or the steps are not random enough. */
const LEAST_SEEN = 10;

const seen = new Map<string, number>();

/** LiteSVM's objects are outside of the heap, so that nothing makes the collector free them. */
const collectGarbage = (setFlagsFromString('--expose_gc'), runInNewContext('gc') as () => void);
afterEach(() => collectGarbage());

it.each(Array.from({ length: ROUNDS }, (_, round) => `${SEED}-${round}`))(
  `the program agrees with its model in ${STEPS} random steps of accounts and fleets (SEED=%s)`,
  (seed) => {
    for (const [result, count] of compare(seed, STEPS)) seen.set(result, (seen.get(result) ?? 0) + count);
  },
  TIMEOUT_MS,
);

it('the random steps come to every result that the model knows, and to no other', () => {
  expect(RESULTS.filter((result) => (seen.get(result) ?? 0) < LEAST_SEEN)).toEqual([]);
  expect([...seen.keys()].filter((result) => ![...RESULTS, ...RARE_RESULTS].includes(result))).toEqual([]);
});
