import { Keypair, PublicKey, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { signatureOf, WrongSignatureError } from '../src/tx/signing/external-signer';

const holder = Keypair.generate();
const message = new TransactionMessage({
  payerKey: holder.publicKey,
  recentBlockhash: PublicKey.default.toBase58(),
  instructions: [SystemProgram.transfer({ fromPubkey: holder.publicKey, toPubkey: holder.publicKey, lamports: 1 })],
}).compileToV0Message();
const unsigned = { bytes: new VersionedTransaction(message).serialize(), lastValidBlockHeight: 1 };
const signed = (): Uint8Array => {
  const transaction = new VersionedTransaction(message);
  transaction.sign([holder]);
  return transaction.serialize();
};
const address = holder.publicKey.toBase58();

test('the signature of a signed transaction is read', () => {
  expect(signatureOf(signed(), unsigned, address)).toHaveLength(64);
});

test('a signed transaction with bytes behind it is refused', () => {
  expect(() => signatureOf(Buffer.concat([signed(), Buffer.from([0])]), unsigned, address)).toThrow(WrongSignatureError);
});
