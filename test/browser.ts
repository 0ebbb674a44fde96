/** A real Chromium for tests of the page: the one that npm brought, or where that has none for this machine, a Chrome that is installed. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const MODULES = join(__dirname, '..', 'node_modules');
const PACKAGE = join(MODULES, '@sparticuz', 'chromium');
const UNPACK_TIMEOUT_MS = 60_000;
const INSTALLED = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium',
];

/** Where a browser lies, and the libraries that came with it. */
export interface Found {
  executable: string;
  environment: Record<string, string>;
}

/** A browser that runs here, or undefined. */
export function findBrowser(): Found | undefined {
  if (process.platform === 'linux' && process.arch === 'x64') return unpacked();
  const executable = INSTALLED.find((path) => existsSync(path));
  return executable === undefined ? undefined : { executable, environment: {} };
}

/** Starts it. As root, as which a container runs, Chromium has no sandbox; the page is our own. */
export function startBrowser({ executable, environment }: Found): Promise<Browser> {
  return chromium.launch({ executablePath: executable, args: ['--no-sandbox', '--disable-gpu'], env: { ...(process.env as Record<string, string>), ...environment } });
}

/** Unpacked once for each version, beside the packages. What it is told of its surroundings makes it unpack the libraries that a bare machine lacks, too. */
function unpacked(): Found {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  const home = join(MODULES, '.cache', `chromium-${version}`);
  if (!existsSync(home)) unpack(home);
  return { executable: join(home, 'chromium'), environment: { LD_LIBRARY_PATH: join(home, 'al2023', 'lib'), FONTCONFIG_PATH: join(home, 'fonts') } };
}

function unpack(home: string): void {
  mkdirSync(dirname(home), { recursive: true });
  const fresh = mkdtempSync(`${home}-`);
  const { status, stderr } = spawnSync(process.execPath, ['-e', `require(${JSON.stringify(PACKAGE)}).executablePath()`], {
    env: { PATH: process.env.PATH, TMPDIR: fresh, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' },
    timeout: UNPACK_TIMEOUT_MS,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Chromium could not be unpacked: ${stderr}`);
  // Whole or not at all; another test run may have been faster.
  try {
    renameSync(fresh, home);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(home)) throw error;
  }
}
