// Stock @x402/express, scheme `upto` of @x402/svm 2.27.0: GET /infer?cost=<base units> charges what it used, at most PRICE.
//
//   GET /failing   answers 500 after the channel is open
//   GET /report    the scheme `exact` at the same price, beside `upto` at twice of it
import { generateKeyPairSigner } from '@solana/kit';
import { HTTPFacilitatorClient } from '@x402/core/http';
import { x402ResourceServer } from '@x402/core/server';
import { paymentMiddleware, setSettlementOverrides } from '@x402/express';
import { ExactSvmScheme } from '@x402/svm/exact/server';
import { UptoSvmScheme } from '@x402/svm/upto/server';
import express from 'express';
import { serve, settings, startFacilitator } from './seller.mjs';

const { mint, network, payTo, price } = settings;
const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: await startFacilitator() }))
  .register(network, new UptoSvmScheme({ receiverAuthorizerSigner: await generateKeyPairSigner() }))
  .register(network, new ExactSvmScheme());
const upto = (amount) => ({
  scheme: 'upto',
  network,
  payTo,
  price: { asset: mint, amount: `${amount}`, extra: { tokenProgram } },
  maxTimeoutSeconds: 60,
});
const exact = { scheme: 'exact', network, payTo, price: { asset: mint, amount: price }, maxTimeoutSeconds: 60 };
const routes = {
  'GET /infer': { accepts: [upto(price)], description: 'inference' },
  'GET /failing': { accepts: [upto(price)], description: 'inference' },
  'GET /report': { accepts: [upto(2 * Number(price)), exact], description: 'a report' },
};

const app = express().use(paymentMiddleware(routes, server));
app.get('/infer', (request, response) => {
  setSettlementOverrides(response, { amount: `${request.query.cost ?? price}` });
  response.json({ answer: 42 });
});
app.get('/failing', (_request, response) => void response.status(500).json({ error: 'out of order' }));
app.get('/report', (_request, response) => void response.json({ report: 'fine' }));
await serve(app);
