/** Accounts as recipients of money: an account counts only if the service stored its addresses as they are. */
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { hydrate, isId, type Row, SharedStatements } from '#database';
import { NotFound } from '../../http/domain.errors';
import { AccountMacs } from './account-macs';
import { Account } from '../account.entity';
import { AccountsService } from '../accounts.service';

const PARTIES = `
  SELECT payer.*, recipient.id AS recipient_id, recipient.operator_id AS recipient_operator_id, recipient.handle AS recipient_handle,
         recipient.creator AS recipient_creator, recipient.chain_address AS recipient_chain_address,
         recipient.usdc_token_account AS recipient_token_account, recipient.allowed_hosts AS recipient_allowed_hosts, recipient.fleet_id AS recipient_fleet_id,
         recipient.mac AS recipient_mac
  FROM accounts payer LEFT JOIN accounts recipient
    ON recipient.state = 'open' AND (
      (recipient.id = $3 AND recipient.operator_id = $2) OR (recipient.handle = $3 AND recipient.operator_id = $2)
      OR recipient.usdc_token_account = $3)
  WHERE payer.id = $1 AND payer.operator_id = $2 AND payer.state = 'open'`;

/** Accounts of one name that an error lists. */
const MAX_NAMESAKES = 5;

@Injectable()
export class AccountRecipients {
  private readonly lookups: SharedStatements;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly macs: AccountMacs,
  ) {
    this.lookups = new SharedStatements(database);
  }

  /**
   * The paying account, and the account of this service that `recipient` names, if any: an account of the same operator by its id or
   * handle, or any account by its token account. An account counts only if the service stored its addresses. One statement, because
   * every transfer begins with it. @throws NotFound for the paying account.
   */
  async parties(
    operatorId: string,
    payerId: string,
    recipient: string,
  ): Promise<{ payer: Account; recipient: { id: string; usdcTokenAccount: string } | null }> {
    const [row] = isId('acct', payerId) ? await this.lookups.execute({ text: PARTIES, values: [payerId, operatorId, recipient] }) : [];
    if (!row) throw new NotFound('There is no such account.');
    return { payer: hydrate(this.database, Account, row), recipient: row.recipient_id === null ? null : this.genuineRecipient(row) };
  }

  /** The operator's open account with this id or handle, to send money to. */
  async findNamed(operatorId: string, name: string): Promise<Account | null> {
    const own = { operatorId, state: 'open' as const };
    const account = await this.database.manager.findOneBy(Account, [
      { ...own, id: name },
      { ...own, handle: name },
    ]);
    return account && this.macs.isGenuine(account) ? account : null;
  }

  /** The operator's open accounts among `ids`, to send money to. */
  async findMany(operatorId: string, ids: string[]): Promise<Account[]> {
    return (await this.accounts.findMany(operatorId, ids)).filter((account) => this.macs.isGenuine(account));
  }

  /** The first of the operator's open accounts with this name, whatever its letters' case. */
  withName(operatorId: string, name: string): Promise<Account[]> {
    return this.database.manager.find(Account, {
      where: { operatorId, nameKey: name.toLowerCase(), state: 'open' },
      order: { id: 'ASC' },
      take: MAX_NAMESAKES,
    });
  }

  private genuineRecipient(row: Row): { id: string; usdcTokenAccount: string } | null {
    const recipient = {
      id: String(row.recipient_id),
      operatorId: String(row.recipient_operator_id),
      handle: String(row.recipient_handle),
      creator: String(row.recipient_creator),
      chainAddress: String(row.recipient_chain_address),
      usdcTokenAccount: String(row.recipient_token_account),
      allowedHosts: row.recipient_allowed_hosts as string[] | null,
      fleetId: row.recipient_fleet_id as string | null,
      mac: row.recipient_mac as Buffer | null,
    };
    return this.macs.isGenuine(recipient) ? recipient : null;
  }
}
