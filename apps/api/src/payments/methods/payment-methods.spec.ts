import type { Asked, Funding } from './payment-method';
import { a402, aPayment } from '../payment.builder';
import { Declined } from '../payments.errors';
import { PaymentMethods } from './payment-methods';

const method = (name: string, price: bigint | null) => ({
  name,
  isOffered: () => price !== null,
  openSessionFor: async () => undefined,
  quote: () => {
    if (price === null) throw Declined.because('unsupported_method', '');
    return { microUsdc: price };
  },
});
const funding = { session: null, openSession: null, purse: null, account: {} } as unknown as Funding;

/** The names of the ways to pay, in their order. */
async function ways(
  prices: { x402: bigint | null; mpp: bigint | null; upto?: bigint; batch?: bigint },
  { isTried = false, isOnlyWay = false } = {},
): Promise<string[]> {
  const { upto = null, batch = null } = prices;
  const none = method('none', null);
  const transfer = { ...method('transfer', prices.x402), isTried: async () => isTried, isOnlyWay: async () => isOnlyWay };
  const repeated = { isPaidByTransfer: async () => false, isPaidByCharge: async () => false, isPaidByChannel: async () => false };
  const channelPurses = { openFor: async () => [] };
  const parts = [
    {},
    channelPurses,
    none,
    none,
    transfer,
    method('x402', prices.x402),
    method('channel', upto),
    method('batch', batch),
    none,
    method('mpp', prices.mpp),
    repeated,
  ];
  const methods = new PaymentMethods(...(parts as unknown as ConstructorParameters<typeof PaymentMethods>));
  return (await methods.candidates(a402([]) as Asked, aPayment(), funding)).map((candidate) => candidate.method.name);
}

test.each([
  [{ x402: 2n, mpp: 1n }, {}, ['mpp', 'x402']],
  [{ x402: 1n, mpp: 2n }, {}, ['x402', 'mpp']],
  [{ x402: 1n, mpp: 1n }, {}, ['x402', 'mpp']],
  [{ x402: 1n, mpp: 1n }, { isTried: true }, ['transfer', 'x402', 'mpp']],
  [{ x402: 2n, mpp: 1n }, { isTried: true }, ['mpp', 'transfer', 'x402']],
  [{ x402: 2n, mpp: 1n }, { isTried: true, isOnlyWay: true }, ['transfer', 'x402', 'mpp']],
  [{ x402: 1n, upto: 1n, mpp: 1n }, {}, ['x402', 'channel', 'mpp']],
  [{ x402: 2n, upto: 1n, mpp: 1n }, {}, ['channel', 'mpp', 'x402']],
  [{ x402: null, upto: 3n, mpp: null }, {}, ['channel']],
  [{ x402: null, upto: 1n, batch: 1n, mpp: 1n }, {}, ['channel', 'batch', 'mpp']],
  [{ x402: 2n, batch: 1n, mpp: null }, {}, ['batch', 'x402']],
  [{ x402: null, mpp: 1n }, {}, ['mpp']],
  [{ x402: 1n, mpp: null }, {}, ['x402']],
  [{ x402: null, mpp: null }, {}, ['mpp']],
])('of offers at %p, with %p, the ways to pay are %p', async (prices, more, expected) =>
  expect(await ways(prices, more)).toEqual(expected),
);
