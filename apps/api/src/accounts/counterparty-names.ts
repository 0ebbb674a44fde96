import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CounterpartyName } from './counterparty-name.entity';

/** Remembers how counterparties were named. */
@Injectable()
export class CounterpartyNames {
  constructor(@InjectDataSource() private readonly database: DataSource) {}

  /** Gives each address of an account's policy back as it was given; one that nobody named is its own name. */
  async of(accountId: string): Promise<(address: string) => string> {
    const rows = await this.database.manager.findBy(CounterpartyName, { accountId });
    const given = new Map(rows.map((row) => [row.address, row.given]));
    return (address) => given.get(address) ?? address;
  }

  /** Adds to what is known; a name of a policy that did not come to be is never asked for. */
  async remember(accountId: string, names: { address: string; given: string }[]): Promise<void> {
    if (names.length === 0) return;
    await this.database.manager.upsert(
      CounterpartyName,
      names.map((name) => ({ accountId, ...name })),
      ['accountId', 'address'],
    );
  }
}
