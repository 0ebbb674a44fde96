// `npm run bench:dashboard`: how long the dashboard takes in a real browser with 200 accounts and 50,000 transfers in the database: from
// the navigation to the first rows of each view, from a filter to its rows, and from a word in the search to its results. Prints tables,
// with the limits that each is held to; asserts nothing.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, aBrowser, loadTypeScript, signedInPage } from '../demo/browser.mjs';

const { Client } = createRequire(import.meta.url)('pg');
const { fillHistory } = loadTypeScript(join(ROOT, 'test', 'support', 'history.ts'));

const ACCOUNTS = 200;
const TRANSFERS = 50_000;
const PAYMENTS = 10_000;
const CREATED_AT_ONCE = 8;
const ROUNDS = 5;
const FIRST_VIEW_MS = 1_500;
const FILTER_MS = 500;
const START_TIMEOUT_MS = 60_000;
const REQUEST_TIMEOUT_MS = 60_000;

const dataDir = mkdtempSync(join(tmpdir(), 'aps-bench-dashboard-'));
const service = spawn(process.execPath, [join(ROOT, 'dist', 'apps', 'api', 'src', 'bin', 'server.js')], {
  env: { ...process.env, PORT: '0', LOG_LEVEL: 'warn', DATA_DIR: dataDir },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await aBrowser();
try {
  await ready(service);
  const sandbox = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'));
  await fill(sandbox);
  await measure(sandbox);
} finally {
  await browser.close();
  const ended = new Promise((resolve) => service.once('exit', resolve));
  if (service.kill('SIGTERM')) await ended;
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
}

async function fill({ base_url: baseUrl, operator_key: key, database_url: connectionString }) {
  const call = async (method, path, body) => {
    const response = await fetch(`${baseUrl}/v1/${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const names = Array.from({ length: ACCOUNTS }, (_, index) => `Agent ${index + 1}`);
  const accountIds = [];
  const create = async () => {
    for (let name = names.shift(); name !== undefined; name = names.shift())
      accountIds.push((await call('POST', 'accounts', { name })).account_id);
  };
  console.error(`Creating ${ACCOUNTS} accounts and ${TRANSFERS} transfers …`);
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, create));
  const database = new Client({ connectionString });
  await database.connect();
  const { operator_id: operatorId } = await call('GET', 'me');
  await fillHistory((text, values) => database.query(text, values), { operatorId, accountIds, transfers: TRANSFERS, payments: PAYMENTS });
  await database.end();
}

async function measure({ base_url: baseUrl, operator_key: operatorKey }) {
  const page = await signedInPage(browser, { baseUrl, operatorKey, viewport: { width: 1440, height: 900 } });
  const open = (path) => page.goto(`${baseUrl}/dashboard${path}`, { waitUntil: 'commit' });
  const firstRow = () => page.getByRole('table').getByRole('cell').first().waitFor();
  const views = {};
  for (const path of ['/', '/accounts', '/transfers', '/payments', '/approvals', '/audit']) {
    const ready =
      path === '/'
        ? () => page.getByText('Balance of all accounts').waitFor()
        : () => page.locator('main table, main article, .empty').first().waitFor();
    views[path] = await slowest(async () => {
      await open(path);
      await ready();
    });
  }
  show('First view', views, FIRST_VIEW_MS);

  const filters = {};
  for (const [label, value] of [
    ['State', 'rejected'],
    ['Reason', 'max_daily_spend'],
    ['Category', 'data'],
    ['At least, USDC', '9.9'],
    ['From', '2026-01-01T00:00'],
    ['Recipient', 'agent-nobody'],
  ]) {
    await open('/transfers');
    filters[label] = await slowest(async () => {
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByRole('button', { name: label, exact: true }).click();
      const field = page.getByLabel(label, { exact: true });
      const tag = await field.evaluate((element) => element.tagName);
      const begin = performance.now();
      if (tag === 'SELECT') await field.selectOption(value);
      else {
        await field.fill(value);
        await field.press('Enter');
      }
      await page.getByRole('button', { name: new RegExp(`^Clear ${label.replace(/[.,]/g, '.')}:`) }).waitFor();
      await page.locator('.loading').waitFor({ state: 'detached' });
      const took = performance.now() - begin;
      await page.getByRole('button', { name: 'Clear all' }).click();
      await firstRow();
      return took;
    });
  }
  show('Filter of transfers', filters, FILTER_MS);

  const searches = {};
  for (const text of ['agent 17', 'embeddings', 'INV-41234', 'key-7', '12.34', 'images.example.net']) {
    searches[text] = await slowest(async () => {
      await page.keyboard.press('/');
      await page.keyboard.type(text);
      const begin = performance.now();
      await page.locator('.found [role="status"]', { hasText: 'found' }).waitFor();
      const took = performance.now() - begin;
      await page.keyboard.press('Escape');
      return took;
    });
  }
  show('Search', searches, FILTER_MS);
}

/** The longest of some rounds, in milliseconds: what `work` returns, or how long it takes. */
async function slowest(work) {
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    times.push((await work()) ?? performance.now() - began);
  }
  return Math.round(Math.max(...times));
}

function show(title, times, limit) {
  console.log(`\n${title}, slowest of ${ROUNDS}, in ms (limit ${limit})`);
  console.table(Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, { ms, within: ms <= limit }])));
}

/** Resolves when the service prints `ready`. Rejects when it ends before, or takes too long. */
function ready(child) {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (why) => reject(new Error(`The service ${why}:\n${output}`));
    const timer = setTimeout(() => fail(`was not ready within ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS);
    child.once('exit', (code) => fail(`ended with ${code}`));
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (!/^ready$/m.test(output)) return;
      clearTimeout(timer);
      resolve();
    });
  });
}
