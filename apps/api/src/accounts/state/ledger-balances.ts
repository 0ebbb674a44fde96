import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { LedgerSums } from '../../ledger';
import { HeldAmounts } from './held-amounts';

/** The sums of an account in the ledger, in micro-USDC. */
export interface LedgerBalance {
  /** The sum of its records. */
  net: bigint;
  /** The part of it that open sessions hold. */
  held: bigint;
  /** The rest, which lies in its token account. */
  balance: bigint;
}

/** Balances of accounts by their ledgers: the sums of records and the held amounts of one snapshot. */
@Injectable()
export class LedgerBalances {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly sums: LedgerSums,
    private readonly heldAmounts: HeldAmounts,
  ) {}

  /** The balance of each account, in the order given. */
  of(accountIds: string[]): Promise<LedgerBalance[]> {
    return this.database.transaction('REPEATABLE READ', async (manager) => {
      const nets = await this.sums.net(accountIds, manager);
      const heldOf = await this.heldAmounts.of(accountIds, manager);
      return accountIds.map((id) => {
        const [net, held] = [nets.get(id) ?? 0n, heldOf(id)];
        return { net, held, balance: net - held };
      });
    });
  }
}
