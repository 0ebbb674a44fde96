// Builds the Anchor program: `build` writes it to libs/chain/program, `check` verifies that the committed files match the sources, `test` runs
// its Rust unit tests.
// Needs cargo, anchor and cargo-build-sbf on the PATH. Uses Node's own modules only.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const committed = join(root, 'libs', 'chain', 'program');
/** The build's artefacts, by their names in libs/chain/program. */
const artefacts = {
  'agent_policy.so': join(root, 'target', 'deploy', 'agent_policy.so'),
  'agent_policy.json': join(root, 'target', 'idl', 'agent_policy.json'),
  'agent_policy.ts': join(root, 'target', 'types', 'agent_policy.ts'),
};
const compilerFile = 'compiler.txt';

const commands = { build, check, test };
const command = commands[process.argv[2]];
if (!command) fail('Usage: node scripts/program/program.mjs build|check|test');
command();

function build() {
  const { compiler, files } = compile();
  for (const [name, content] of Object.entries({ ...files, [compilerFile]: compiler })) replace(join(committed, name), content);
  run(process.execPath, [join(root, 'scripts', 'program', 'signing-layouts.mjs')]);
  console.log(`libs/chain/program is built from the sources by\n${compiler}`);
}

function check() {
  const { compiler, files } = compile();
  const committedCompiler = read(join(committed, compilerFile)).toString();
  if (compiler === committedCompiler) {
    const stale = Object.keys(files).filter((name) => !files[name].equals(read(join(committed, name))));
    if (stale.length > 0)
      fail(
        `${list(stale)} under libs/chain/program ${stale.length > 1 ? 'are' : 'is'} not what the sources give: run "npm run program:build" and commit.`,
      );
    console.log('The committed program is, byte for byte, what the sources give.');
    return;
  }
  console.log(
    `The committed program was built by\n${committedCompiler}and this compiler is\n${compiler}so the bytes may differ: the interface is compared, and the suite run on the fresh build.`,
  );
  const idl = 'agent_policy.json';
  if (!isDeepStrictEqual(JSON.parse(files[idl]), JSON.parse(read(join(committed, idl)))))
    fail(`libs/chain/program/${idl} is not what the sources give: run "npm run program:build" and commit.`);
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  if (!existsSync(jest)) fail('The packages are not installed: run "npm ci".');
  run(process.execPath, [jest, '--selectProjects', 'program'], { AGENT_POLICY_SO: artefacts['agent_policy.so'] });
}

/** With the flags of Anchor's build of the IDL, so that the crates are compiled once for both. Clippy reports the warnings. */
function test() {
  run('cargo', ['test'], { RUSTFLAGS: '-A warnings' }, 1);
}

/** Builds under target/. Returns the files and the compiler's version. */
function compile() {
  const versions = [
    ['cargo-build-sbf', '--version'],
    ['anchor', '--version'],
  ].map(([tool, ...args]) => ask(tool, args));
  run('anchor', ['build', '--ignore-keys', '--no-idl']);
  const rustc = lastRustc(); // of the program; the next step builds the IDL with the host's compiler
  run('anchor', ['build', '--ignore-keys']);
  const files = Object.fromEntries(Object.entries(artefacts).map(([name, path]) => [name, read(path)]));
  return { compiler: `${[rustc, ...versions].join('\n')}\n`, files };
}

/** The first line of `rustc -vV` as cargo recorded it in its last build; the rustc on the PATH may be another one. */
function lastRustc() {
  const { outputs } = JSON.parse(read(join(root, 'target', '.rustc_info.json')));
  const answer = Object.values(outputs).find(({ stdout }) => stdout.startsWith('rustc '));
  if (!answer) fail('Cargo did not note down in target/.rustc_info.json which compiler it used.');
  return answer.stdout.split('\n')[0];
}

function ask(tool, args) {
  const { status, stdout, error } = spawnSync(tool, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] });
  if (error || status !== 0) fail(`${tool} is needed on the PATH (${error?.code ?? `it ended with ${status}`}).`);
  return stdout.trim();
}

/** `output`: the stream that takes the tool's stdout. */
function run(tool, args, env = {}, output = 2) {
  const { status, error } = spawnSync(tool, args, { cwd: root, stdio: ['ignore', output, 2], env: { ...process.env, ...env } });
  if (error || status !== 0) fail(`"${tool} ${args.join(' ')}" failed: ${error?.message ?? 'see the messages above'}.`);
}

function read(path) {
  if (!existsSync(path)) fail(`${path} is missing.`);
  return readFileSync(path);
}

/** Replaces a file atomically, so that a concurrent test reads the old file or the new one. */
function replace(path, content) {
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}

function list(names) {
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names[0];
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
