// `node scripts/compose-mint.mjs <token account> <micro-USDC>`: mints the compose file's test USDC from outside of the service, and prints the
// transaction's signature. Needs SOLANA_RPC_URL, USDC_MINT, MINT_AUTHORITY_KEY and FEE_PAYER_KEY.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { Connection, Keypair, PublicKey } = require('@solana/web3.js');
const { mintTo } = require('@solana/spl-token');

const [tokenAccount, microUsdc] = process.argv.slice(2);
const { SOLANA_RPC_URL, USDC_MINT, MINT_AUTHORITY_KEY, FEE_PAYER_KEY } = process.env;
const keypair = (json) => Keypair.fromSecretKey(Uint8Array.from(JSON.parse(json)));
const [mint, to] = [new PublicKey(USDC_MINT), new PublicKey(tokenAccount)];
const connection = new Connection(SOLANA_RPC_URL, 'confirmed');
console.log(
  await mintTo(connection, keypair(FEE_PAYER_KEY), mint, to, keypair(MINT_AUTHORITY_KEY), BigInt(microUsdc), [], {
    commitment: 'confirmed',
  }),
);
