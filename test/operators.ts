import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chainVariables } from './chain-under-test';
import type { Service } from './service';

const OPERATOR = join(__dirname, '..', 'dist', 'apps', 'api', 'src', 'operator.js');

type Known = Pick<Service, 'sandbox' | 'dataDir'>;

/** Makes one more operator, as `npm run operator` does, and returns its key. `databaseUrl`: not the service's own database. */
export async function newOperatorKey(service: Known, databaseUrl = service.sandbox.database_url): Promise<string> {
  const environment = { PATH: process.env.PATH, ...settingsOf(service), DATABASE_URL: databaseUrl };
  const { stdout } = await promisify(execFile)(process.execPath, [OPERATOR, 'create', '--name', 'another'], { env: environment });
  const [, key] = /^OPERATOR_KEY=(.+)$/m.exec(stdout) ?? [];
  if (key === undefined) throw new Error(`No operator was made: ${stdout}`);
  return key;
}

/** What another process needs to serve the same accounts on the same chain: of the sandbox, nothing is its own. */
export function settingsOf({ sandbox, dataDir }: Known): Record<string, string> {
  const key = (name: string): string => readFileSync(join(dataDir, 'keys', name), 'utf8').trim();
  const onValidator = chainVariables();
  if (Object.keys(onValidator).length > 0) return { DATABASE_URL: sandbox.database_url, ...onValidator };
  return {
    DATABASE_URL: sandbox.database_url,
    SOLANA_RPC_URL: sandbox.rpc_url,
    SOLANA_WS_URL: sandbox.ws_url,
    USDC_MINT: sandbox.usdc_mint,
    PROGRAM_ID: sandbox.program_id,
    KEY_ENCRYPTION_KEY: key('key-encryption-key'),
    OPERATOR_KEY_ENCRYPTION_KEY: key('operator-key-encryption-key'),
    FEE_PAYER_KEY: join(dataDir, 'keys', 'fee-payer.json'),
    MINT_AUTHORITY_KEY: join(dataDir, 'keys', 'mint-authority.json'),
  };
}
