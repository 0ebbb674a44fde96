import { Keypair, PublicKey, SystemProgram, Transaction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { Machine } from '../machine';
import { toBase58 } from './bytes';
import { isWritable, MalformedTransaction, parseTransaction, UnsaneTransaction } from './transaction';

describe('parseTransaction', () => {
  const payer = Keypair.generate();
  const blockhash = PublicKey.unique().toBase58();
  const transfer = SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: PublicKey.unique(), lamports: 1 });
  const legacy = () => {
    const transaction = new Transaction({ feePayer: payer.publicKey, blockhash, lastValidBlockHeight: 1 }).add(transfer);
    transaction.sign(payer);
    return transaction.serialize();
  };
  const SIGNATURE = 1;
  const HEADER = 65;
  const machine = Machine.create();

  it('parseTransaction reads a legacy transaction of web3.js', () => {
    const { message, signatures } = parseTransaction(legacy());
    expect(message).toMatchObject({ version: 'legacy', blockhash, signerCount: 1, readonlyOtherCount: 1 });
    expect(message.keys.map(toBase58)).toEqual([
      payer.publicKey.toBase58(),
      transfer.keys[1]!.pubkey.toBase58(),
      SystemProgram.programId.toBase58(),
    ]);
    expect(message.instructions[0]!.data.equals(transfer.data)).toBe(true);
    expect(message.keys.map((_, index) => isWritable(message, index))).toEqual([true, true, false]);
    expect(signatures).toHaveLength(1);
  });

  it('parseTransaction reads a version 0 transaction', () => {
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: blockhash,
      instructions: [transfer],
    });
    const transaction = new VersionedTransaction(message.compileToV0Message());
    transaction.sign([payer]);
    const parsed = parseTransaction(Buffer.from(transaction.serialize()));
    expect(parsed.message.version).toBe(0);
    expect(machine.isFullySigned(parsed)).toBe(true);
  });

  it('isFullySigned distinguishes a valid signature from an invalid one', () => {
    const bytes = legacy();
    expect(machine.isFullySigned(parseTransaction(bytes))).toBe(true);
    bytes[SIGNATURE]! ^= 1;
    expect(machine.isFullySigned(parseTransaction(bytes))).toBe(false);
  });

  it.each([
    ['is truncated', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['has bytes after its end', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from([0])])],
    ['has an unknown version', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, HEADER), Buffer.from([0x85]), bytes.subarray(HEADER)])],
    ['encodes a length in more bytes than needed', (bytes: Buffer) => Buffer.concat([Buffer.from([0x81, 0x00]), bytes.subarray(1)])],
    ['is empty', () => Buffer.alloc(0)],
  ])('parseTransaction throws MalformedTransaction for a transaction that %s', (_, change) => {
    expect(() => parseTransaction(change(legacy()))).toThrow(MalformedTransaction);
  });

  it.each([
    ['has more signers than signatures', HEADER, 2],
    ['has no writable signer', HEADER + 1, 1],
    ['has more read-only keys than keys', HEADER + 2, 3],
  ])('parseTransaction throws UnsaneTransaction for a transaction that %s', (_, at, value) => {
    const bytes = legacy();
    bytes[at] = value;
    expect(() => parseTransaction(bytes)).toThrow(UnsaneTransaction);
  });

  it.each([
    ['a program index beyond its keys', 1, 3],
    ['its fee payer as a program', 1, 0],
    ['an account index beyond its keys', 3, 9],
  ])('parseTransaction throws UnsaneTransaction for a transaction with %s', (_, offset, value) => {
    const bytes = legacy();
    const instructionsAt = HEADER + 3 + 1 + 3 * 32 + 32;
    bytes[instructionsAt + offset] = value;
    expect(() => parseTransaction(bytes)).toThrow(UnsaneTransaction);
  });
});
