/** Waits for submitted transactions: the first of signature seen, block height exceeded, and time-out. */
import type { SignatureStatus, TransactionError } from '@solana/web3.js';
import type { SettlementCommitment, SignedTransaction, TransactionFinality } from './tx.types';
import type { LoggedTransaction } from '../rpc/subscription';
import type { Rpc } from '../rpc/client';

/** The outcome of a submitted transaction. Logs are present if the subscription delivered them. */
export type Landing =
  | { kind: 'landed'; slot: number; error: TransactionError | null; logs?: string[] }
  | { kind: 'expired'; asOfSlot: number }
  | { kind: 'unknown' }
  | { kind: 'not_sent' };

/** How often the statuses of all pending signatures are polled, and unseen transactions are resubmitted. */
const POLL_MS = 400;
const RESEND_MS = 2_000;
/** Signatures per `getSignatureStatuses`: agave's limit. */
const MAX_SIGNATURES = 256;

interface Pending {
  signed: SignedTransaction;
  sentAt: number;
  /** Resolve the promises of all callers. */
  waiters: Set<(landing: Landing) => void>;
}

export class Confirmations {
  private readonly pending = new Map<string, Pending>();
  private polling = false;

  constructor(
    private readonly rpc: Rpc,
    private readonly commitment: SettlementCommitment,
  ) {}

  /** Submits the transaction, resubmits it until it lands or expires, and returns its outcome within `timeoutMs`. */
  async settle(signed: SignedTransaction, timeoutMs: number, onSent?: () => void): Promise<Landing> {
    const landed = this.wait(signed, timeoutMs);
    const sent = await this.rpc.send(signed.bytes);
    // After any other response only the chain knows, and polling asks it.
    if (sent !== 'unreachable') onSent?.();
    else this.finish(signed.signature, { kind: 'not_sent' });
    return landed;
  }

  private wait(signed: SignedTransaction, timeoutMs: number): Promise<Landing> {
    return new Promise((resolve) => {
      const one = this.pending.get(signed.signature) ?? { signed, sentAt: performance.now(), waiters: new Set() };
      const settle = (landing: Landing) => {
        clearTimeout(timer);
        one.waiters.delete(settle);
        if (one.waiters.size === 0) this.pending.delete(signed.signature);
        resolve(landing);
      };
      const timer = setTimeout(() => settle({ kind: 'unknown' }), timeoutMs);
      one.waiters.add(settle);
      this.pending.set(signed.signature, one);
      this.startPolling();
    });
  }

  private finish(signature: string, landing: Landing): void {
    for (const settle of [...(this.pending.get(signature)?.waiters ?? [])]) settle(landing);
  }

  /** Called by the subscription when a transaction has landed. */
  notice({ signature, ...landing }: LoggedTransaction): void {
    this.finish(signature, { kind: 'landed', ...landing });
  }

  private startPolling(): void {
    if (this.polling) return;
    this.polling = true;
    const round = async () => {
      await this.poll().catch(() => undefined); // Unreachable: the next round asks again, until the time-out.
      if (this.pending.size > 0) setTimeout(() => void round(), POLL_MS);
      else this.polling = false;
    };
    setTimeout(() => void round(), POLL_MS);
  }

  private async poll(): Promise<void> {
    const all = [...this.pending.values()];
    for (let from = 0; from < all.length; from += MAX_SIGNATURES) await this.pollSome(all.slice(from, from + MAX_SIGNATURES));
  }

  private async pollSome(some: Pending[]): Promise<void> {
    // The height first: a transaction above its last valid height that is not seen afterwards has not landed.
    const { height, slot } = await this.rpc.height(this.commitment);
    const statuses = await this.rpc.signatureStatuses(
      some.map(({ signed }) => signed.signature),
      { searchTransactionHistory: false, minContextSlot: slot },
    );
    const now = performance.now();
    const unseen = some.filter(({ signed }, index) => {
      const status = statuses[index];
      if (status && this.isSettled(status)) this.finish(signed.signature, { kind: 'landed', slot: status.slot, error: status.err });
      else if (!status && height > signed.lastValidBlockHeight) this.finish(signed.signature, { kind: 'expired', asOfSlot: slot });
      return !status;
    });
    const overdue = unseen.filter(({ signed, sentAt }) => this.pending.has(signed.signature) && now - sentAt > RESEND_MS);
    await Promise.all(
      overdue.map((one) => {
        one.sentAt = now;
        return this.rpc.send(one.signed.bytes);
      }),
    );
  }

  /** The outcome of one transaction now, from the whole history. Reports `expired` only at a finalized height. */
  async look({ signature, lastValidBlockHeight }: Pick<SignedTransaction, 'signature' | 'lastValidBlockHeight'>): Promise<Landing> {
    const { height, slot } = await this.rpc.height('finalized');
    const [status] = await this.rpc.signatureStatuses([signature], { searchTransactionHistory: true, minContextSlot: slot });
    if (status) return this.isSettled(status) ? { kind: 'landed', slot: status.slot, error: status.err } : { kind: 'unknown' };
    return height > lastValidBlockHeight ? { kind: 'expired', asOfSlot: slot } : { kind: 'unknown' };
  }

  /** How final each transaction is, from the whole history; `missing` if no node has it, which is not proof that it did not land. */
  async finalities(signatures: string[]): Promise<TransactionFinality[]> {
    const pages = Array.from({ length: Math.ceil(signatures.length / MAX_SIGNATURES) }, (_, index) =>
      signatures.slice(index * MAX_SIGNATURES, (index + 1) * MAX_SIGNATURES),
    );
    const statuses = await Promise.all(pages.map((page) => this.rpc.signatureStatuses(page, { searchTransactionHistory: true })));
    return statuses
      .flat()
      .map((status) => (status === null ? 'missing' : status.confirmationStatus === 'finalized' ? 'finalized' : 'confirmed'));
  }

  private isSettled({ confirmationStatus }: SignatureStatus): boolean {
    return confirmationStatus === 'finalized' || (confirmationStatus === 'confirmed' && this.commitment === 'confirmed');
  }
}
