import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AuditLog } from '../../audit';
import { IsHostListOrNull, normalizedHosts } from '../../egress/allowed-hosts';
import type { Caller } from '../../http/caller';
import { Conflict } from '../../http/domain.errors';
import { Clock } from '../../runtime/clock';
import { AccountMacs } from '../recipients/account-macs';
import { Account } from '../account.entity';
import { AccountsService } from '../accounts.service';

export class PutHostsDto {
  /**
   * The hosts that the account may pay, at most 100: `api.example.com` with every port, `api.example.com:8443` with one, `*.example.com` all below
   * `example.com`. An empty list allows none, null all.
   */
  @IsHostListOrNull()
  hosts: string[] | null;
}

/** The hosts that an account may pay. */
export interface HostsView {
  account_id: string;
  hosts: string[] | null;
  /** When the list was set; null if it never was. */
  updated_at: string | null;
}

/** The answer to a dry run of a change of the hosts. */
export interface HostsDryRunView extends HostsView {
  dry_run: true;
  /** One sentence for what changes. */
  changes: string[];
}

/** The hosts that accounts may pay. The service enforces them, and not the chain. */
@Injectable()
export class AccountHostsService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly macs: AccountMacs,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @throws NotFound */
  async show(operatorId: string, id: string): Promise<HostsView> {
    return viewOf(await this.accounts.find(operatorId, id));
  }

  /** The list as it would be. Nothing is stored. @throws NotFound */
  async dryRun(operatorId: string, id: string, { hosts }: PutHostsDto): Promise<HostsDryRunView> {
    const account = await this.accounts.find(operatorId, id);
    const [before, after] = [worded(account.allowedHosts), worded(hosts && normalizedHosts(hosts))];
    const view = viewOf({ ...account, allowedHosts: hosts && normalizedHosts(hosts) });
    return { dry_run: true, ...view, changes: before === after ? [] : [`The hosts that it may pay change from ${before} to ${after}.`] };
  }

  /** Replaces the list. @throws NotFound; Conflict for a row that was changed outside of the service, which must not get a code. */
  async put(caller: Caller, id: string, { hosts }: PutHostsDto): Promise<HostsView> {
    const { id: accountId } = await this.accounts.find(caller.operatorId, id);
    return this.database.transaction(async (manager) => {
      const before = await manager.findOneOrFail(Account, { where: { id: accountId }, lock: { mode: 'for_no_key_update' } });
      if (!this.macs.isGenuine(before))
        throw new Conflict('This account was changed in the database by another than the service.', before.state);
      const changed = { allowedHosts: hosts && normalizedHosts(hosts), allowedHostsUpdatedAt: this.clock.now() };
      const after = Object.assign(new Account(), before, changed);
      await manager.update(Account, { id: accountId }, { ...changed, mac: this.macs.of(after) });
      const audited = { before: { hosts: before.allowedHosts }, after: { hosts: after.allowedHosts } };
      await this.audit.record(caller, { action: 'account.hosts_changed', object: accountId, ...audited }, manager);
      return viewOf(after);
    });
  }
}

function viewOf({ id, allowedHosts, allowedHostsUpdatedAt }: Account): HostsView {
  return { account_id: id, hosts: allowedHosts, updated_at: allowedHostsUpdatedAt?.toISOString() ?? null };
}

function worded(hosts: readonly string[] | null): string {
  if (hosts === null) return 'all';
  return hosts.length === 0 ? 'none' : hosts.join(', ');
}
