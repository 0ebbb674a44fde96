/** The memos of a transaction, as `getSignaturesForAddress` returns them. */
import { fromBase58, keyOf } from './bytes';
import type { Message } from './transaction';

const MEMO_PROGRAMS = new Set(
  ['MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo'].map((id) => keyOf(fromBase58(id))),
);

export function isMemoProgram(program: Buffer): boolean {
  return MEMO_PROGRAMS.has(keyOf(program));
}

/** `[length] text`, several joined by `; `; null without a memo. */
export function memoOf({ keys, instructions }: Message): string | null {
  const memos = instructions
    .filter(({ programIndex }) => isMemoProgram(keys[programIndex]!))
    .map(({ data }) => `[${data.length}] ${data.toString()}`);
  return memos.length > 0 ? memos.join('; ') : null;
}
