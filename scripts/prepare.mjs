// Prepares a fresh clone: checks Node, installs the locked packages, builds. With `--run` only what runs the service is installed and built;
// a process of its own, which goes on after this one has ended (`--docs-alone`), installs what the documentation needs and builds it
// and the client library.
// Uses Node's own modules only, because nothing else may be installed yet.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { writeLlms } from './docs/llms.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The inputs of swc, Vite and VitePress, by file extension: a change in any of these files makes the build stale. */
const isBuildInput = (path) => path === '.swcrc' || /\.(tsx?|mts|js|json|webmanifest|html|css|svg|md|vue|png)$/.test(path);
const buildInputs = ['package.json', 'package-lock.json', '.swcrc', 'apps', 'libs'];

checkNode();
const isRun = process.argv.includes('--run');
const isDocsAlone = process.argv.includes('--docs-alone');
if (isRun) await install(['.'], ['--workspaces=false']);
else if (isDocsAlone) await install(['.', 'docs'], ['--workspace=docs', '--include-workspace-root']);
else await install(['.', 'docs', 'test/tools'], []);
// Apart, because a change of a page needs no compiler, and one of the code no pages.
const docsInputs = ['package-lock.json', 'docs'];
const clientInputs = ['package-lock.json', 'libs/client'];
const documentation = async () => {
  await unlessDone('.docs', docsInputs, buildSite);
  await unlessDone('.client', clientInputs, buildClient);
};
if (isDocsAlone) await documentation();
else if (isRun) {
  await unlessDone('.sources', buildInputs, build);
  // Its output would follow that of the service.
  if (!isDone('.docs', docsInputs) || !isDone('.client', clientInputs))
    spawn(process.execPath, [fileURLToPath(import.meta.url), '--docs-alone'], { cwd: root, detached: true, stdio: 'ignore' }).unref();
} else await Promise.all([unlessDone('.sources', buildInputs, build), documentation()]);
// Always: the documentation is not an input of the build, and this takes milliseconds.
writeLlms();

function checkNode() {
  const wanted = [20, 19];
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > wanted[0] || (major === wanted[0] && minor >= wanted[1])) return;
  fail(
    `Node ${wanted.join('.')} or newer is needed, and this is Node ${process.versions.node}. Install a newer one from https://nodejs.org.`,
  );
}

/**
 * Installs the locked packages that the manifests in these folders name, unless they are there. Into an earlier installation they are added, because
 * a running service loads from it.
 */
async function install(folders, options) {
  const installed = () => readJson(join(root, 'node_modules', '.package-lock.json'))?.packages;
  const isComplete = () => installed() && isInstalled(installed(), folders);
  if (isComplete()) return;
  await alone(async () => {
    if (isComplete()) return;
    const command = installed() ? ['install', '--no-save'] : ['ci'];
    await run('Installing packages', npm(), [...command, ...options, '--no-audit', '--no-fund']);
  });
}

/** Runs `work` while no other process of this script does. A file in dist has the id of the process. */
async function alone(work) {
  const path = join(root, 'dist', '.installing');
  mkdirSync(dirname(path), { recursive: true });
  while (!isCreated(path, String(process.pid))) {
    if (!isRunning(Number(readFileSync(path, 'utf8')))) rmSync(path, { force: true });
    else await setTimeout(200);
  }
  await work();
  rmSync(path, { force: true });
}

function isCreated(path, content) {
  try {
    writeFileSync(path, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function isRunning(id) {
  try {
    return id > 0 && process.kill(id, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * npm writes its list of installed packages as the last step of an installation. Comparing it with the lock also detects an
 * interrupted installation, and a plain `npm install`, without a stamp of our own.
 */
function isInstalled(installed, folders) {
  const locked = readJson(join(root, 'package-lock.json'))?.packages;
  if (!locked) fail('package-lock.json is missing or broken: check out the repository again.');
  const isAsLocked = ([path, { link, version, integrity }]) =>
    link || (locked[path]?.version === version && locked[path]?.integrity === integrity);
  if (!Object.entries(installed).every(isAsLocked)) return false;
  const manifests = folders.map((folder) => readJson(join(root, folder, 'package.json')));
  const names = manifests.flatMap(({ dependencies, devDependencies }) => Object.keys({ ...dependencies, ...devDependencies }));
  return names.every((name) => `node_modules/${name}` in installed);
}

/** Runs `work` unless it was done for the same inputs. The stamp, a file in dist, has their hash. */
async function unlessDone(stamp, inputs, work) {
  const hash = hashOf(inputs);
  if (isDone(stamp, inputs, hash)) return;
  await work();
  const path = join(root, 'dist', stamp);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, hash);
}

function isDone(stamp, inputs, hash = hashOf(inputs)) {
  const path = join(root, 'dist', stamp);
  return existsSync(path) && readFileSync(path, 'utf8') === hash;
}

async function build() {
  const tool = (...path) => join(root, 'node_modules', ...path);
  const dashboard = [tool('vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn', join(root, 'apps', 'dashboard')];
  await Promise.all([
    run('Building', [process.execPath], [join(root, 'scripts', 'compile.mjs')]),
    run('Building the dashboard', [process.execPath], dashboard),
  ]);
}

function buildSite() {
  return run('Building the documentation', [process.execPath], [join(root, 'scripts', 'docs', 'docs-site.mjs')]);
}

function buildClient() {
  return run('Building the client library', [process.execPath], [join(root, 'scripts', 'client.mjs'), 'build']);
}

/** A hash of the names and contents of all sources: exact, and a few milliseconds for a tree of this size. */
function hashOf(inputs) {
  const hash = createHash('sha256');
  for (const input of inputs) {
    for (const file of filesUnder(input))
      hash
        .update(file.split(sep).join('/'))
        .update('\0')
        .update(readFileSync(join(root, file)))
        .update('\0');
  }
  return hash.digest('hex');
}

function filesUnder(path) {
  if (isBuildInput(path)) return isTest(path) || !existsSync(join(root, path)) ? [] : [path];
  const entries = readdirSync(join(root, path), { withFileTypes: true });
  return entries
    .filter((entry) => entry.name !== 'node_modules' && (entry.isDirectory() || isBuildInput(entry.name)))
    .map((entry) => join(path, entry.name))
    .sort()
    .flatMap((child) => filesUnder(child));
}

function isTest(path) {
  return /\.(spec|(integration|e2e|slow|fault|guide|scale)-spec)\.ts$/.test(path) || path.split(sep).includes('test');
}

/** The npm that called this script, or the one on the PATH. */
function npm() {
  const caller = process.env.npm_execpath;
  return caller?.endsWith('.js') ? [process.execPath, caller] : [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}

function run(title, [command, ...first], args) {
  console.error(`${title} …`);
  // stdout belongs to the service (BASE_URL and so on), so everything here goes to stderr.
  const child = spawn(command, [...first, ...args], { cwd: root, stdio: ['ignore', 2, 2], shell: command.endsWith('.cmd') });
  return new Promise((resolve) => {
    child.once('error', (error) => fail(`${title} failed: ${error.message}`));
    child.once('exit', (status) => (status === 0 ? resolve() : fail(`${title} failed: see the messages above.`)));
  });
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
