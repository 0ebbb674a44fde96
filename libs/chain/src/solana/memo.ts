/** The Memo program: texts that go with a transaction. */
import { PublicKey, TransactionInstruction, type VersionedTransactionResponse } from '@solana/web3.js';

const MEMO_PROGRAM = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

export function memoInstruction(text: string): TransactionInstruction {
  return new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data: Buffer.from(text, 'utf8') });
}

/** The text of a transaction's memo at the top level; null where it has none, or several. */
export function memoOf({ transaction, meta }: VersionedTransactionResponse): string | null {
  const keys = transaction.message.getAccountKeys({ accountKeysFromLookups: meta?.loadedAddresses });
  const memos = transaction.message.compiledInstructions.filter(({ programIdIndex }) => keys.get(programIdIndex)?.equals(MEMO_PROGRAM));
  const [memo] = memos;
  return memo && memos.length === 1 ? Buffer.from(memo.data).toString('utf8') : null;
}
