// Stock @x402/express, version 2 of x402. Every route has the same price:
//
//   GET /report      as most sellers ask
//   GET /invoice     the seller chooses the memo
//   GET /flagged     the seller says that its facilitator takes transfers by wallet programs
//   GET /upfront     settled before the answer is made
//   GET /identified  with the extension payment-identifier: the same payment again gets the stored answer
//   GET /signed      with the extension offer-and-receipt: offers and receipts are signed by a did:key
//   GET /failing     answers 500, so that nothing is settled
//   GET /free        asks for nothing
import { generateKeyPairSync, sign as edSign } from 'node:crypto';
import bs58 from 'bs58';
import { x402ResourceServer } from '@x402/core/server';
import { HTTPFacilitatorClient, decodePaymentSignatureHeader } from '@x402/core/http';
import { paymentMiddleware } from '@x402/express';
import { PAYMENT_IDENTIFIER, declarePaymentIdentifierExtension, extractPaymentIdentifier } from '@x402/extensions/payment-identifier';
import { createJWSOfferReceiptIssuer, createOfferReceiptExtension, declareOfferReceiptExtension } from '@x402/extensions/offer-receipt';
import { ExactSvmScheme } from '@x402/svm/exact/server';
import express from 'express';
import { serve, settings, startFacilitator } from './seller.mjs';

const { mint, network, payTo, price } = settings;
const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: await startFacilitator() })).register(network, new ExactSvmScheme());
server.registerExtension(createOfferReceiptExtension(issuer()));
const offer = (extra) => ({
  accepts: { scheme: 'exact', network, payTo, price: { asset: mint, amount: price }, maxTimeoutSeconds: 60, ...(extra && { extra }) },
  description: 'a report',
});
const routes = {
  'GET /report': offer(),
  'GET /invoice': offer({ memo: 'invoice — 7' }),
  'GET /flagged': offer({ features: { smartWalletSupported: true } }),
  'GET /upfront': offer({ paymentFlow: 'upfront' }),
  'GET /identified': { ...offer(), extensions: { [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension(false) } },
  'GET /signed': { ...offer(), extensions: { ...declareOfferReceiptExtension({ includeTxHash: true }) } },
  'GET /failing': offer(),
};

const app = express();
app.get('/identified', storedAnswers());
app.use(paymentMiddleware(routes, server));
let made = 0;
const report = (_request, response) => void response.json({ report: 'fine', made: ++made });
for (const path of ['/report', '/invoice', '/flagged', '/upfront', '/identified', '/signed', '/free']) app.get(path, report);
app.get('/failing', (_request, response) => void response.status(500).json({ error: 'out of order' }));
await serve(app);

/** Signs with a new key, whose id holds it. */
function issuer() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const kid = `did:key:z${bs58.encode(Buffer.concat([Buffer.from('ed01', 'hex'), raw]))}`;
  const signed = async (payload) => edSign(null, payload, privateKey).toString('base64url');
  return createJWSOfferReceiptIssuer(kid, { kid, sign: signed, format: 'jws', algorithm: 'EdDSA' });
}

/** By the id of the payment. The extension leaves storing to the seller: an identical payment gets its answer, another is 409. */
function storedAnswers() {
  const answers = new Map();
  return (request, response, next) => {
    const value = request.get('payment-signature');
    const id = value && extractPaymentIdentifier(decodePaymentSignatureHeader(value));
    if (!id) return next();
    const stored = answers.get(id);
    if (stored && stored.value !== value) return void response.status(409).json({ error: 'another payment has this id' });
    if (stored) return void response.set('PAYMENT-RESPONSE', stored.receipt).json(stored.body);
    const json = response.json.bind(response);
    let body;
    response.json = (object) => json((body = object));
    response.on('finish', () => {
      if (response.statusCode === 200) answers.set(id, { value, body, receipt: response.get('PAYMENT-RESPONSE') });
    });
    next();
  };
}
