/** The key and the service's address: in the environment, or in a file that only its user can read. */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from './output/exit-codes';

export interface Settings {
  key: string;
  baseUrl: string;
}

type Environment = Record<string, string | undefined>;

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
/** The bits that let others read a file. */
const OTHERS = 0o077;

/** The file in which `login` stores the key: under XDG_CONFIG_HOME, %APPDATA% or ~/.config. */
export function settingsPath(environment: Environment = process.env): string {
  const configured = environment.XDG_CONFIG_HOME || (process.platform === 'win32' ? environment.APPDATA : undefined);
  return join(configured || join(homedir(), '.config'), 'aps', 'config.json');
}

/**
 * The environment's APS_KEY and APS_BASE_URL, or else the file. A stored key is sent to no other address than the one that it was stored with.
 * @throws UsageError if one is missing, or others can read the file
 */
export function readSettings(environment: Environment = process.env): Settings {
  const { APS_KEY: key, APS_BASE_URL: baseUrl } = environment;
  if (key && baseUrl) return { key, baseUrl };
  const stored = readFile(settingsPath(environment));
  if (key) {
    if (stored) return { key, baseUrl: stored.baseUrl };
    throw new UsageError('Set APS_BASE_URL too: APS_KEY alone does not say where the service is.');
  }
  if (!stored) throw new UsageError('No key: run `aps login --base-url <url>`, or set APS_KEY and APS_BASE_URL.');
  if (baseUrl && !isSame(baseUrl, stored.baseUrl))
    throw new UsageError(`The stored key is for ${stored.baseUrl}. Set APS_KEY too, or run \`aps login --base-url ${baseUrl}\`.`);
  return stored;
}

/** Stores the key with mode 0600. Replaces the file in one step. Returns its path. */
export function writeSettings({ key, baseUrl }: Settings, environment: Environment = process.env): string {
  const path = settingsPath(environment);
  mkdirSync(dirname(path), { recursive: true, mode: DIRECTORY_MODE });
  const written = `${path}.${process.pid}`;
  writeFileSync(written, `${JSON.stringify({ base_url: baseUrl, key }, null, 2)}\n`, { mode: FILE_MODE });
  // The mode of a file that exists is not changed by writing it.
  chmodSync(written, FILE_MODE);
  renameSync(written, path);
  return path;
}

/** Removes the file. Returns whether there was one. */
export function removeSettings(environment: Environment = process.env): boolean {
  const path = settingsPath(environment);
  const exists = existsSync(path);
  rmSync(path, { force: true });
  return exists;
}

/** The stored address, if there is one. */
export function storedBaseUrl(environment: Environment = process.env): string | undefined {
  return readFile(settingsPath(environment))?.baseUrl;
}

/** @throws UsageError if other users can read a file */
export function requirePrivate(path: string): void {
  if (process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0)
    throw new UsageError(`Other users can read ${path}: run \`chmod 600 ${path}\`.`);
}

function readFile(path: string): Settings | undefined {
  if (!existsSync(path)) return undefined;
  requirePrivate(path);
  const broken = new UsageError(`${path} is damaged: run \`aps login\` again.`);
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw broken;
  }
  if (typeof content !== 'object' || content === null || !('key' in content) || !('base_url' in content)) throw broken;
  const { key, base_url: baseUrl } = content;
  if (typeof key !== 'string' || typeof baseUrl !== 'string') throw broken;
  return { key, baseUrl };
}

function isSame(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href;
}
