// Stock x402-express 1.2.0, version 1 of x402: GET /report. It knows mainnet and devnet only, so that the chain goes by V1_NETWORK.
import express from 'express';
import { paymentMiddleware } from 'x402-express';
import { serve, settings, startFacilitator } from './seller.mjs';

const { mint, payTo, price: amount, v1Network: network } = settings;
const price = { amount, asset: { address: mint, decimals: 6 } };
const app = express();
app.use(paymentMiddleware(payTo, { 'GET /report': { price, network } }, { url: await startFacilitator() }));
app.get('/report', (_request, response) => void response.json({ report: 'fine' }));
await serve(app);
