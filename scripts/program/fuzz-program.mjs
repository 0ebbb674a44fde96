// Coverage-guided fuzzing of the committed program: `npm run fuzz:program -- 3600` for an hour, a minute by default. Needs Linux, cargo and a
// C++ compiler. Inputs that reached something new are kept in target/fuzz/corpus, so that the next run goes on where this one ends.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const target = join(root, 'target', 'fuzz');
const [corpus, failures] = [join(target, 'corpus'), join(target, 'failures')];
const seconds = Number(process.argv[2] ?? 60);
if (!Number.isInteger(seconds) || seconds < 1) fail('Usage: node scripts/program/fuzz-program.mjs [seconds]');
if (process.platform !== 'linux') fail('libFuzzer reads the counters of the program only on Linux.');

for (const folder of [corpus, failures]) mkdirSync(folder, { recursive: true });
const manifest = join(root, 'programs', 'agent-policy', 'fuzz', 'Cargo.toml');
if (run('cargo', ['build', '--release', '--locked', '--manifest-path', manifest, '--target-dir', target]) !== 0) fail('It does not build.');

const before = readdirSync(failures);
const fuzzer = join(target, 'release', 'agent-policy-fuzz');
const program = { PROGRAM: join(root, 'libs', 'chain', 'program', 'agent_policy.so') };
// At most 1,024 bytes: the longest sequence that is run. Long inputs are tried from early on.
const options = [`-max_total_time=${seconds}`, '-max_len=1024', '-len_control=20', '-print_final_stats=1', '-verbosity=1'];
if (run(fuzzer, [...options, `-artifact_prefix=${failures}/`, corpus], program) === 0) process.exit(0);

for (const name of readdirSync(failures).filter((one) => !before.includes(one))) {
  const steps = join(target, 'steps.txt');
  spawnSync(fuzzer, [join(failures, name)], { env: { ...process.env, ...program, RUST_LIBFUZZER_DEBUG_PATH: steps } });
  console.error(`The steps of ${join(failures, name)}:\n${readFileSync(steps, 'utf8')}`);
}
process.exit(1);

/** Returns the exit code. */
function run(command, args, environment = {}) {
  const { error, status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...environment } });
  if (error) fail(`${command} cannot be run: ${error.message}`);
  return status;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
