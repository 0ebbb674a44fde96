/**
 * `npm run chaos -- --rounds 50 --seed 1`: faults under load; exits with 1 if a micro-USDC is lost, doubled or unexplained.
 * With `--fault NAME` (repeatable, the beginning of a name is enough) each round has these faults, one after the other.
 */
import { parseArgs } from 'node:util';
import { FAULTS, type Fault } from './faults';
import { runRound, type Round } from './round';
import { Site } from './site';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    fault: { type: 'string', multiple: true, default: [] },
  },
});

/** The faults that the caller chose, in turn, or undefined for random ones. */
function chosenFaults(index: number): Fault[] | undefined {
  const name = values.fault[index % values.fault.length];
  return name === undefined ? undefined : FAULTS.filter((fault) => fault.name.startsWith(name));
}

async function run(rounds: number, seed: number): Promise<void> {
  console.log(`${rounds} rounds, seed ${seed}`);
  const site = await Site.start();
  const done: Round[] = [];
  try {
    for (let index = 0; index < rounds; index++) {
      const round = await runRound(site, seed + index, chosenFaults(index));
      done.push(round);
      const { faults, settled, transfers, payments, lost, doubled, drift, settledAfterMs, complaints } = round;
      console.log(
        `${String(index + 1).padStart(3)}  seed ${round.seed}  ${faults.join(' + ')}: ${settled} of ${transfers} transfers settled, ${payments} calls paid, lost ${lost}, doubled ${doubled}, drift ${drift}${settledAfterMs === undefined ? '' : `, all settled ${settledAfterMs} ms after the kill`}`,
      );
      for (const complaint of complaints) console.log(`     ${complaint}`);
    }
    const { drifts, repaired, unexplained, sums } = await site.reconcile();
    console.log(
      `\nreconciliation: ${drifts.length} drifts, ${repaired.length} repaired, ${unexplained.length} unexplained, ${sums.length} wrong sums`,
    );
    summarise(done);
    if (done.some(({ complaints }) => complaints.length > 0) || drifts.length + repaired.length + unexplained.length + sums.length > 0)
      process.exitCode = 1;
  } finally {
    await site.stop();
  }
}

function summarise(rounds: Round[]): void {
  const sum = (of: (round: Round) => number): number => rounds.reduce((total, round) => total + of(round), 0);
  console.table(
    FAULTS.map(({ name }) => {
      const hit = rounds.filter(({ faults }) => faults.includes(name));
      const waits = hit.flatMap(({ settledAfterMs }) => settledAfterMs ?? []);
      return {
        fault: name,
        rounds: hit.length,
        transfers: hit.reduce((total, { transfers }) => total + transfers, 0),
        'worst time from kill to all settled, ms': waits.length > 0 ? Math.max(...waits) : '',
      };
    }),
  );
  console.log(
    `${rounds.length} rounds, ${sum(({ transfers }) => transfers)} transfers, ${sum(({ settled }) => settled)} settled, ${sum(({ payments }) => payments)} payments, ${sum(({ lost }) => lost)} lost, ${sum(({ doubled }) => doubled)} doubled, ${sum(({ drift }) => drift)} drift`,
  );
}

run(Number(values.rounds), Number(values.seed)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
