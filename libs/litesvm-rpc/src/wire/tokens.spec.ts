import { tokenAmount } from './tokens';

describe('a token amount', () => {
  it.each([
    [0n, 6, '0', 0],
    [5n, 6, '0.000005', 0.000005],
    [1_000_000n, 6, '1', 1],
    [1_500_000n, 6, '1.5', 1.5],
    [18_446_744_073_709_551_615n, 6, '18446744073709.551615', 18446744073709.55],
    [42n, 0, '42', 42],
  ])('tokenAmount of %s with %s decimals is %s', (amount, decimals, uiAmountString, uiAmount) => {
    expect(tokenAmount(amount, decimals)).toEqual({ amount: amount.toString(), decimals, uiAmountString, uiAmount });
  });
});
