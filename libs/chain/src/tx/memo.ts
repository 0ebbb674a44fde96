/** The Memo program: a text in a transaction. */
import { PublicKey, TransactionInstruction } from '@solana/web3.js';
import type { LandedTransaction } from '../history/landed-transaction';

const MEMO_PROGRAM = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

export function memoInstruction(text: string): TransactionInstruction {
  return new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data: Buffer.from(text, 'utf8') });
}

/** The text of a transaction's memo at the top level; null if it has none, or several. */
export function memoOf({ instructions }: LandedTransaction): string | null {
  const memos = instructions.filter(({ program, isTopLevel }) => isTopLevel && program === MEMO_PROGRAM.toBase58());
  const [memo] = memos;
  return memo && memos.length === 1 ? memo.data.toString('utf8') : null;
}
