import type { DataSource } from 'typeorm';
import { Chain, ChainMismatchError, ChainUnavailableError } from '#chain';
import { KeySourceError, type KeySources } from '../../key-sources';
import { StartError } from '../config-loader';
import { type Config } from '../config';
import { pollUntil } from '../poll';

/** How long a start waits for a chain that is unavailable. */
const CONNECT_WITHIN_MS = 60_000;
const RETRY_MS = 1_000;

/**
 * Connects to the chain that the settings name. Waits while it is unavailable. @throws StartError for another chain than the settings
 * name, and for one that stays unavailable.
 */
export async function connectChain(config: Config, keySources: KeySources): Promise<Chain> {
  let reason = '';
  const tryToConnect = (): Promise<Chain | undefined> =>
    connect(config, keySources).catch((error: unknown) => {
      if (error instanceof ChainMismatchError || error instanceof KeySourceError) throw new StartError(error.message);
      if (!(error instanceof ChainUnavailableError)) throw error;
      reason = error.message;
      return undefined;
    });
  const chain = await pollUntil(tryToConnect, { everyMs: RETRY_MS, withinMs: CONNECT_WITHIN_MS });
  if (!chain) throw new StartError(`SOLANA_RPC_URL: ${reason}.`);
  return chain;
}

async function connect(config: Config, keySources: KeySources): Promise<Chain> {
  const [feePayer, pauseFeePayer, mintAuthority, feePayers] = await Promise.all([
    keySources.signerOf('FEE_PAYER_KEY', config.FEE_PAYER_KEY),
    config.PAUSE_FEE_PAYER_KEY && keySources.signerOf('PAUSE_FEE_PAYER_KEY', config.PAUSE_FEE_PAYER_KEY),
    config.MINT_AUTHORITY_KEY && keySources.signerOf('MINT_AUTHORITY_KEY', config.MINT_AUTHORITY_KEY),
    Promise.all(config.FEE_PAYER_KEYS.map((key) => keySources.signerOf('FEE_PAYER_KEYS', key))),
  ]);
  return Chain.connect({
    rpcUrls: config.SOLANA_RPC_URL,
    sendUrls: config.SEND_RPC_URLS,
    webSocketUrls: config.SOLANA_WS_URL,
    programId: config.PROGRAM_ID,
    usdcMint: config.USDC_MINT,
    feePayer,
    feePayers,
    leastFeePayerLamports: BigInt(config.MIN_FEE_PAYER_LAMPORTS),
    mintAuthority: mintAuthority || undefined,
    settlementCommitment: config.SETTLEMENT_COMMITMENT,
    rpcTimeoutMs: config.RPC_TIMEOUT_MS,
    microLamportsPerComputeUnit: BigInt(config.COMPUTE_UNIT_PRICE_MICRO_LAMPORTS),
    maxPriorityLamports: BigInt(config.MAX_PRIORITY_FEE_LAMPORTS),
    pauseFeePayer: pauseFeePayer || undefined,
  });
}

/**
 * Stores the chain's identity at the first start and compares it at each later one: on another chain none of the accounts exists. @throws
 * StartError for another chain.
 */
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
