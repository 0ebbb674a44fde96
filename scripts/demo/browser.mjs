// Shared by `npm run docs:screenshots` and `npm run bench:dashboard`: a real browser that is signed in to the dashboard.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFileSync } from '@swc/core';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const { findBrowser, startBrowser } = loadTypeScript(join(ROOT, 'test', 'support', 'browser.ts'));

/** Starts a browser. Ends the process if this machine has none. */
export async function aBrowser() {
  const found = findBrowser();
  if (!found) process.exit(1);
  return startBrowser(found);
}

/** A page of a new window that is signed in as the operator. */
export async function signedInPage(browser, { baseUrl, operatorKey, ...options }) {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', colorScheme: 'light', ...options });
  const page = await context.newPage();
  // A headless browser denies notifications from the start. Elsewhere it asks.
  await page.addInitScript("Object.defineProperty(Notification, 'permission', { get: () => 'default' })");
  await page.goto(`${baseUrl}/dashboard/`);
  await page.getByLabel('Operator key').fill(operatorKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return page;
}

/** The exports of a TypeScript file that imports only packages, Node's modules and the built libraries. */
export function loadTypeScript(file) {
  const { code } = transformFileSync(file, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  const exported = {};
  new Function('require', 'exports', '__dirname', code)(createRequire(file), exported, dirname(file));
  return exported;
}
