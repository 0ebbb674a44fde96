/** The browser of the end-to-end tier: found and tried once for all test files. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser, type BrowserFound } from './browser';

/** The browser that an earlier test file of this run found; otherwise the first browser that can be used here, or undefined without one. */
export function sharedBrowser(): BrowserFound | undefined {
  const directory = process.env.TEST_CLUSTER;
  if (directory === undefined) return findBrowser();
  const path = join(directory, 'browser.json');
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')).found as BrowserFound | undefined;
  const found = findBrowser();
  writeFileSync(`${path}.${process.pid}`, JSON.stringify({ found }));
  renameSync(`${path}.${process.pid}`, path);
  return found;
}
