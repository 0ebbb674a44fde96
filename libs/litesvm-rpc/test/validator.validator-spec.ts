/** The same suite on solana-test-validator, named by SOLANA_RPC_URL and SOLANA_WS_URL. */
import { chainSuite } from './chain.suite';

chainSuite('solana-test-validator', () => {
  const [rpcUrl, wsUrl] = [process.env.SOLANA_RPC_URL, process.env.SOLANA_WS_URL];
  if (!rpcUrl || !wsUrl) throw new Error('Set SOLANA_RPC_URL and SOLANA_WS_URL to a solana-test-validator.');
  return Promise.resolve({ rpcUrl, wsUrl });
});
