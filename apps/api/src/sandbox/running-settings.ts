import { StartError, readConfig, readEnvironment } from '../runtime/config-loader';
import { type Config } from '../runtime/config';
import { sandboxKeys } from './key-files';
import { storedFact } from './sandbox-file';

/** The settings of the running service, for a command beside it. Those of a sandbox are read from its files. @throws StartError */
export function runningSettings(variables: NodeJS.ProcessEnv): Config {
  const { DATA_DIR, DATABASE_URL, SOLANA_RPC_URL } = readEnvironment(variables);
  const fact = (name: Parameters<typeof storedFact>[1]): string => {
    const value = storedFact(DATA_DIR, name);
    if (value === undefined)
      throw new StartError('DATABASE_URL or SOLANA_RPC_URL is missing, and no sandbox was ever started here: run npm start first.');
    return value;
  };
  const database = DATABASE_URL === undefined ? { DATABASE_URL: fact('database_url') } : {};
  const chain =
    SOLANA_RPC_URL === undefined
      ? {
          ...sandboxKeys(DATA_DIR, variables),
          SOLANA_RPC_URL: fact('rpc_url'),
          SOLANA_WS_URL: fact('ws_url'),
          USDC_MINT: fact('usdc_mint'),
          PROGRAM_ID: fact('program_id'),
        }
      : {};
  return readConfig({ ...variables, ...chain, ...database });
}
