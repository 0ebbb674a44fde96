import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { isDeepStrictEqual } from 'node:util';
import { DataSource } from 'typeorm';
import { Chain } from '#chain';
import { type Account, AccountsService, FoundAccounts, Memberships, StoredPolicies } from '../accounts';
import { FleetsStore, FoundFleets } from '../fleets';
import { LostCreations } from '../secrets';
import { AuthorityRotationService } from '../key-rotation';
import { SumsComparison } from '../ledger';
import { Clock } from '../runtime/clock';
import { Metrics } from '../runtime/observability/metrics';
import { Backfill, OrderReader, Restores } from '../orders';
import { JobsService } from '../jobs/jobs.service';
import { FleetComparison } from './fleet-windows';
import { type Drift, LedgerComparison } from './ledger-comparison';

const EVERY_MS = 10 * 60_000;
/** Accounts that are compared at once. */
const PAGE = 100;
/** An order that is not final after this is reported. Recovery gives up earlier. */
const UNEXPLAINED_AFTER_MS = 60 * 60_000;

/** The result of a reconciliation. */
export interface ReconciliationReport {
  accounts: number;
  drifts: Drift[];
  /** Accounts whose stored policy differs from the one with the same version on chain. */
  policies: string[];
  /** Orders that had landed, accounts that were created, and accounts whose policy or authority had changed without the database having it. */
  repaired: string[];
  /** Accounts whose authority the service does not have, and whose operator holds its chain key: it must set a new authority. */
  unreachable: string[];
  /** Fleets whose window, reserved amount or number of members is not that of their members. */
  fleets: string[];
  /** Orders that are not final after an hour. */
  unexplained: string[];
  /** Accounts whose sums are not those of their ledger entries, if they were compared. */
  sums: string[];
}

/** Compares the ledger with the chain, to the micro-USDC, and repairs what the chain proves. */
@Injectable()
export class ReconciliationService implements OnModuleInit {
  private readonly logger = new Logger('Reconciliation');

