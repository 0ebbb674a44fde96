import { Injectable } from '@nestjs/common';
import { Chain, ChainUnavailableError } from '#chain';

/** Transactions that name a delegate and are read: strangers may name it too. */
const MAX_TRANSACTIONS = 100;

/** The transaction that paid a charge. */
export interface ChargeTransaction {
  signature: string;
  /** The slot in which it landed. */
  slot: number;
  /** The token account that was credited; null if the history does not show it. */
  destination: string | null;
}

/** Finds the transactions in which the delegates of charges moved money. */
@Injectable()
export class ChargeTransactions {
  constructor(private readonly chain: Chain) {}

  /**
   * The first transaction in which the delegate moved anything, at the settlement commitment; undefined if there is none. Only the
   * approval and the payment name the delegate, unless strangers do. A node that has pruned the payment does not show it. @throws ChainUnavailableError
   */
  async first(
    tokenAccount: string,
    { delegate, approval }: { delegate: string; approval: string | null },
  ): Promise<ChargeTransaction | undefined> {
    const { signatures } = await this.chain.history.signaturesSince(delegate, approval);
    for (const signature of signatures.slice(0, MAX_TRANSACTIONS)) {
      const [moved] = await this.chain.history.movedBy(delegate, tokenAccount, signature);
      if (moved) return { signature, slot: moved.slot, destination: moved.destination };
    }
    return undefined;
  }

  /** Like `first`, for a charge that is known to be paid. @throws ChainUnavailableError also while the history does not show it. */
  async require(tokenAccount: string, charge: { delegate: string; approval: string | null }): Promise<ChargeTransaction> {
    const found = await this.first(tokenAccount, charge);
    if (!found) throw new ChainUnavailableError('a charge was paid, and the history does not show by what yet');
    return found;
  }
}
