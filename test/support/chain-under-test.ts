/** Prepares a chain for a service under test. */
import { randomBytes } from 'node:crypto';
import { LocalSigner, createTestMint } from '#chain';

/** A running validator. Its WebSocket is the next port, as Solana's default. */
const RPC_URL = process.env.ANCHOR_PROVIDER_URL ?? process.env.SOLANA_RPC_URL ?? 'http://127.0.0.1:8899';

/** Prepares the validator, and stores the settings for `chainVariables`. */
export async function prepareValidator(): Promise<void> {
  const rpc = new URL(RPC_URL);
  const webSocket = new URL(RPC_URL);
  webSocket.protocol = 'ws:';
  webSocket.port = String(Number(rpc.port) + 1);
  // As in the sandbox: the tests' providers and receivers are on this machine.
  process.env.TEST_CHAIN_VARIABLES = JSON.stringify({
    ...(await newSettings({ rpcUrl: rpc.href, wsUrl: webSocket.href })),
    ALLOW_PRIVATE_URLS: 'true',
    // A validator shares the machine with the tests, and may take longer than a service in production waits.
    RPC_TIMEOUT_MS: '10000',
  });
  // Read by the chain suite of libs/litesvm-rpc.
  Object.assign(process.env, { SOLANA_RPC_URL: rpc.href, SOLANA_WS_URL: webSocket.href });
}

/** Creates a service's keys and a test mint on a chain: all settings that a service outside the sandbox needs, except its database. */
export async function newSettings({ rpcUrl, wsUrl }: { rpcUrl: string; wsUrl: string }): Promise<Record<string, string>> {
  const [feePayer, mint, mintAuthority] = [LocalSigner.generate(), LocalSigner.generate(), LocalSigner.generate()];
  await createTestMint({ rpcUrl, feePayer: feePayer.signer, mint: mint.signer, mintAuthority: mintAuthority.signer.address });
  return {
    SOLANA_RPC_URL: rpcUrl,
    SOLANA_WS_URL: wsUrl,
    USDC_MINT: mint.signer.address,
    FEE_PAYER_KEY: keypairOf(feePayer),
    MINT_AUTHORITY_KEY: keypairOf(mintAuthority),
    KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    OPERATOR_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
}

/** In the form of Solana's tools: 32 bytes of seed and 32 of public key. */
function keypairOf({ signer, seed }: ReturnType<typeof LocalSigner.generate>): string {
  return JSON.stringify([...seed, ...signer.publicKey]);
}
