import { statSync } from 'node:fs';
import { ComputeBudgetProgram, Keypair, type PublicKey, TransactionInstruction } from '@solana/web3.js';
import { PROGRAM_FILE } from '../program/program-file';
import { compile, MAX_LOADED_BYTES } from './build';

const aKey = (): PublicKey => Keypair.generate().publicKey;

/** The kinds of the compute budget instructions before an instruction with so many bytes of data. */
function budgetKinds(dataBytes: number): (number | undefined)[] {
  const only = new TransactionInstruction({ programId: aKey(), keys: [], data: Buffer.alloc(dataBytes) });
  const draft = { instructions: [only], feePayer: aKey(), computeUnits: 20_000, microLamportsPerUnit: 1n };
  const { message } = compile(draft, aKey().toBase58());
  return message.compiledInstructions
    .filter(({ programIdIndex }) => message.staticAccountKeys[programIdIndex]?.equals(ComputeBudgetProgram.programId))
    .map(({ data: [kind] }) => kind);
}

test('a transaction bounds its compute units, their price and what it loads', () => {
  expect(budgetKinds(100)).toEqual([2, 3, 4]);
});

test('only a transaction with no room for it does not bound what it loads', () => {
  const lengths = Array.from({ length: 1_100 }, (_, bytes) => bytes);
  const bounded = lengths.filter((bytes) => budgetKinds(bytes).length === 3);
  expect(bounded).toHaveLength((bounded.at(-1) ?? 0) + 1);
  expect(budgetKinds((bounded.at(-1) ?? 0) + 8)).toEqual([2, 3]);
});

test('the program takes less than 60 percent of what a transaction may load', () => {
  expect(statSync(PROGRAM_FILE).size).toBeLessThan(MAX_LOADED_BYTES * 0.6);
});
