// Stock @solana/pay-kit 0.5.0: GET /report by MPP or x402, GET /x402 and GET /mpp by one of them. GET /infer?cost=<base units> by its
// older dialect of `upto` charges what it used, at most PRICE; GET /own does so for a seller that is its own facilitator.
//
// pay-kit calls every chain but devnet by mainnet's CAIP-2 name. So the name is replaced in what comes and goes; it is a label,
// and no part of the transaction.
import { createServer } from 'node:http';
import { Signer, createPayKit, caip2, usage, usd } from '@solana/pay-kit';
import { NodeListener, Request as NodeRequest } from 'mppx/server';
import { fundedSigner, serve, settings } from './seller.mjs';

const { mint, network, payTo: recipient, price, rpcUrl } = settings;
const ownName = caip2('solana_localnet');
const amount = usd((Number(price) / 1_000_000).toFixed(6), mint);
const operator = await fundedSigner();
const kit = (recipient, pricing) =>
  createPayKit({ accept: ['mpp', 'x402'], network: 'localnet', rpcUrl, operator: { signer: Signer.from(operator), recipient }, pricing });
const metered = usage(amount);
const pay = await kit(recipient, {
  report: { amount },
  x402: { amount, accept: ['x402'] },
  mpp: { amount, accept: ['mpp'] },
  infer: metered,
});
const own = await kit(operator.address, { own: metered });
const routes = new Map(['report', 'x402', 'mpp'].map((gate) => [`/${gate}`, pay.fetch(gate, () => Response.json({ report: 'fine' }))]));
for (const [kit, gate] of [
  [pay, 'infer'],
  [own, 'own'],
])
  routes.set(
    `/${gate}`,
    kit.fetch(gate, (request) => {
      kit.charge(request)?.charge(BigInt(new URL(request.url).searchParams.get('cost') ?? price));
      return Response.json({ answer: 42 });
    }),
  );

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
