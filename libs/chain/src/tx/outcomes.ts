/** The outcomes of transactions, by their records and by the state that they changed. */
import { setTimeout } from 'node:timers/promises';
import { ChainOutcomeUnknownError, ChainUnavailableError } from '../chain.errors';
import { type LandedTransaction, readTransaction } from '../history/landed-transaction';
import type { Addresses } from '../program/addresses';
import type { Rpc } from '../rpc/client';
import { explain } from './build';
import type { Landing } from './confirm';
import type { Outcome } from './tx.types';

/** How often the state is read until it shows what has landed: a slow node reports a transaction as confirmed seconds before. */
const SHOWN_POLL_MS = 200;

/** A reading of the state at a node that has reached a slot: true if it shows that an instruction was executed. @throws ChainUnavailableError */
export type Shown = (minContextSlot: number) => Promise<boolean>;

export class TransactionOutcomes {
  constructor(
    private readonly rpc: Rpc,
    private readonly addresses: Addresses,
  ) {}

  /** The outcome of a transaction, with the reason of a failure, from its logs. @throws ChainUnavailableError */
  async of(signature: string, landing: Landing): Promise<Outcome> {
    if (landing.kind !== 'landed') return landing;
    const { slot, error } = landing;
    if (!error) return { kind: 'landed', slot };
    const logs = landing.logs ?? (await this.transaction(signature))?.logs ?? [];
    const reason = explain(this.addresses.programId, error, logs);
    return 'violation' in reason ? { kind: 'violation', slot, ...reason } : { kind: 'failed', slot, ...reason };
  }

  /**
   * The outcome of a transaction that a node reports as landed: landed once the state shows it, or the error of the transaction itself.
   * Reads the state until the deadline, at least once. @throws ChainOutcomeUnknownError
   */
  async confirmShown(
    signature: string,
    slot: number,
    { isShown, deadline }: { isShown: Shown; deadline: number },
  ): Promise<Extract<Outcome, { slot: number }>> {
    let cause: unknown;
    const orUnavailable = (error: unknown): undefined => {
      if (!(error instanceof ChainUnavailableError)) throw error;
      cause = error;
      return undefined;
    };
    for (;;) {
      if (await isShown(slot).catch(orUnavailable)) return { kind: 'landed', slot };
      const outcome = await this.reread(signature).catch(orUnavailable);
      if (outcome?.kind === 'violation' || outcome?.kind === 'failed') return outcome;
      if (performance.now() > deadline) break;
      await setTimeout(SHOWN_POLL_MS);
    }
    throw new ChainOutcomeUnknownError(`${signature} is reported as landed, and the state does not show it`, { cause });
  }

  /** The outcome of a transaction by its record instead of its status; unknown if no node has it. */
  private async reread(signature: string): Promise<Outcome> {
    const transaction = await this.transaction(signature);
    if (!transaction) return { kind: 'unknown' };
    const { slot, error, logs } = transaction;
    return this.of(signature, { kind: 'landed', slot, error, logs });
  }

  private transaction(signature: string): Promise<LandedTransaction | null> {
    return this.rpc.transaction(signature, 'confirmed', (answer) => readTransaction(answer, this.addresses));
  }
}
