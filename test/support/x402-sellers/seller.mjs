// The common part of the test sellers: settings, a stock facilitator over HTTP, and the line that says that they are ready.
//
// Settings: SOLANA_RPC_URL, USDC_MINT, PAYEE (owner of a token account); NETWORK (CAIP-2), V1_NETWORK (solana-devnet),
// PRICE (base units, 10000), PORT (0: any), WALLET_PROGRAMS (see below).
import { createSolanaRpc, generateKeyPairSigner, lamports } from '@solana/kit';
import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import { ExactSvmSchemeV1 } from '@x402/svm/exact/v1/facilitator';
import { UptoSvmScheme } from '@x402/svm/upto/facilitator';
import express from 'express';

const HOST = '127.0.0.1';
const { SOLANA_RPC_URL: rpcUrl, USDC_MINT: mint, PAYEE: payTo, NETWORK: network } = process.env;
const { V1_NETWORK: v1Network = 'solana-devnet', PRICE: price = '10000', PORT: port = '0' } = process.env;

/** Wallet programs that the facilitator takes, by commas; empty: its own list; unset: it verifies no wallet programs. */
const { WALLET_PROGRAMS: walletPrograms } = process.env;

export const settings = { rpcUrl, mint, payTo, network, v1Network, price };

/** A key with lamports for fees. */
export async function fundedSigner() {
  const signer = await generateKeyPairSigner();
  await createSolanaRpc(rpcUrl).requestAirdrop(signer.address, lamports(1_000_000_000n)).send();
  return signer;
}

/** The URL of a facilitator that speaks versions 1 and 2. It pays the fees of what it settles. */
export async function startFacilitator() {
  const rpc = createSolanaRpc(rpcUrl);
  const signer = toFacilitatorSvmSigner(await fundedSigner(), { [network]: rpc, [v1Network]: rpc });
  const facilitator = new x402Facilitator()
    .register(network, new ExactSvmScheme(signer, undefined, walletOptions()))
    .register(network, new UptoSvmScheme(signer))
    .registerV1(v1Network, new ExactSvmSchemeV1(signer));
  const app = express().use(express.json());
  const answer = (work) => async (request, response) => void response.json(await work(request.body));
  app.post(
    '/verify',
    answer(({ paymentPayload, paymentRequirements }) => facilitator.verify(paymentPayload, paymentRequirements)),
  );
  app.post(
    '/settle',
    answer(({ paymentPayload, paymentRequirements }) => facilitator.settle(paymentPayload, paymentRequirements)),
  );
  app.get(
    '/supported',
    answer(() => facilitator.getSupported()),
  );
  return `http://${HOST}:${await listen(app, '0')}`;
}

function walletOptions() {
  if (walletPrograms === undefined) return {};
  const listed = walletPrograms === '' ? {} : { smartWalletAllowedPrograms: walletPrograms.split(',') };
  return { enableSmartWalletVerification: true, ...listed };
}

/** Answers from now on, and says where. */
export async function serve(handler) {
  console.log(`READY ${await listen(handler, port)}`);
}

function listen(app, onPort) {
  return new Promise((resolve, reject) => {
    const server = app.listen(Number(onPort), HOST, (error) => (error ? reject(error) : resolve(server.address().port)));
  });
}
