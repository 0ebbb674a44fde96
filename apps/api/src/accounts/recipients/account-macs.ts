/**
 * Message authentication codes of accounts: money that is sent to an id or a handle goes to the addresses that the service stored, and
 * allowed hosts are those that an operator set.
 */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { hydrate, type Row } from '#database';
import { RowMacs } from '../../secrets';
import { Account } from '../account.entity';

const BATCH = 500;

type Addressed = Pick<
  Account,
  'id' | 'operatorId' | 'handle' | 'creator' | 'chainAddress' | 'usdcTokenAccount' | 'fleetId' | 'allowedHosts'
>;

@Injectable()
export class AccountMacs implements OnModuleInit {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly macs: RowMacs,
  ) {}

  onModuleInit(): void {
    this.macs.register((options) => this.rewrite(options));
  }

  /** The code of an account: over its names, its addresses, its fleet and its allowed hosts. */
  of(account: Addressed): Buffer {
    return this.macs.of('account', factsOf(account));
  }

  /** Whether the service stored names, addresses and allowed hosts as they are. */
  isGenuine(account: Addressed & Pick<Account, 'mac'>): boolean {
    return this.macs.isGenuine('account', factsOf(account), account.mac);
  }

  /**
   * Writes the code of every account under the present key: of those that are genuine under the previous one, and with `areTrusted` of
   * those without any. Returns how many were written.
   */
  private async rewrite({ areTrusted }: { areTrusted: boolean }): Promise<number> {
    let written = 0;
    let after = '';
    for (;;) {
      const rows: Row[] = await this.database.query(`SELECT * FROM accounts WHERE id > $1 ORDER BY id LIMIT ${BATCH}`, [after]);
      for (const account of rows.map((row) => hydrate(this.database, Account, row))) {
        const mac = this.macs.renewed('account', factsOf(account), account.mac, areTrusted);
        after = account.id;
        if (!mac) continue;
        await this.database.query('UPDATE accounts SET mac = $2 WHERE id = $1 AND mac IS NOT DISTINCT FROM $3', [
          account.id,
          mac,
          account.mac,
        ]);
        written++;
      }
      if (rows.length < BATCH) return written;
    }
  }
}

function factsOf({ id, operatorId, handle, creator, chainAddress, usdcTokenAccount, fleetId, allowedHosts }: Addressed): unknown[] {
  const optional = [...(allowedHosts === null ? [] : [allowedHosts]), ...(fleetId === null ? [] : [fleetId])];
  return [id, operatorId, handle, creator, chainAddress, usdcTokenAccount, ...optional];
}
