/** Lighthouse, which audits a page in a real browser. It runs on Node 22, which is installed beside it. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { launchOptions, type BrowserFound } from './browser';
import { eventually } from './eventually';

const PACKAGES = { node: '22.23.3', lighthouse: '13.5.0' };
const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;
/** Of a machine without a language the browser makes a tag that scripts refuse. */
const LOCALE = 'en_US.UTF-8';
const AUDIT_TIMEOUT_MS = 120_000;
/**
 * The benchmark index of the phone that is simulated. Lighthouse's documentation gives phones of the middle range 125 to 800, and desktops, which it
 * slows down four times, 1,500 to 2,000. A slower machine is slowed down less: https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md
 */
const PHONE_BENCHMARK_INDEX = 440;
const execute = promisify(execFile);

type Category = (typeof CATEGORIES)[number];

interface Audit {
  score: number | null;
  scoreDisplayMode: string;
  title: string;
  numericValue?: number;
  details?: { items?: { url?: string }[] };
}

/** The observations of a page, before Lighthouse simulates a phone. */
interface Artifacts {
  BenchmarkIndex: number;
  settings: { throttling: { cpuSlowdownMultiplier: number } };
}

interface Report {
  categories: Record<Category, { score: number | null }>;
  audits: Record<string, Audit>;
}

/** The findings about a page. */
export interface Findings {
  /** From 0 to 100. */
  scores: Record<Category, number>;
  /** The titles of the audits of accessibility and best practices that failed. */
  failed: string[];
  /** The bytes that the page transferred, with an empty cache. */
  bytes: number;
  /** How far what is shown moves while it loads. */
  layoutShift: number;
  /** The addresses of scripts that hold the first paint up. */
  blockingScripts: string[];
  /** The speed of this machine while the page loaded, by Lighthouse's benchmark. */
  benchmarkIndex: number;
}

/** A browser in which pages are opened, and then audited with the cookies of those pages. */
export class Lighthouse {
  private constructor(
    private readonly folder: string,
    private readonly context: BrowserContext,
    private readonly port: string,
  ) {}

  /** Installs Lighthouse and starts a browser that it can join. */
  static async start(found: BrowserFound): Promise<Lighthouse> {
    const folder = mkdtempSync(join(tmpdir(), 'aps-lighthouse-'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: PACKAGES, allowScripts: { node: true } }));
    await execute('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder });
    const profile = join(folder, 'profile');
    const options = launchOptions(found, { ...process.env, LC_ALL: LOCALE, LANGUAGE: LOCALE });
    const context = await chromium.launchPersistentContext(profile, { ...options, args: [...options.args, '--remote-debugging-port=0'] });
    const port = await eventually(() => {
      const [line] = readFileSync(join(profile, 'DevToolsActivePort'), 'utf8').split('\n');
      if (!line) throw new Error('the browser has not written its port');
      return line;
    });
    return new Lighthouse(folder, context, port);
  }

  /** A page in the same profile, for example to sign in. */
  page(): Promise<Page> {
    return this.context.newPage();
  }

  /**
   * Audits an address as a phone on a slow network, simulated. What the page did is observed first, together with the speed of this machine, of which
   * the phone has a part: so the score does not depend on the machine. Cookies stay; the cache is emptied.
   */
  async audit(url: string): Promise<Findings> {
    await this.emptyCache();
    const [node, lighthouse] = ['node', 'lighthouse'].map((name) => join(this.folder, 'node_modules', '.bin', name));
    const [report, observed] = [join(this.folder, 'report.json'), join(this.folder, 'observed')];
    const options = ['--throttling-method=simulate', `--only-categories=${CATEGORIES.join()}`, '--quiet', '--no-enable-error-reporting'];
    const run = (...more: string[]) =>
      execute(String(node), [String(lighthouse), url, ...options, ...more], { cwd: this.folder, timeout: AUDIT_TIMEOUT_MS });
    await run(`--gather-mode=${observed}`, `--port=${this.port}`, '--disable-storage-reset');
    const { benchmarkIndex, slowdown } = calibrate(join(observed, 'artifacts.json'));
    await run(
      `--audit-mode=${observed}`,
      `--throttling.cpuSlowdownMultiplier=${slowdown}`,
      '--disable-storage-reset',
      '--output=json',
      `--output-path=${report}`,
    );
    return { ...findingsOf(JSON.parse(readFileSync(report, 'utf8')) as Report), benchmarkIndex };
  }

  private async emptyCache(): Promise<void> {
    const page = await this.page();
    await (await this.context.newCDPSession(page)).send('Network.clearBrowserCache');
    await page.close();
  }

  async stop(): Promise<void> {
    await this.context.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Notes in the observed artifacts how much slower than this machine the phone is: Lighthouse refuses an audit with other settings. */
function calibrate(path: string): { benchmarkIndex: number; slowdown: number } {
  const artifacts = JSON.parse(readFileSync(path, 'utf8')) as Artifacts;
  const slowdown = Math.round((artifacts.BenchmarkIndex / PHONE_BENCHMARK_INDEX) * 100) / 100;
  artifacts.settings.throttling.cpuSlowdownMultiplier = slowdown;
  writeFileSync(path, JSON.stringify(artifacts));
  return { benchmarkIndex: artifacts.BenchmarkIndex, slowdown };
}

function findingsOf({ categories, audits }: Report): Omit<Findings, 'benchmarkIndex'> {
  const numberOf = (audit: string): number => audits[audit]?.numericValue ?? Number.NaN;
  const failed = Object.entries(audits).filter(([, { score, scoreDisplayMode }]) => scoreDisplayMode === 'binary' && score === 0);
  const scores = Object.fromEntries(CATEGORIES.map((name) => [name, Math.round((categories[name].score ?? 0) * 100)]));
  return {
    scores: scores as Record<Category, number>,
    failed: failed.map(([id, { title }]) => `${id}: ${title}`),
    bytes: numberOf('total-byte-weight'),
    layoutShift: numberOf('cumulative-layout-shift'),
    blockingScripts: (audits['render-blocking-insight']?.details?.items ?? []).flatMap(({ url }) => (url?.endsWith('.js') ? [url] : [])),
  };
}
