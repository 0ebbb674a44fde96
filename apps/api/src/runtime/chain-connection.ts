import { setTimeout } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { Chain, ChainMismatchError, ChainUnavailableError, LocalSigner } from '#chain';
import { StartError, type Config } from './config';

/** How long a start waits for a chain that is away. */
const PATIENCE_MS = 60_000;
const RETRY_MS = 1_000;

/** The port to the chain that the settings name. A chain that is away is waited for; one that is not what it should be ends the start. */
export async function connectChain(config: Config): Promise<Chain> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await Chain.connect({
        rpcUrls: config.SOLANA_RPC_URL,
        webSocketUrl: config.SOLANA_WS_URL,
        programId: config.PROGRAM_ID,
        usdcMint: config.USDC_MINT,
        feePayer: LocalSigner.fromSeed(config.FEE_PAYER_KEY),
        mintAuthority: config.MINT_AUTHORITY_KEY && LocalSigner.fromSeed(config.MINT_AUTHORITY_KEY),
        settlementCommitment: config.SETTLEMENT_COMMITMENT,
        rpcTimeoutMs: config.RPC_TIMEOUT_MS,
        microLamportsPerComputeUnit: BigInt(config.COMPUTE_UNIT_PRICE_MICRO_LAMPORTS),
      });
    } catch (error) {
      if (error instanceof ChainMismatchError) throw new StartError(error.message);
      if (!(error instanceof ChainUnavailableError)) throw error;
      if (performance.now() > giveUpAt) throw new StartError(`SOLANA_RPC_URL: ${error.message}.`);
      await setTimeout(RETRY_MS);
    }
  }
}

/** The database remembers its chain at the first start. Another one would make every account in it a fiction. */
export async function checkIdentity(database: DataSource, { identity }: Chain): Promise<void> {
  const { genesisHash, programId, usdcMint } = identity;
  await database.query('INSERT INTO chain_identity (genesis_hash, program_id, usdc_mint) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
    genesisHash,
    programId,
    usdcMint,
  ]);
  const [known]: { genesis_hash: string; program_id: string; usdc_mint: string }[] = await database.query(
    'SELECT genesis_hash, program_id, usdc_mint FROM chain_identity',
  );
  const differences = [
    ['genesis hash', known?.genesis_hash, genesisHash],
    ['program (PROGRAM_ID)', known?.program_id, programId],
    ['mint (USDC_MINT)', known?.usdc_mint, usdcMint],
  ].filter(([, before, now]) => before !== now);
  if (differences.length === 0) return;
  throw new StartError(
    `This database belongs to another chain: ${differences.map(([what, before, now]) => `its ${what} was ${before}, now it is ${now}`).join('; ')}.`,
  );
}
