/** The unread transactions of an account, also if the node no longer has the one that was read last. */
import { type Chain, HistoryCutError } from '#chain';
import type { LedgerService } from '../../ledger';

/** The last transaction of an account that was read, and the balance `microUsdc` after it. */
export interface Mark {
  signature: string | null;
  microUsdc: bigint;
}

export interface UnreadTransactions {
  /** The mark that the transactions follow. */
  from: Mark;
  /** Oldest first. */
  signatures: string[];
  /** Whether nothing can lie between `from` and the first of them. */
  isComplete: boolean;
}

interface MarkedAccount extends Mark {
  id: string;
  tokenAccount: string;
  /** The newest entry of its ledger when it was last read. */
  readEntry: string | null;
}

/**
 * The transactions after the account's mark. A node that has pruned its history, or was rolled back, may not have the mark. Then these are
 * the transactions after the newest one that the ledger had recorded when the account was last read, or all that the node still has.
 * @throws ChainUnavailableError
 */
export async function unreadTransactions(chain: Chain, ledger: LedgerService, account: MarkedAccount): Promise<UnreadTransactions> {
  const { signature, microUsdc, tokenAccount } = account;
  try {
    const signatures = await chain.history.signaturesAfter(tokenAccount, signature);
    const isComplete = signature !== null || (await isFromTheStart(chain, tokenAccount, signatures));
    return { from: { signature, microUsdc }, signatures, isComplete };
  } catch (error) {
    if (!(error instanceof HistoryCutError)) throw error;
  }
  const unread: string[] = [];
  for await (const page of chain.history.signatures(tokenAccount)) {
    const recorded = await ledger.recordedUpTo(account.id, account.readEntry, page);
    const known = page.find((one) => recorded.has(one));
    unread.push(...page.slice(0, known === undefined ? page.length : page.indexOf(known)));
    if (known === undefined) continue;
    const { after } = await chain.history.changeIn(known, tokenAccount);
    return { from: { signature: known, microUsdc: after }, signatures: unread.reverse(), isComplete: true };
  }
  return { from: { signature: null, microUsdc }, signatures: unread.reverse(), isComplete: false };
}

/** Whether these are all transactions of a token account: nothing was in it before the first. */
async function isFromTheStart(chain: Chain, tokenAccount: string, [first]: string[]): Promise<boolean> {
  if (first !== undefined) return !((await chain.history.changeIn(first, tokenAccount)).before > 0n);
  const [finalized] = await chain.accounts.balances([tokenAccount], 0, 'finalized');
  return (finalized ?? 0n) === 0n;
}
