/** Offers of `batch-settlement`: what is paid, and what is refused at each bound. */
import { batchRequirements } from './batch-settlement';
import { parsePaymentRequired } from './payment-required';

const key = 'CHNLxYvVA28MJP9PrFuDXccuoGXAx7jBacfLEkahyGsX';
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
  [{}, { graceSeconds: 900, minDeposit: undefined, idleSeconds: 604_800, memo: undefined }],
  [
    { withdrawDelay: 86_400, memo: 'a' },
    { graceSeconds: 86_400, memo: 'a' },
  ],
  [
    { minDeposit: '1000', maxIdleSecs: 60, voucherSigner: 'client' },
    { minDeposit: 1_000n, idleSeconds: 60 },
  ],
])('an offer with %p is paid', (extra, expected) => expect(read(extra)).toMatchObject(expected));

test.each([
  [{ withdrawDelay: 899 }, 'requirements_invalid'],
  [{ withdrawDelay: 86_401 }, 'unsupported_method'],
  [{ receiverAuthorizer: undefined }, 'unsupported_method'],
  [{ receiverAuthorizer: 'key' }, 'requirements_invalid'],
  [{ feePayer: undefined }, 'unsupported_method'],
  [{ voucherSigner: 'server', operator: key }, 'unsupported_method'],
  [{ minDeposit: '999' }, 'requirements_invalid'],
  [{ maxIdleSecs: 0 }, 'requirements_invalid'],
  [{ paymentFlow: 'upfront' }, 'requirements_invalid'],
  [{ tokenProgram: key }, 'mint_mismatch'],
])('an offer with %p is refused as %s', (extra, code) => expect(() => read(extra)).toThrow(expect.objectContaining({ code })));

test('a grace period below the time-out is refused', () =>
  expect(() => read({ withdrawDelay: 1_000 }, 1_001)).toThrow(expect.objectContaining({ code: 'requirements_invalid' })));
