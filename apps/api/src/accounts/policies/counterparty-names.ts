import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { GivenCounterparty } from '../../policy';
import { CounterpartyName } from './counterparty-name.entity';

/** The names by which operators gave the counterparties of their policies. */
@Injectable()
export class CounterpartyNames {
  constructor(@InjectDataSource() private readonly database: DataSource) {}

  /** The counterparties of the account's policies as they were given, in the order of the last list that names them. */
  of(accountId: string): Promise<GivenCounterparty[]> {
    return this.database.manager.find(CounterpartyName, { where: { accountId }, order: { place: 'ASC' } });
  }

  /** Adds the names of a list, in its order. Those of a policy change that fails are never read. */
  async store(accountId: string, names: GivenCounterparty[]): Promise<void> {
    if (names.length === 0) return;
    await this.database.manager.upsert(
      CounterpartyName,
      names.map((name, place) => ({ accountId, ...name, place })),
      ['accountId', 'address'],
    );
  }
}
