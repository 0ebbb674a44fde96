import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CounterpartyName } from './counterparty-name.entity';

/** How operators named the counterparties of their policies. */
@Injectable()
export class CounterpartyNames {
  constructor(@InjectDataSource() private readonly database: DataSource) {}

  /** A function from an address of the account's policy to the name that was given for it, by default the address. */
  async of(accountId: string): Promise<(address: string) => string> {
    const rows = await this.database.manager.findBy(CounterpartyName, { accountId });
    const given = new Map(rows.map((row) => [row.address, row.given]));
    return (address) => given.get(address) ?? address;
  }

  /** Adds names. Those of a policy change that fails are never read. */
  async store(accountId: string, names: { address: string; given: string }[]): Promise<void> {
    if (names.length === 0) return;
    await this.database.manager.upsert(
      CounterpartyName,
      names.map((name) => ({ accountId, ...name })),
      ['accountId', 'address'],
    );
  }
}
