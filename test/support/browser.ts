/** Finds a real Chromium for tests of the page: the first candidate that fills an `<input>` on this machine. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const MODULES = join(__dirname, '..', '..', 'node_modules');
const PACKAGE = join(MODULES, '@sparticuz', 'chromium');
const CACHE = join(MODULES, '.cache');
const UNPACK_TIMEOUT_MS = 120_000;
/** For the start of a browser and one page. */
const PROBE_TIMEOUT_MS = 60_000;
/** Chromium has no sandbox as root, as in a container. The pages are our own. */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu'];
const INSTALLED = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/snap/bin/chromium',
];

/** The packaged fonts.conf names /tmp/fonts. Without a font, Chromium shows text and crashes at the first `<input>`. */
const FONTS_CONF = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/** Fills an `<input>` in a browser of its own process: a page with text only, and its screenshot, need no font. */
const PROBE = `
  const { chromium } = require(process.env.PROBE_PLAYWRIGHT);
  (async () => {
    const browser = await chromium.launch(JSON.parse(process.env.PROBE_LAUNCH));
    const page = await browser.newPage();
    await page.setContent('<input>');
    await page.fill('input', 'filled');
    if ((await page.inputValue('input')) !== 'filled') throw new Error('the input stayed empty');
    await browser.close();
  })().catch((error) => { console.error(error.message); process.exit(1); });`;

/** An executable, and the environment that its libraries and fonts need. */
export interface BrowserFound {
  executable: string;
  environment: Record<string, string>;
}

export interface BrowserSearch {
  /** `BROWSER_PATH` is the first candidate; with `CI` set, a machine without a browser is an error. Default: the environment. */
  variables?: NodeJS.ProcessEnv;
  /** The folder into which the packaged browser is unpacked. */
  cache?: string;
  /** The browsers that may be installed. */
  installed?: string[];
}

/**
 * Finds a browser that can be used here: `BROWSER_PATH`, the packaged one, an installed one, in this order. Each is trusted
 * only after it has filled an `<input>`. Returns undefined, with a warning, if there is none; throws instead under CI.
 */
export function findBrowser({
  variables = process.env,
  cache = CACHE,
  installed = INSTALLED,
}: BrowserSearch = {}): BrowserFound | undefined {
  const failures: string[] = [];
  const given = variables.BROWSER_PATH ? [variables.BROWSER_PATH] : [];
  const candidates = [...given.map(plain), () => packaged(cache), ...installed.filter((path) => existsSync(path)).map(plain)];
  for (const candidate of candidates) {
    try {
      const browser = candidate();
      probe(browser, variables);
      return browser;
    } catch (error) {
      failures.push((error as Error).message);
    }
  }
  const message = `No browser fills an <input> here, so the dashboard is NOT TESTED. Set BROWSER_PATH to a Chromium.\n${failures.join('\n')}`;
  if (variables.CI) throw new Error(message);
  console.warn(message);
  return undefined;
}

/** Starts a browser that was found. */
export function startBrowser(browser: BrowserFound): Promise<Browser> {
  return chromium.launch(launchOptions(browser, process.env));
}

function plain(executable: string): () => BrowserFound {
  return () => ({ executable, environment: {} });
}

/** The options of Playwright for a browser that was found. */
export function launchOptions({ executable, environment }: BrowserFound, variables: NodeJS.ProcessEnv) {
  return { executablePath: executable, args: ARGUMENTS, env: { ...(variables as Record<string, string>), ...environment } };
}

/** Throws unless the browser fills an `<input>`. */
function probe(browser: BrowserFound, variables: NodeJS.ProcessEnv): void {
  const env = {
    PATH: process.env.PATH,
    PROBE_PLAYWRIGHT: join(MODULES, 'playwright-core'),
    PROBE_LAUNCH: JSON.stringify(launchOptions(browser, variables)),
  };
  const { status, stderr, error } = spawnSync(process.execPath, ['-e', PROBE], { env, timeout: PROBE_TIMEOUT_MS, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${browser.executable}: ${(error?.message ?? stderr).trim()}`);
}

/** The browser of the package, unpacked once for each version. Throws if the package has none for this platform. */
function packaged(cache: string): BrowserFound {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`${PACKAGE}: has no browser for ${process.platform} on ${process.arch}`);
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  const home = join(cache, `chromium-${version}-with-fonts`);
  if (!existsSync(home)) unpack(home);
  return {
    executable: join(home, 'chromium'),
    environment: { LD_LIBRARY_PATH: join(home, 'al2023', 'lib'), FONTCONFIG_PATH: join(home, 'fonts') },
  };
}

/** With the variables of a Lambda, the package unpacks the libraries that a bare machine lacks, too. */
function unpack(home: string): void {
  mkdirSync(dirname(home), { recursive: true });
  const fresh = mkdtempSync(`${home}-`);
  try {
    const { status, stderr, error } = spawnSync(process.execPath, ['-e', `require(${JSON.stringify(PACKAGE)}).executablePath()`], {
      env: { PATH: process.env.PATH, TMPDIR: fresh, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' },
      timeout: UNPACK_TIMEOUT_MS,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${PACKAGE}: could not be unpacked: ${(error?.message ?? stderr).trim()}`);
    writeFileSync(join(fresh, 'fonts', 'fonts.conf'), FONTS_CONF);
    // Complete or absent: another test run may have unpacked it meanwhile.
    if (!existsSync(home)) renameSync(fresh, home);
  } catch (error) {
    if (!existsSync(home)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}
