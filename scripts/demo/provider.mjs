// `npm run provider`: the example provider on the chain of the running sandbox. Prints its URL and its payee.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const { DATA_DIR = '.data' } = process.env;
const file = join(DATA_DIR, 'sandbox.json');
if (!existsSync(file)) {
  console.error(
    `There is no ${file}: start the service first, by npm start. Where it runs with another DATA_DIR: DATA_DIR=<that folder> npm run provider.`,
  );
  process.exit(1);
}
const { rpc_url: SOLANA_RPC_URL, usdc_mint: USDC_MINT, program_id: PROGRAM_ID } = JSON.parse(readFileSync(file, 'utf8'));
Object.assign(process.env, { SOLANA_RPC_URL, USDC_MINT, PROGRAM_ID, DATA_DIR: join(DATA_DIR, 'provider') });
await import('../../apps/example-provider/main.mjs');
