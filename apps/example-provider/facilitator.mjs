/**
 * The facilitator of x402: checks a payment, signs it as the fee payer, and sends it. Here it is a part of the provider; hosted ones are
 * called by HTTP.
 */
import { createSolanaRpc } from '@solana/kit';
import { x402Facilitator } from '@x402/core/facilitator';
import { x402ResourceServer } from '@x402/core/server';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme as ExactFacilitator } from '@x402/svm/exact/facilitator';
import { ExactSvmScheme as ExactServer } from '@x402/svm/exact/server';

/** CAIP-2 names a cluster by this many characters of its genesis hash. */
const CAIP2_REFERENCE_CHARACTERS = 32;

/** @param {string} rpcUrl @returns {Promise<`solana:${string}`>} the cluster's name in x402 */
export async function networkOf(rpcUrl) {
  const genesisHash = await createSolanaRpc(rpcUrl).getGenesisHash().send();
  return `solana:${genesisHash.slice(0, CAIP2_REFERENCE_CHARACTERS)}`;
}

/**
 * The server that `paymentMiddleware` gets prices from and passes payments to. `signer` pays the network fee of each payment.
 * @param {{ rpcUrl: string, network: `solana:${string}`, signer: import('@solana/kit').KeyPairSigner }} options
 */
export function resourceServer({ rpcUrl, network, signer }) {
  // By network: without one, @x402/svm 2.27 takes an RPC client of @solana/kit 6 for a map of them.
  const rpc = { [network]: createSolanaRpc(/** @type {import('@solana/kit').DevnetUrl} */ (rpcUrl)) };
  const facilitator = new x402Facilitator().register(network, new ExactFacilitator(toFacilitatorSvmSigner(signer, rpc)));
  return new x402ResourceServer({
    verify: (payload, requirements) => facilitator.verify(payload, requirements),
    settle: (payload, requirements) => facilitator.settle(payload, requirements),
    getSupported: async () => /** @type {import('@x402/core/types').SupportedResponse} */ (facilitator.getSupported()),
  }).register(network, new ExactServer());
}
