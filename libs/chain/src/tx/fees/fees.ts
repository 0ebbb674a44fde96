/** The fee of a transaction: https://solana.com/docs/core/fees */

export const LAMPORTS_PER_SIGNATURE = 5_000n;
const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000n;

export interface Priced {
  signatures: number;
  computeUnits: number;
  microLamportsPerUnit: bigint;
}

/** The fee in lamports: for each signature, and for the compute units that are asked for, rounded up. */
export function feeLamports({ signatures, computeUnits, microLamportsPerUnit }: Priced): bigint {
  const priority = BigInt(computeUnits) * microLamportsPerUnit;
  return BigInt(signatures) * LAMPORTS_PER_SIGNATURE + (priority + MICRO_LAMPORTS_PER_LAMPORT - 1n) / MICRO_LAMPORTS_PER_LAMPORT;
}
