import type { Rpc } from '../../rpc/client';
import { ComputeUnitPrice } from './compute-unit-price';

const FEE_PAYER = '11111111111111111111111111111111';
const UNITS = 20_000;

/** A price beside others who paid these, in micro-lamports a unit. */
function priceBeside(paid: number[] | 'unreachable', { least = 0n, maxLamports = 100_000n } = {}) {
  const read = () =>
    paid === 'unreachable' ? Promise.reject(new Error('away')) : Promise.resolve(paid.map((prioritizationFee) => ({ prioritizationFee })));
  return new ComputeUnitPrice({ read } as unknown as Rpc, { feePayers: [FEE_PAYER], least, maxLamports });
}

describe('the price of a compute unit', () => {
  beforeEach(() => void jest.useFakeTimers({ now: 1_000_000 }));
  afterEach(() => void jest.useRealTimers());

  it.each<[string, number[] | 'unreachable', bigint]>([
    ['what was enough in three of four slots', [4, 1, 3, 2, 8, 7, 6, 5], 7n],
    ['rounded up to two digits', [12_301], 13_000n],
    ['nothing where nobody pays', [0, 0, 0], 0n],
    ['nothing where no slot is known', [], 0n],
    ['nothing where no node answers', 'unreachable', 0n],
  ])('is %s', async (_what, paid, expected) => {
    const price = priceBeside(paid);
    await price.refresh();
    expect(price.of(UNITS)).toBe(expected);
  });

  it('is at least what is set, and at most what the priority fee of a transaction may be', async () => {
    expect(priceBeside([0], { least: 5n }).of(UNITS)).toBe(5n);
    const dear = priceBeside([1_000_000_000]);
    await dear.refresh();
    expect([dear.of(UNITS), dear.of(UNITS, true), dear.of(2 * UNITS)]).toEqual([5_000_000n, 5_000_000n, 2_500_000n]);
  });

  it('is ten times as high where it is urgent, and never nothing', async () => {
    const price = priceBeside([2_000]);
    await price.refresh();
    expect([price.of(UNITS, true), priceBeside([0]).of(UNITS, true)]).toEqual([20_000n, 10_000n]);
  });

  it('doubles when transactions expire, once for those that expire together, and falls again later', async () => {
    const price = priceBeside([0]);
    for (let i = 0; i < 3; i++) price.raise();
    expect(price.of(UNITS)).toBe(2_000n);
    jest.advanceTimersByTime(5_001);
    price.raise();
    expect(price.of(UNITS)).toBe(4_000n);
    for (const expected of [2_000n, 0n]) {
      jest.advanceTimersByTime(30_001);
      await price.refresh();
      expect(price.of(UNITS)).toBe(expected);
    }
  });
});
