import { Keypair, SystemProgram, Transaction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { age, base64Of, bytesOf, timeLeft, versionOf } from './transactions';

const payer = Keypair.generate().publicKey;
const instructions = [SystemProgram.transfer({ fromPubkey: payer, toPubkey: Keypair.generate().publicKey, lamports: 1 })];
const message = new TransactionMessage({ payerKey: payer, recentBlockhash: payer.toBase58(), instructions });

test('the version of a transaction is that of its message', () => {
  expect(versionOf(new VersionedTransaction(message.compileToV0Message()).serialize())).toBe(0);
  expect(versionOf(new VersionedTransaction(message.compileToLegacyMessage()).serialize())).toBe('legacy');
  const legacy = new Transaction({ feePayer: payer, blockhash: payer.toBase58(), lastValidBlockHeight: 1 }).add(...instructions);
  expect(versionOf(legacy.serialize({ requireAllSignatures: false }))).toBe('legacy');
});

test('bytes become base64 and the same bytes again', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  expect(base64Of(bytes)).toBe(Buffer.from(bytes).toString('base64'));
  expect(bytesOf(base64Of(bytes))).toEqual(bytes);
});

test.each([
  [50_000, '50 s'],
  [1, '1 s'],
  [0, null],
  [-1, null],
])('%j ms before the end, %j is left', (ms, left) => {
  expect(timeLeft(new Date(1_000_000 + ms).toISOString(), 1_000_000)).toBe(left);
});

test.each([
  [-5, 'less than a minute ago'],
  [59, 'less than a minute ago'],
  [60, '1 minute ago'],
  [3_599, '59 minutes ago'],
  [3_600, '1 hour ago'],
  [86_399, '23 hours ago'],
  [86_400, '1 day ago'],
  [200_000, '2 days ago'],
])('%j seconds are %j', (seconds, words) => {
  expect(age(new Date(10 ** 12).toISOString(), 10 ** 12 + seconds * 1_000)).toBe(words);
});
