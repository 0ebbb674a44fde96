import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { chainVariables } from './chain-variables';
import { MIGRATED } from './cluster-copy';
import { running } from './running';
import { Service, sharedService } from './service';

const CREATE = join(__dirname, 'create-operators.mjs');

type Known = Pick<Service, 'sandbox' | 'dataDir'>;

/** Creates another operator, as `npm run operator` does, and returns its key. `databaseUrl`: another database than the service's. */
export async function newOperatorKey(service: Known, databaseUrl = service.sandbox.database_url): Promise<string> {
  const spare = databaseUrl === sharedDatabase() ? takeSpareOperator() : undefined;
  if (spare !== undefined) return spare;
  const [key = ''] = await newOperatorKeys(service, 1, databaseUrl);
  return key;
}

/** Creates operators, and returns their keys. */
export async function newOperatorKeys(service: Known, count: number, databaseUrl = service.sandbox.database_url): Promise<string[]> {
  const environment = { PATH: process.env.PATH, ...settingsOf(service), DATABASE_URL: databaseUrl };
  const { stdout } = await promisify(execFile)(process.execPath, [CREATE, String(count)], { env: environment });
  const keys = [...stdout.matchAll(/^OPERATOR_KEY=(.+)$/gm)].map(([, key = '']) => key);
  if (keys.length !== count) throw new Error(`${count} operators were to be made: ${stdout}`);
  return keys;
}

/** Keeps operators of the shared service for `newOperatorKey` in every process of the tests. */
export function keepSpareOperators(keys: string[]): void {
  const directory = mkdtempSync(join(tmpdir(), 'aps-operators-'));
  running.push(async () => rmSync(directory, { recursive: true, force: true }));
  for (const key of keys) writeFileSync(join(directory, randomBytes(8).toString('hex')), key, { mode: 0o600 });
  process.env.TEST_SPARE_OPERATORS = directory;
}

/** The key of a spare operator that no other test has. */
function takeSpareOperator(): string | undefined {
  const directory = process.env.TEST_SPARE_OPERATORS;
  if (directory === undefined) return undefined;
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    try {
      const key = readFileSync(path, 'utf8');
      // Of two processes one removes the file.
      unlinkSync(path);
      return key;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return undefined;
}

const sharedDatabase = (): string | undefined => (process.env.TEST_SERVICE ? sharedService().sandbox.database_url : undefined);

/** Another process on the database and the chain of a service. */
export async function startBeside(
  service: Known,
  {
    variables = {},
    operatorKey = service.sandbox.operator_key,
    command,
  }: { variables?: Record<string, string>; operatorKey?: string; command?: string[] } = {},
): Promise<Service> {
  const beside = new Service(mkdtempSync(join(tmpdir(), 'aps-beside-')), { variables: { ...settingsOf(service), ...variables }, command });
  const { DATABASE_URL: database_url = service.sandbox.database_url, SOLANA_RPC_URL: rpc_url = service.sandbox.rpc_url } = variables;
  beside.sandbox = { ...service.sandbox, operator_key: operatorKey, database_url, rpc_url };
  try {
    await beside.start();
  } catch (error) {
    await beside.stop();
    throw error;
  }
  return beside;
}

/** Another process on the chain of a service, with an operator and a database of its own: no other process recovers what it leaves. */
export async function startApart(service: Known, variables: Record<string, string> = {}): Promise<Service> {
  const databaseUrl = await newDatabase(service);
  const operatorKey = await newOperatorKey(service, databaseUrl);
  return startBeside(service, { operatorKey, variables: { ...variables, DATABASE_URL: databaseUrl } });
}

/** A migrated database without rows in the PostgreSQL of a service. */
export async function newDatabase({ sandbox }: Known): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const client = new Client({ connectionString: sandbox.database_url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${MIGRATED}`);
  await client.end();
  return Object.assign(new URL(sandbox.database_url), { pathname: `/${name}` }).href;
}

/** The settings of another process that serves the same accounts on the same chain. */
export function settingsOf({ sandbox, dataDir }: Known): Record<string, string> {
  const keys = join(dataDir, 'keys');
  const key = (name: string): string => readFileSync(join(keys, name), 'utf8').trim();
  return {
    DATABASE_URL: sandbox.database_url,
    SOLANA_RPC_URL: sandbox.rpc_url,
    SOLANA_WS_URL: sandbox.ws_url,
    USDC_MINT: sandbox.usdc_mint,
    PROGRAM_ID: sandbox.program_id,
    ...(existsSync(keys) && {
      KEY_ENCRYPTION_KEY: key('key-encryption-key'),
      OPERATOR_KEY_ENCRYPTION_KEY: key('operator-key-encryption-key'),
      FEE_PAYER_KEY: key('fee-payer.json'),
      MINT_AUTHORITY_KEY: key('mint-authority.json'),
    }),
    // On a chain other than the sandbox's the keys are given.
    ...chainVariables(),
  };
}
