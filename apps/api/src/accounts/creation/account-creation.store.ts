import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { hydrate, type Row, type Sql, sql } from '#database';
import { AuditLog } from '../../audit';
import { OutboxService } from '../../events';
import type { Caller } from '../../http/caller';
import { creationKeys, type IdempotencyKeys } from '../../persistence/idempotency';
import { runTransition } from '../../persistence/transition';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import { LostCreations } from '../../secrets';
import { Account } from '../account.entity';
import { AccountExecutions } from './account-executions';

/** The SQL of accounts in creation. A creation key has one account. */
@Injectable()
export class AccountCreationStore {
  private readonly keys: IdempotencyKeys;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly executions: AccountExecutions,
    private readonly lost: LostCreations,
    private readonly audit: AuditLog,
    private readonly outbox: OutboxService,
  ) {
    this.keys = creationKeys(database, clock, { table: 'accounts', isOver: sql`state <> 'creating'` });
  }

  /** Whether an account holds a creation key. */
  async isHeld(operatorId: string, creationKey: string): Promise<boolean> {
    return (await this.keys.holder([operatorId], creationKey)) !== undefined;
  }

  /** Inserts an account, unless its key is in use: then returns the account of the key. */
  async insert(
    caller: Caller,
    draft: Account,
    creationKey: string | undefined,
    creationHash: Buffer,
  ): Promise<{ account: Account; isNew: boolean }> {
    const creationKeyUntil = new Date(this.clock.now().getTime() + this.config.IDEMPOTENCY_TTL_SECONDS * 1000);
    const account = creationKey === undefined ? draft : { ...draft, creationKey, creationHash, creationKeyUntil };
    const { id: object, name, metadata, labels } = draft;
    const insert = (): Promise<Row | undefined> =>
      this.database.transaction(async (manager) => {
        const builder = manager.createQueryBuilder().insert().into(Account).values(account).orIgnore().returning('id');
        const [row] = (await builder.execute()).raw as Row[];
        if (row) await this.audit.record(caller, { action: 'account.created', object, after: { name, metadata, labels } }, manager);
        return row;
      });
    if (creationKey !== undefined) {
      if (!(await this.isHeld(draft.operatorId, creationKey)))
        await this.lost.claim(
          'accounts',
          { ...draft, creationKey, creationHash, creationKeyUntil },
          { name, name_key: draft.nameKey, metadata: JSON.stringify(metadata), labels },
        );
      const { row, isNew } = await this.keys.insertOnce([draft.operatorId], creationKey, insert);
      return { account: isNew ? account : hydrate(this.database, Account, row), isNew };
    }
    if (!(await insert())) throw new Error('the random handle of a new account is in use');
    return { account, isNew: true };
  }

  /** @throws EntityNotFoundError if there is no such account. */
  find(id: string): Promise<Account> {
    return this.database.manager.findOneByOrFail(Account, { id });
  }

  /** Claims an account in creation that no process works on; undefined for another one. */
  async claim(id: string): Promise<Account | undefined> {
    const [account] = await this.claimBy(sql`id = ${id}`, 1);
    return account;
  }

  /** Claims accounts in creation that no process works on. */
  claimOverdue(limit: number): Promise<Account[]> {
    return this.claimBy(sql`true`, limit);
  }

  private async claimBy(where: Sql, limit: number): Promise<Account[]> {
    const rows = await this.executions.lease.claim({ where: sql`state = 'creating' AND ${where}`, limit });
    return rows.map((row) => hydrate(this.database, Account, row));
  }

  /** Stores other addresses, with their MAC. False if another process has changed or created the account. */
  async move({ id, chainAddress: before }: Account, { creator, chainAddress, usdcTokenAccount, mac }: Account): Promise<boolean> {
    const criteria = { id, chainAddress: before, state: 'creating' as const };
    const { affected } = await this.database.manager.update(Account, criteria, { creator, chainAddress, usdcTokenAccount, mac });
    return affected !== 0;
  }

  /** The account exists on chain. False if another process has noted it, or planned the account at another address. */
  async open(account: Account): Promise<boolean> {
    const change = sql`UPDATE accounts SET state = 'open', lease_until = ${this.clock.now()}
      WHERE id = ${account.id} AND chain_address = ${account.chainAddress} AND state = 'creating' RETURNING *`;
    return (await runTransition(this.database, change, { event: this.joined(account) })) !== undefined;
  }

  /** Deletes an account in creation of which nothing was sent. */
  async abandon(id: string): Promise<void> {
    await this.database.manager.delete(Account, { id, state: 'creating' });
  }

  /** The event of an account that is created in a fleet. */
  private joined({ operatorId, id, fleetId }: Account): object | undefined {
    if (fleetId === null) return undefined;
    const data = { fleet_id: fleetId, account_id: id };
    return this.outbox.row({ operatorId, accountId: null, fleetId, type: 'fleet.member_joined', data });
  }
}
