import { Keypair, PublicKey, SystemProgram, TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { readingOf } from './reading';

const [payer, key, account] = [Keypair.generate().publicKey, Keypair.generate().publicKey, Keypair.generate().publicKey];
const [program, next] = [Keypair.generate().publicKey, Keypair.generate().publicKey];
/** `set_operator` of agent_policy: it takes no arguments. */
const handOver = (programId: PublicKey, isWritable = false): TransactionInstruction =>
  new TransactionInstruction({
    programId,
    // The program in place of the optional accounts: it stands for none.
    keys: [account, key, next, programId, programId, programId].map((pubkey) => ({
      pubkey,
      isSigner: pubkey === key,
      isWritable: pubkey === account || (isWritable && pubkey === key),
    })),
    data: Buffer.from('ee9965a9f3832401', 'hex'),
  });
const transactionOf = (...instructions: TransactionInstruction[]): string => {
  const message = new TransactionMessage({ payerKey: payer, recentBlockhash: payer.toBase58(), instructions }).compileToLegacyMessage();
  return Buffer.from(new VersionedTransaction(message).serialize()).toString('base64');
};
const SENTENCE = `Hands account ${account.toBase58()} over to the operator key ${next.toBase58()}.`;

test('a transaction of the program that the service names is read, and another program than the built-in one is said', () => {
  expect(readingOf(transactionOf(handOver(program)), key.toBase58(), program.toBase58())).toEqual({
    sentences: [SENTENCE],
    problem: undefined,
    otherProgram: program.toBase58(),
  });
  expect(readingOf(transactionOf(handOver(program)), key.toBase58(), null)).toMatchObject({
    sentences: [],
    problem: expect.stringContaining(`the program ${program.toBase58()} is none`),
    otherProgram: undefined,
  });
});

test('a transaction that can take SOL of the key, or does what is unknown, has a problem', () => {
  expect(readingOf(transactionOf(handOver(program, true)), key.toBase58(), program.toBase58())).toMatchObject({
    sentences: [SENTENCE],
    problem: expect.stringContaining('can take SOL'),
  });
  const theft = SystemProgram.transfer({ fromPubkey: key, toPubkey: payer, lamports: 1 });
  expect(readingOf(transactionOf(handOver(program), theft), key.toBase58(), program.toBase58())).toMatchObject({
    sentences: [],
    problem: expect.stringMatching(/^The transaction cannot be read: instruction 2/),
  });
});
