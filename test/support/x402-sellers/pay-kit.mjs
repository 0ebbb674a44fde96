// Stock @solana/pay-kit 0.5.0: GET /report by MPP or x402, GET /x402 and GET /mpp by one of them.
//
// pay-kit calls every chain but devnet by mainnet's CAIP-2 name. So the name is replaced in what comes and goes; it is a label,
// and no part of the transaction.
import { createServer } from 'node:http';
import { Signer, createPayKit, caip2, usd } from '@solana/pay-kit';
import { NodeListener, Request as NodeRequest } from 'mppx/server';
import { fundedSigner, serve, settings } from './seller.mjs';

const { mint, network, payTo: recipient, price, rpcUrl } = settings;
const ownName = caip2('solana_localnet');
const amount = usd((Number(price) / 1_000_000).toFixed(6), mint);
const pay = await createPayKit({
  accept: ['mpp', 'x402'],
  network: 'localnet',
  rpcUrl,
  operator: { signer: Signer.from(await fundedSigner()), recipient },
  pricing: { report: { amount }, x402: { amount, accept: ['x402'] }, mpp: { amount, accept: ['mpp'] } },
});
const routes = new Map(['report', 'x402', 'mpp'].map((gate) => [`/${gate}`, pay.fetch(gate, () => Response.json({ report: 'fine' }))]));

await serve(
  createServer(async (incoming, outgoing) => {
    const request = relabelled(NodeRequest.fromNodeListener(incoming, outgoing), ['payment-signature'], network, ownName);
    const route = routes.get(new URL(request.url).pathname) ?? (() => new Response(null, { status: 404 }));
    const response = await route(request);
    await NodeListener.sendResponse(outgoing, relabelled(response, ['payment-required', 'x-payment-response'], ownName, network));
  }),
);

/** The message with another name of the network in its headers, which are JSON in base64. */
function relabelled(message, names, from, to) {
  const headers = new Headers(message.headers);
  for (const name of names) {
    const value = headers.get(name);
    if (value !== null) headers.set(name, btoa(atob(value).replaceAll(from, to)));
  }
  if (message instanceof Request) return new Request(message, { headers });
  return new Response(message.body, { status: message.status, headers });
}
