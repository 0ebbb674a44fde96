import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const ASSETS = join(__dirname, '..', '..', 'dist', 'apps', 'dashboard', 'assets');
const MAX_SCRIPT_BYTES = 150_000;

test('the dashboard’s script is smaller than 150 kB, compressed', () => {
  const scripts = readdirSync(ASSETS).filter((name) => name.endsWith('.js'));
  const bytes = scripts.reduce((sum, name) => sum + gzipSync(readFileSync(join(ASSETS, name))).length, 0);
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(MAX_SCRIPT_BYTES);
});

test('the dashboard’s files name no other origin', () => {
  const texts = readdirSync(ASSETS).map((name) => readFileSync(join(ASSETS, name), 'utf8'));
  // The namespaces of SVG, MathML and XHTML are names, which browsers do not load.
  const origins = texts.flatMap((text) => [...text.matchAll(/https?:\/\/[a-z0-9.-]+\.[a-z]{2,}/g)].map(([origin]) => origin));
  expect(origins.filter((origin) => !/^http:\/\/www\.w3\.org$|example\.(com|org|net)$/.test(origin))).toEqual([]);
});
