/** Offers of `batch-settlement`: what is paid, and what is refused at each bound. */
import bs58 from 'bs58';
import { authorizationBytes, batchRequirements, callContent, correctionIn, refundContent, voucherIn } from './batch-settlement';
import { encodeObject } from '../json';
import { parsePaymentRequired } from '../messages/payment-required';

const key = 'CHNLxYvVA28MJP9PrFuDXccuoGXAx7jBacfLEkahyGsX';
const operator = '11111111111111111111111111111112';
const target = { caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', mint: key };
const offer = (extra: object, maxTimeoutSeconds = 60) => ({
  scheme: 'batch-settlement',
  network: target.caip2,
  amount: '1000',
  asset: key,
  payTo: key,
  maxTimeoutSeconds,
  extra: { feePayer: key, receiverAuthorizer: key, withdrawDelay: 900, ...extra },
});
const read = (extra: object, timeout?: number) =>
  batchRequirements(parsePaymentRequired({ x402Version: 2, accepts: [offer(extra, timeout)] }), target)[0];

test.each([
  [{}, { graceSeconds: 900, minDeposit: undefined, idleSeconds: 604_800, memo: undefined, operator: null }],
  [
    { withdrawDelay: 86_400, memo: 'a' },
    { graceSeconds: 86_400, memo: 'a' },
  ],
  [
    { minDeposit: '1000', maxIdleSecs: 60, voucherSigner: 'client' },
    { minDeposit: 1_000n, idleSeconds: 60 },
  ],
  [{ voucherSigner: 'server', operator }, { operator }],
])('an offer with %p is paid', (extra, expected) => expect(read(extra)).toMatchObject(expected));

test.each([
  [{ withdrawDelay: 899 }, 'requirements_invalid'],
  [{ withdrawDelay: 86_401 }, 'unsupported_method'],
  [{ receiverAuthorizer: undefined }, 'unsupported_method'],
  [{ receiverAuthorizer: 'key' }, 'requirements_invalid'],
  [{ feePayer: undefined }, 'unsupported_method'],
  [{ voucherSigner: 'server' }, 'unsupported_method'],
  [{ voucherSigner: 'facilitator', operator }, 'unsupported_method'],
  [{ voucherSigner: 'server', operator: 'operator' }, 'requirements_invalid'],
  [{ voucherSigner: 'server', operator: key }, 'requirements_invalid'],
  [{ operator }, 'requirements_invalid'],
  [{ minDeposit: '999' }, 'requirements_invalid'],
  [{ maxIdleSecs: 0 }, 'requirements_invalid'],
  [{ paymentFlow: 'upfront' }, 'requirements_invalid'],
  [{ tokenProgram: key }, 'mint_mismatch'],
])('an offer with %p is refused as %s', (extra, code) => expect(() => read(extra)).toThrow(expect.objectContaining({ code })));

test('a grace period below the time-out is refused', () =>
  expect(() => read({ withdrawDelay: 1_000 }, 1_001)).toThrow(expect.objectContaining({ code: 'requirements_invalid' })));

const authorization = { channel: key, payer: key, operator, requestId: 'µ-id', amount: 99n, expiresAt: 100 };

test('the permission to charge a request is signed over the bytes of the specification', () =>
  expect(Buffer.from(authorizationBytes(authorization)).toString('hex')).toBe(
    [
      Buffer.from('x402-batch-authorization-v2').toString('hex'),
      ...[key, key, operator].map((address) => Buffer.from(bs58.decode(address)).toString('hex')),
      '0500',
      Buffer.from('µ-id').toString('hex'),
      '6300000000000000',
      '6400000000000000',
    ].join(''),
  ));

test('a payment carries a permission where the seller signs the vouchers, and never a voucher beside it', () => {
  const channel = {
    payer: key,
    payerAuthorizer: operator,
    voucherSigner: 'server' as const,
    receiver: key,
    receiverAuthorizer: key,
    token: key,
    withdrawDelay: 900,
    salt: 42n,
    openSlot: 341_000_000n,
  };
  const proof = { authorization, signature: new Uint8Array(64).fill(1) };
  const signature = bs58.encode(proof.signature);
  expect(callContent(channel, proof)).toEqual({
    type: 'authorization',
    channelConfig: { ...channel, salt: '42', openSlot: 341_000_000 },
    authorization: { type: 'proof', channelId: key, payer: key, requestId: 'µ-id', authorizedAmount: '99', expiresAt: 100, signature },
  });
  expect(refundContent(channel, proof)).toMatchObject({ type: 'refund', authorization: { type: 'proof' } });
});

const signed = { channelId: key, maxClaimableAmount: '5', expiresAt: 0, signature: bs58.encode(new Uint8Array(64).fill(1)) };
const response = (voucher: unknown): string => encodeObject({ success: true, extra: { voucher } });

test('the voucher in an answer is read', () => expect(voucherIn(response(signed))).toMatchObject({ channel: key, cumulative: 5n }));

test.each([
  [undefined],
  [{ ...signed, expiresAt: 1 }],
  [{ ...signed, maxClaimableAmount: 5 }],
  [{ ...signed, channelId: 'channel' }],
  [{ ...signed, signature: 'x' }],
])('an answer with the voucher %p has none', (voucher) => expect(voucherIn(response(voucher))).toBeNull());

const MISMATCH = 'invalid_batch_settlement_svm_cumulative_amount_mismatch';
const channelState = { channelId: key, chargedCumulativeAmount: '3' };
const voucherState = { signedMaxClaimable: '4', expiresAt: 0, signature: signed.signature };
const refusal = (extra: object, error = MISMATCH): string => encodeObject({ x402Version: 2, error, accepts: [{}, { extra }] });

test('the correction of a channel is read, with its voucher or without one', () => {
  expect(correctionIn(refusal({ channelState, voucherState }), key)).toMatchObject({
    charged: 3n,
    voucher: { channel: key, cumulative: 4n },
  });
  expect(correctionIn(refusal({ channelState }), key)).toEqual({ charged: 3n, voucher: null });
});

test.each([
  ['of another channel', refusal({ channelState: { ...channelState, channelId: operator }, voucherState })],
  ['of another error', refusal({ channelState, voucherState }, 'channel_closing')],
  ['with a number', refusal({ channelState: { ...channelState, chargedCumulativeAmount: 3 }, voucherState })],
  ['with a voucher that expires', refusal({ channelState, voucherState: { ...voucherState, expiresAt: 1 } })],
  ['with no voucher object', refusal({ channelState, voucherState: null })],
  ['with a short signature', refusal({ channelState, voucherState: { ...voucherState, signature: 'x' } })],
  ['that is no object', 'x'],
])('a correction %s is none', (_, header) => expect(correctionIn(header, key)).toBeNull());
