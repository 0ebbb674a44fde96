// `npm run docs:screenshot`: writes docs/dashboard.png, a picture of the dashboard's overview. Starts the built service on a temporary
// directory, makes accounts, a policy and transfers, one of them declined and one waiting for approval, and takes the picture.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFileSync } from '@swc/core';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PICTURE = join(ROOT, 'docs', 'dashboard.png');
const VIEWPORT = { width: 1440, height: 860 };
const START_TIMEOUT_MS = 60_000;
const REQUEST_TIMEOUT_MS = 60_000;

const { findBrowser, startBrowser } = loadTypeScript(join(ROOT, 'test', 'support', 'browser.ts'));
const found = findBrowser();
if (!found) process.exit(1);

const dataDir = mkdtempSync(join(tmpdir(), 'aps-screenshot-'));
const service = spawn(process.execPath, [join(ROOT, 'dist', 'apps', 'api', 'src', 'bin', 'server.js')], {
  env: { ...process.env, PORT: '0', LOG_LEVEL: 'warn', DATA_DIR: dataDir },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  await ready(service);
  const { base_url: baseUrl, operator_key: operatorKey } = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'));
  await fill(baseUrl, operatorKey);
  await takePicture(baseUrl, operatorKey);
} finally {
  await end(service);
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
}

/** The accounts and transfers that the picture shows. */
async function fill(baseUrl, key) {
  const request = async (method, path, body, expected) => {
    const response = await fetch(`${baseUrl}/v1/${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const text = await response.text();
    if (response.status !== expected) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const account = async (name) => (await request('POST', 'accounts', { name }, 201)).account_id;
  const researcher = await account('Research agent');
  const supplier = await account('Data supplier');
  await request('POST', 'sandbox/faucet', { account_id: researcher, amount: '250' }, 200);
  const policy = { max_single_transfer: 40, max_daily_spend: 120, escalation_threshold: 25, allowed_counterparties: [supplier] };
  await request('PUT', `accounts/${researcher}/policy`, policy, 200);
  const pay = (amount, memo, expected) =>
    request('POST', 'transfers', { from: researcher, to: supplier, amount, memo, idempotency_key: randomUUID() }, expected);
  await pay('12.5', 'market data, May', 200);
  await pay('4.2', 'embeddings', 200);
  await pay('18', 'web search', 200);
  await pay('60', 'annual plan', 402);
  await pay('30', 'training run', 202);
}

/** Signs in as the operator and takes a picture of the overview. */
async function takePicture(baseUrl, key) {
  const browser = await startBrowser(found);
  try {
    const context = await browser.newContext({ viewport: VIEWPORT, locale: 'en-GB', timezoneId: 'UTC', colorScheme: 'light' });
    const page = await context.newPage();
    await page.goto(`${baseUrl}/dashboard/`);
    await page.getByLabel('Operator key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('Research agent').first().waitFor();
    // The spending of each account is loaded after the page.
    await page.getByText('…', { exact: true }).first().waitFor({ state: 'detached' });
    await page.screenshot({ path: PICTURE, animations: 'disabled' });
  } finally {
    await browser.close();
  }
}

/** Resolves when the service prints `ready`. Rejects when it ends before, or takes too long. */
function ready(child) {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(
      () => reject(new Error(`The service was not ready within ${START_TIMEOUT_MS} ms:\n${output}`)),
      START_TIMEOUT_MS,
    );
    child.once('exit', (code) => reject(new Error(`The service ended with ${code}:\n${output}`)));
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (!/^ready$/m.test(output)) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

/** The exports of a TypeScript file that imports only packages and Node's modules. */
function loadTypeScript(file) {
  const { code } = transformFileSync(file, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  const exported = {};
  new Function('require', 'exports', '__dirname', code)(createRequire(file), exported, dirname(file));
  return exported;
}
