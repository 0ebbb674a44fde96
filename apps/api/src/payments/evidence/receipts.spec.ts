import { generateKeyPairSync, sign } from 'node:crypto';
import bs58 from 'bs58';
import { aPayment } from '../payment.builder';
import { receiptsOf } from './receipts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const kid = `did:key:z${bs58.encode(Buffer.concat([Buffer.from('ed01', 'hex'), publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)]))}`;
const text = (object: object, encoding: 'base64' | 'base64url' = 'base64url'): string =>
  Buffer.from(JSON.stringify(object)).toString(encoding);
const signed = (payload: object) => {
  const content = `${text({ alg: 'EdDSA', kid })}.${text(payload)}`;
  return { format: 'jws', signature: `${content}.${sign(null, Buffer.from(content), privateKey).toString('base64url')}` };
};

const TRANSACTION = bs58.encode(Buffer.alloc(64, 1));
const offered = { scheme: 'exact', network: 'solana:here', asset: 'mint', payTo: 'seller', amount: '100' };
const payment = aPayment({ protocol: 'x402', signature: TRANSACTION });
const offer = { ...offered, resourceUrl: `${payment.provider}/report`, validUntil: payment.createdAt.getTime() / 1000 };
const receipt = { network: offered.network, resourceUrl: offer.resourceUrl, payer: 'delegate', transaction: TRANSACTION };
const extension = (info: object): object => ({ extensions: { 'offer-receipt': { info } } });

const read = (offers: object[], receiptPayload: object = receipt) =>
  receiptsOf({
    payment,
    payers: ['account', null, 'delegate'],
    asked: { 'payment-required': text({ x402Version: 2, accepts: [offered], ...extension({ offers }) }, 'base64') },
    answered: {
      'payment-response': text({ success: true, transaction: TRANSACTION, ...extension({ receipt: signed(receiptPayload) }) }, 'base64'),
    },
  });
const reasonOf = (kind: string, change: object): string | null | undefined =>
  read([signed({ ...offer, ...change })], { ...receipt, ...change }).find((each) => each.kind === kind)?.reason;

test('a signed offer of the 402 and a signed receipt of the payment are verified, and the unsigned PAYMENT-RESPONSE is not', () => {
  expect(read([signed(offer)]).map(({ kind, signer, verified }) => [kind, signer, verified])).toEqual([
    ['offer', kid, true],
    ['payment_response', null, false],
    ['receipt', kid, true],
  ]);
});

test.each(['scheme', 'network', 'asset', 'payTo', 'amount'])('an offer with another %s than the 402 is not verified', (member) =>
  expect(reasonOf('offer', { [member]: 'other' })).toBe('The 402 asks for something else.'),
);

test('an offer that expired a second before the payment, or is of another origin, is not verified', () => {
  expect(reasonOf('offer', { validUntil: offer.validUntil - 1 })).toBe('It had expired before the payment.');
  expect(reasonOf('offer', { resourceUrl: 'https://other.example.com/' })).toBe('It is for a resource of another origin.');
});

test.each([
  [{ payer: 'other' }, 'It names another payer.'],
  [{ transaction: 'other' }, 'It names another transaction.'],
  [{ network: 'other' }, 'It is for another network.'],
  [{ resourceUrl: 'https://other.example.com/' }, 'It is for a resource of another origin.'],
])('a receipt with %j is not verified', (change, reason) => expect(reasonOf('receipt', change)).toBe(reason));

test('a receipt of MPP is not signed', () => {
  const [shown, ...more] = receiptsOf({
    payment: aPayment({ protocol: 'mpp' }),
    payers: [],
    asked: {},
    answered: { 'payment-receipt': 'eyJ9' },
  });
  expect([shown, more]).toEqual([{ kind: 'payment_receipt', raw: 'eyJ9', signer: null, verified: false, reason: 'It is not signed.' }, []]);
});
