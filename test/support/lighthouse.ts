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
const execute = promisify(execFile);

type Category = (typeof CATEGORIES)[number];

interface Audit {
  score: number | null;
  scoreDisplayMode: string;
  title: string;
  numericValue?: number;
  details?: { items?: { url?: string }[] };
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

  /** Audits an address as a phone on a slow network, simulated. Cookies stay; the cache is emptied. */
  async audit(url: string): Promise<Findings> {
    await this.emptyCache();
    const [node, lighthouse] = ['node', 'lighthouse'].map((name) => join(this.folder, 'node_modules', '.bin', name));
    const report = join(this.folder, 'report.json');
    const options = [
      `--port=${this.port}`,
      '--disable-storage-reset',
      '--throttling-method=simulate',
      `--only-categories=${CATEGORIES.join()}`,
    ];
    const output = ['--output=json', `--output-path=${report}`, '--quiet', '--no-enable-error-reporting'];
    await execute(String(node), [String(lighthouse), url, ...options, ...output], { cwd: this.folder, timeout: AUDIT_TIMEOUT_MS });
    return findingsOf(JSON.parse(readFileSync(report, 'utf8')) as Report);
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

function findingsOf({ categories, audits }: Report): Findings {
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
