/** Waits for sent transactions: a race of signature seen, block height exceeded and time-out. */
import type { SignatureStatus, TransactionError } from '@solana/web3.js';
import type { SettlementCommitment, SignedTransaction } from './tx.types';
import type { LoggedTransaction } from '../rpc/subscription';
import type { Rpc } from '../rpc/client';

/** How a transaction ended, or that nobody knows yet. Logs are there where the subscription brought them. */
export type Landing =
  | { kind: 'landed'; slot: number; error: TransactionError | null; logs?: string[] }
  | { kind: 'expired' }
  | { kind: 'unknown' }
  | { kind: 'not_sent' };

/** How often all waiting signatures are asked for beside what is noticed, and sent again. */
const POLL_MS = 400;
const RESEND_MS = 2_000;
/** Most signatures of one `getSignatureStatuses`: agave's limit. */
const MAX_SIGNATURES = 256;

interface Waiting {
  signed: SignedTransaction;
  sentAt: number;
  /** All who want to know. */
  waiters: Set<(landing: Landing) => void>;
}

export class Landings {
  private readonly waiting = new Map<string, Waiting>();
  private polling = false;

  constructor(
    private readonly rpc: Rpc,
    private readonly commitment: SettlementCommitment,
  ) {}

  /** Sends the transaction, sends it again while it may still land, and says how it ended within `timeoutMs`. */
  async settle(signed: SignedTransaction, timeoutMs: number, onSent?: () => void): Promise<Landing> {
    const landed = this.wait(signed, timeoutMs);
    const sent = await this.rpc.send(signed.bytes);
    // Whatever else was answered: only the chain knows, and the poll asks it.
    if (sent !== 'unreachable') onSent?.();
    else this.finish(signed.signature, { kind: 'not_sent' });
    return landed;
  }

  private wait(signed: SignedTransaction, timeoutMs: number): Promise<Landing> {
    return new Promise((resolve) => {
      const one = this.waiting.get(signed.signature) ?? { signed, sentAt: performance.now(), waiters: new Set() };
      const tell = (landing: Landing) => {
        clearTimeout(timer);
        one.waiters.delete(tell);
        if (one.waiters.size === 0) this.waiting.delete(signed.signature);
        resolve(landing);
      };
      const timer = setTimeout(() => tell({ kind: 'unknown' }), timeoutMs);
      one.waiters.add(tell);
      this.waiting.set(signed.signature, one);
      this.startPolling();
    });
  }

  private finish(signature: string, landing: Landing): void {
    for (const tell of [...(this.waiting.get(signature)?.waiters ?? [])]) tell(landing);
  }

  /** Somebody has seen a transaction land. */
  notice({ signature, ...landing }: LoggedTransaction): void {
    this.finish(signature, { kind: 'landed', ...landing });
  }

  private startPolling(): void {
    if (this.polling) return;
    this.polling = true;
    const round = async () => {
      await this.poll().catch(() => undefined); // unreachable: asked again in the next round, until the time is up
      if (this.waiting.size > 0) setTimeout(() => void round(), POLL_MS);
      else this.polling = false;
    };
    setTimeout(() => void round(), POLL_MS);
  }

  private async poll(): Promise<void> {
    const all = [...this.waiting.values()];
    for (let from = 0; from < all.length; from += MAX_SIGNATURES) await this.pollSome(all.slice(from, from + MAX_SIGNATURES));
  }

  private async pollSome(some: Waiting[]): Promise<void> {
    // The height first: what is not seen by then, and is above its last valid height, has not landed.
    const height = await this.rpc.read('no block height', (connection) => connection.getBlockHeight(this.commitment));
    const statuses = await this.statuses(some.map(({ signed }) => signed.signature));
    const now = performance.now();
    const unseen = some.filter(({ signed }, index) => {
      const status = statuses[index];
      if (status && this.isSettled(status)) this.finish(signed.signature, { kind: 'landed', slot: status.slot, error: status.err });
      else if (!status && height > signed.lastValidBlockHeight) this.finish(signed.signature, { kind: 'expired' });
      return !status;
    });
    const overdue = unseen.filter(({ signed, sentAt }) => this.waiting.has(signed.signature) && now - sentAt > RESEND_MS);
    await Promise.all(
      overdue.map((one) => {
        one.sentAt = now;
        return this.rpc.send(one.signed.bytes);
      }),
    );
  }

  /** How one transaction stands now, history included, without waiting. */
  async look({ signature, lastValidBlockHeight }: Pick<SignedTransaction, 'signature' | 'lastValidBlockHeight'>): Promise<Landing> {
    const height = await this.rpc.read('no block height', (connection) => connection.getBlockHeight('finalized'));
    const [status] = await this.statuses([signature], true);
    if (status) return this.isSettled(status) ? { kind: 'landed', slot: status.slot, error: status.err } : { kind: 'unknown' };
    return { kind: height > lastValidBlockHeight ? 'expired' : 'unknown' };
  }

  private async statuses(signatures: string[], searchTransactionHistory = false): Promise<(SignatureStatus | null)[]> {
    const { value } = await this.rpc.read('no signature statuses', (connection) =>
      connection.getSignatureStatuses(signatures, { searchTransactionHistory }),
    );
    return value;
  }

  private isSettled({ confirmationStatus }: SignatureStatus): boolean {
    return confirmationStatus === 'finalized' || (confirmationStatus === 'confirmed' && this.commitment === 'confirmed');
  }
}
