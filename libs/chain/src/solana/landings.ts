/** Waits for sent transactions: a race of signature seen, block height exceeded and time-out. */
import type { PublicKey, SignatureStatus, TransactionError } from '@solana/web3.js';
import type { SignedTransaction } from '../chain.types';
import type { Rpc } from './rpc';

/** How a transaction ended, or that nobody knows yet. Logs are there where the subscription brought them. */
export type Landing = { kind: 'landed'; slot: number; error: TransactionError | null; logs?: string[] } | { kind: 'expired' } | { kind: 'unknown' };

export type SettlementCommitment = 'confirmed' | 'finalized';

/** How often all waiting signatures are asked for beside the subscription, and sent again. */
const POLL_MS = 400;
const RESEND_MS = 2_000;
/** Most signatures of one `getSignatureStatuses`: agave's limit. */
const MAX_SIGNATURES = 256;

interface Waiting {
  signed: SignedTransaction;
  sentAt: number;
  finish(landing: Landing): void;
}

export class Landings {
  private readonly waiting = new Map<string, Waiting>();
  private polling = false;
  private subscriptions: number[] = [];

  /** `watched`: every transaction that is waited for mentions one of these. */
  constructor(
    private readonly rpc: Rpc,
    private readonly commitment: SettlementCommitment,
    private readonly watched: PublicKey[],
  ) {}

  /** Sends the transaction, sends it again while it may still land, and says how it ended within `timeoutMs`. */
  async settle(signed: SignedTransaction, timeoutMs: number): Promise<Landing> {
    const landed = this.wait(signed, timeoutMs);
    await this.rpc.send(signed.bytes); // whatever the answer: only the chain knows, and the poll asks it
    return landed;
  }

  private wait(signed: SignedTransaction, timeoutMs: number): Promise<Landing> {
    return new Promise((resolve) => {
      const finish = (landing: Landing) => {
        clearTimeout(timer);
        if (this.waiting.delete(signed.signature)) resolve(landing);
      };
      const timer = setTimeout(() => finish({ kind: 'unknown' }), timeoutMs);
      this.waiting.set(signed.signature, { signed, sentAt: performance.now(), finish });
      this.startPolling();
    });
  }

  /** One subscription for all transactions instead of one each, and it brings their logs along. web3.js keeps it alive. */
  listen(): void {
    this.subscriptions = this.watched.map((key) =>
      this.rpc.subscriptions.onLogs(key, ({ signature, err, logs }, { slot }) => this.waiting.get(signature)?.finish({ kind: 'landed', slot, error: err, logs }), this.commitment),
    );
  }

  /** Ends the subscriptions; what still waits is asked for by polling. */
  async close(): Promise<void> {
    await Promise.all(this.subscriptions.map((id) => this.rpc.subscriptions.removeOnLogsListener(id)));
    this.subscriptions = [];
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
    const all = [...this.waiting.values()].slice(0, MAX_SIGNATURES);
    if (all.length === 0) return;
    // The height first: what is not seen by then, and is above its last valid height, has not landed.
    const height = await this.rpc.read('no block height', (connection) => connection.getBlockHeight(this.commitment));
    const statuses = await this.statuses(all.map(({ signed }) => signed.signature));
    const now = performance.now();
    for (const [index, one] of all.entries()) {
      const status = statuses[index];
      if (status && this.isSettled(status)) one.finish({ kind: 'landed', slot: status.slot, error: status.err });
      else if (!status && height > one.signed.lastValidBlockHeight) one.finish({ kind: 'expired' });
      else if (!status && now - one.sentAt > RESEND_MS) {
        one.sentAt = now;
        await this.rpc.send(one.signed.bytes);
      }
    }
  }

  /** How one transaction stands now, history included, without waiting. */
  async look({ signature, lastValidBlockHeight }: Pick<SignedTransaction, 'signature' | 'lastValidBlockHeight'>): Promise<Landing> {
    const height = await this.rpc.read('no block height', (connection) => connection.getBlockHeight('finalized'));
    const [status] = await this.statuses([signature], true);
    if (status) return this.isSettled(status) ? { kind: 'landed', slot: status.slot, error: status.err } : { kind: 'unknown' };
    return { kind: height > lastValidBlockHeight ? 'expired' : 'unknown' };
  }

  private async statuses(signatures: string[], searchTransactionHistory = false): Promise<(SignatureStatus | null)[]> {
    const { value } = await this.rpc.read('no signature statuses', (connection) => connection.getSignatureStatuses(signatures, { searchTransactionHistory }));
    return value;
  }

  private isSettled({ confirmationStatus }: SignatureStatus): boolean {
    return confirmationStatus === 'finalized' || (confirmationStatus === 'confirmed' && this.commitment === 'confirmed');
  }
}
