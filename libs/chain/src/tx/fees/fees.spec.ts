import { feeLamports } from './fees';

test.each([
  [1, 20_000, 0n, 5_000n],
  [2, 20_000, 0n, 10_000n],
  [2, 20_000, 1n, 10_001n],
  [2, 20_000, 50n, 10_001n],
  [2, 20_000, 51n, 10_002n],
  [3, 1_400_000, 2_000_000n, 2_815_000n],
])('%d signatures and %d units at %d micro-lamports cost %d lamports', (signatures, computeUnits, microLamportsPerUnit, lamports) =>
  expect(feeLamports({ signatures, computeUnits, microLamportsPerUnit })).toBe(lamports),
);