  private adoption: Promise<void> | undefined;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly policies: StoredPolicies,
    private readonly ledgers: LedgerComparison,
    private readonly sums: SumsComparison,
    private readonly orders: OrderReader,
    private readonly backfill: Backfill,
    private readonly restores: Restores,
    private readonly found: FoundAccounts,
    private readonly lost: LostCreations,
    private readonly fleets: FleetsStore,
    private readonly foundFleets: FoundFleets,
    private readonly windows: FleetComparison,
    private readonly memberships: Memberships,
    private readonly authorities: AuthorityRotationService,
    private readonly jobs: JobsService,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.metrics.gauge(
      'reconciliation_drift_accounts',
      'Accounts whose ledger or policy was not what the chain holds, and fleets that differed from their members, when they were last compared.',
      async () => drifting(await this.last()),
    );
    this.metrics.gauge(
      'reconciliation_unexplained_transfers',
      'Transfers without an end, when they were last looked for.',
      async () => (await this.last()).unexplained.length,
    );
    this.lost.register(() => this.adoptIfRestored());
    this.jobs.register({ name: 'reconciliation', everyMs: EVERY_MS, run: async () => void (await this.reconcile()) });
  }

  /**
   * Compares the ledger and the policy of every account with the chain, and with `withSums` the sums with the ledger, which reads every
   * entry. After a restore, and with `fully`, it first writes down what the chain has and the database lacks. Stores and returns the report.
   * @throws ChainUnavailableError
   */
  async reconcile({ withSums = false, fully = false } = {}): Promise<ReconciliationReport> {
    const report: ReconciliationReport = {
      accounts: 0,
      drifts: [],
      policies: [],
      repaired: [],
      unreachable: [],
      unexplained: await this.orders.unresolvedBefore(new Date(this.clock.now().getTime() - UNEXPLAINED_AFTER_MS)),
      sums: [],
      fleets: [],
    };
    const isRestored = fully || (await this.restores.isRecent());
    if (isRestored) report.repaired.push(...(await this.foundFleets.store()), ...(await this.found.store()));
    let last = '';
    for (let page = await this.accounts.openAfter(last, PAGE); page.length > 0; page = await this.accounts.openAfter(last, PAGE)) {
      report.accounts += page.length;
      if (isRestored) await this.completeAfterRestore(page, report);
      for (const account of await this.ledgers.differing(page)) {
        const { repaired, drift } = await this.ledgers.explain(account);
        report.repaired.push(...repaired);
        if (drift) report.drifts.push(drift);
      }
      await this.comparePolicies(await this.withMemberships(page, report), report);
      if (withSums) report.sums.push(...(await this.sums.wrong(page.map(({ id }) => id))));
      last = page.at(-1)?.id ?? '';
    }
    await this.compareFleets(report);
    report.repaired = [...new Set(report.repaired)];
    this.log(report);
    await this.store(report);
    return report;
  }

  /** Once a process, before a creation that may repeat one that is lost: stores the fleets and accounts of the chain. False if no restore is recent. */
  private async adoptIfRestored(): Promise<boolean> {
    if (!(await this.restores.isRecent())) return false;
    this.adoption ??= this.adopt().catch((error: unknown) => {
      this.adoption = undefined;
      throw error;
    });
    await this.adoption;
    return true;
  }

  private async adopt(): Promise<void> {
    await this.foundFleets.store();
    await this.authorities.replaceUnknown(await this.accounts.withIds(await this.found.store()));
  }

  /** Sets authorities that the service has, and writes down the orders that the database lacks. */
  private async completeAfterRestore(accounts: Account[], report: ReconciliationReport): Promise<void> {
    const { replaced, unreachable } = await this.authorities.replaceUnknown(accounts);
    report.repaired.push(...replaced);
    report.unreachable.push(...unreachable);
    for (const account of accounts)
      report.repaired.push(...(await this.backfill.run(await this.accounts.findEver(account.operatorId, account.id), { again: true })));
  }

  private log(report: ReconciliationReport): void {
    for (const { account_id: id, balance_usdc: balance, ledger_usdc: ledger, transactions } of report.drifts) {
      const reason = transactions.join(', ') || 'no transaction explains it';
      this.logger.error(`${id} holds ${balance} USDC, its history says ${ledger}: ${reason}`);
    }
    for (const id of report.policies) this.logger.error(`the policy of ${id} is not the one on chain`);
    for (const id of report.repaired) this.logger.warn(`${id} had changed on chain without the database having it, and is repaired`);
    for (const id of report.unreachable)
      this.logger.error(`the operator of ${id} must set a new authority: this database does not have the present one`);
    for (const id of report.fleets) this.logger.error(`what the members of ${id} spent or reserve is not what the fleet counts on chain`);
    for (const id of report.unexplained) this.logger.error(`${id} is not final`);
    for (const id of report.sums) this.logger.error(`the sums of ${id} are not those of its ledger entries`);
  }

  private async store(report: ReconciliationReport): Promise<void> {
    await this.database.query(
      'INSERT INTO last_reconciliation (finished_at, report) VALUES ($1, $2) ON CONFLICT (only_row) DO UPDATE SET finished_at = $1, report = $2',
      [this.clock.now(), JSON.stringify(report)],
    );
  }

  /** The report of the last reconciliation of any process. */
  private async last(): Promise<ReconciliationReport> {
    const [row]: { report: ReconciliationReport }[] = await this.database.query('SELECT report FROM last_reconciliation');
    if (!row) throw new Error('nothing was compared yet');
    return row.report;
  }

  /** The accounts in the fleets in which the chain shows them: stored if a process died before it did that. */
  private async withMemberships(accounts: Account[], report: ReconciliationReport): Promise<Account[]> {
    const slot = Math.max(...accounts.map(({ observedSlot }) => Number(observedSlot)));
    const onChain = await this.chain.accounts.findMany(
      accounts.map(({ chainAddress }) => chainAddress),
      slot,
    );
    const current: Account[] = [];
    for (const [index, account] of accounts.entries()) {
      const { fleetId, hasOwnPolicy } = account;
      const found = onChain[index];
      const synced = found ? await this.memberships.sync(account, found) : account;
      if (synced.fleetId !== fleetId || synced.hasOwnPolicy !== hasOwnPolicy) report.repaired.push(account.id);
      current.push(synced);
    }
    return current;
  }

  /** Compares policies with the chain. Stores a newer version from the chain, and reports another policy under the same version. */
  private async comparePolicies(accounts: Account[], report: ReconciliationReport): Promise<void> {
    const policies = await this.chain.policies.findMany(accounts.map(({ chainAddress }) => chainAddress));
    for (const [index, account] of accounts.entries()) {
      const policy = policies[index];
      if (!policy && !account.hasOwnPolicy) continue;
      const current = policy && (await this.policies.store(account, policy));
      if (!policy || policy.version < account.policyVersion) report.policies.push(account.id);
      else if (policy.version > account.policyVersion) report.repaired.push(account.id);
      else if (!isDeepStrictEqual(current?.policy, account.policy)) report.policies.push(account.id);
    }
  }

  private async compareFleets(report: ReconciliationReport): Promise<void> {
    let last = '';
    for (let page = await this.fleets.openAfter(last, PAGE); page.length > 0; page = await this.fleets.openAfter(last, PAGE)) {
      for (const { id, chainAddress } of await this.windows.differing(page)) {
        const isClosed = await this.chain.fleets.isClosed(chainAddress);
        if (isClosed) await this.fleets.close(id);
        report[isClosed ? 'repaired' : 'fleets'].push(id);
      }
      last = page.at(-1)?.id ?? '';
    }
  }
}

/** The number of accounts and fleets whose ledger, policy, authority or window differs from the chain. */
export function drifting({
  drifts,
  policies,
  unreachable = [],
  fleets = [],
}: Pick<ReconciliationReport, 'drifts' | 'policies'> & Partial<ReconciliationReport>): number {
  return new Set([...drifts.map(({ account_id }) => account_id), ...policies, ...unreachable, ...fleets]).size;
}
