import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readSettings, removeSettings, settingsPath, writeSettings } from './settings';

const STORED = { key: 'aps_ag_stored', baseUrl: 'http://one.example' };
let environment: { XDG_CONFIG_HOME: string };
beforeEach(() => (environment = { XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'aps-settings-')) }));
afterEach(() => rmSync(environment.XDG_CONFIG_HOME, { recursive: true }));

test('a stored key is in a file of mode 0600, also when it replaces one that others could read', () => {
  const path = writeSettings(STORED, environment);
  chmodSync(path, 0o644);
  writeSettings(STORED, environment);
  expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
  expect(readSettings(environment)).toEqual(STORED);
});

test('the environment goes before the file', () => {
  writeSettings(STORED, environment);
  const both = { ...environment, APS_KEY: 'k', APS_BASE_URL: 'http://two.example' };
  expect(readSettings(both)).toEqual({ key: 'k', baseUrl: 'http://two.example' });
  expect(readSettings({ ...environment, APS_KEY: 'k' })).toEqual({ key: 'k', baseUrl: STORED.baseUrl });
});

test('a stored key is not sent to another base URL than the one that it was stored with', () => {
  writeSettings(STORED, environment);
  expect(readSettings({ ...environment, APS_BASE_URL: 'http://one.example/' })).toEqual(STORED);
  expect(() => readSettings({ ...environment, APS_BASE_URL: 'http://two.example' })).toThrow('The stored key is for http://one.example');
});

test('a file that other users can read is refused', () => {
  chmodSync(writeSettings(STORED, environment), 0o640);
  expect(() => readSettings(environment)).toThrow('chmod 600');
});

test('a damaged or missing file says to log in', () => {
  expect(() => readSettings(environment)).toThrow('aps login');
  writeSettings(STORED, environment);
  writeFileSync(settingsPath(environment), '{"key":1}');
  expect(() => readSettings(environment)).toThrow('is damaged');
  expect([removeSettings(environment), removeSettings(environment)]).toEqual([true, false]);
});
