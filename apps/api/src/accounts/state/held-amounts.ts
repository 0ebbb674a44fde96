import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';

/** Amounts of accounts that lie elsewhere than in their token accounts. The feature that holds them registers itself. */
export interface Holder {
  /** Micro-USDC by account. An account without any is missing. */
  held(accountIds: string[], manager: EntityManager): Promise<Map<string, bigint>>;
}

/** The amount that open sessions hold of accounts. It is the accounts' own: balance and held amount together are the sum of the records. */
@Injectable()
export class HeldAmounts {
  private readonly holders: Holder[] = [];

  constructor(@InjectDataSource() private readonly database: DataSource) {}

  register(holder: Holder): void {
    this.holders.push(holder);
  }

  /** The held amount of each account, in micro-USDC. With a `manager` of its snapshot. */
  async of(accountIds: string[], manager: EntityManager = this.database.manager): Promise<(accountId: string) => bigint> {
    const parts = await Promise.all(this.holders.map((holder) => holder.held(accountIds, manager)));
    return (accountId) => parts.reduce((sum, part) => sum + (part.get(accountId) ?? 0n), 0n);
  }
}
