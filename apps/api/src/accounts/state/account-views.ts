import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { And, ArrayContains, DataSource, type FindOperator, LessThan, MoreThanOrEqual } from 'typeorm';
import { Chain, ChainUnavailableError } from '#chain';
import { FleetReader } from '../../fleets';
import { NotFound } from '../../http/domain.errors';
import { pageWindow, toPage, type Page } from '../../lists/pages';
import { formatUsdc } from '../../money/usdc';
import { PolicyService } from '../../policy';
import { Clock } from '../../runtime/clock';
import { Account, addressesOf } from '../account.entity';
import {
  accountView,
  spendingView,
  type AccountView,
  type BalanceView,
  type ListAccountsQuery,
  type Snapshot,
  type SpendingView,
} from '../accounts.dto';
import { AccountsService } from '../accounts.service';
import { StoredPolicies } from '../policies/stored-policies';
import { HeldAmounts } from './held-amounts';

/** How often the time of an unchanged balance is updated. */
const STORE_BALANCE_EVERY_MS = 10_000;
/** How often spending and policy are read until they are of one version. */
const MAX_SPENDING_READS = 3;

/** Accounts as the API shows them: with their balances and policies on chain, or as these were last read. */
@Injectable()
export class AccountViews {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly stored: StoredPolicies,
    private readonly policies: PolicyService,
    private readonly held: HeldAmounts,
    private readonly fleets: FleetReader,
  ) {}

  async show(operatorId: string, id: string): Promise<AccountView> {
    const account = await this.accounts.find(operatorId, id);
    return this.view(account);
  }

  /** The account with its balance and policy on chain. @throws ChainUnavailableError */
  async view(account: Account): Promise<AccountView> {
    const [snapshot] = await this.snapshots([account]);
    if (!snapshot) throw new NotFound('There is no such account.');
    return accountView(account, snapshot);
  }

  async balance(operatorId: string, id: string): Promise<BalanceView> {
    const account = await this.accounts.find(operatorId, id);
    const [balance] = await this.chain.accounts.balances([account.usdcTokenAccount], Number(account.observedSlot));
    await this.storeBalance(account, balance ?? 0n);
    const held = (await this.held.of([id]))(id);
    const last_updated = this.clock.now().toISOString();
    return { account_id: id, balance_usdc: formatUsdc(balance ?? 0n), held_usdc: formatUsdc(held), last_updated };
  }

  async spending(operatorId: string, id: string): Promise<SpendingView> {
    const account = await this.accounts.find(operatorId, id);
    const fleet = account.fleetId === null ? undefined : await this.fleets.spending(operatorId, account.fleetId);
    for (let tries = 1; ; tries++) {
      const [spending, policy] = await Promise.all([
        this.chain.accounts.spending(addressesOf(account), Number(account.observedSlot)),
        this.stored.read(account),
      ]);
      // A policy that changes between the two reads is read again, so that the numbers and the rules are of one version.
      if (spending.policyVersion !== policy.version && tries < MAX_SPENDING_READS) continue;
      const held = (await this.held.of([id]))(id);
      return spendingView(account, spending, { held, policy: (await this.stored.store(account, policy)).policy, fleet });
    }
  }

  /** A page of accounts, newest first. While the chain is unavailable, with the stored balances and the time they were read. */
  async list(operatorId: string, query: ListAccountsQuery): Promise<Page<AccountView>> {
    const { where, ...window } = pageWindow(query);
    const status = query.status === undefined ? {} : { paused: query.status === 'paused' };
    const name = query.name === undefined ? {} : { nameKey: beginsWith(query.name.toLowerCase()) };
    const labels = query.label === undefined ? {} : { labels: ArrayContains(query.label) };
    const fleet = query.fleet_id === undefined ? {} : { fleetId: query.fleet_id };
    const accounts = await this.database.manager.find(Account, {
      ...window,
      where: { ...where, ...status, ...name, ...labels, ...fleet, operatorId, state: 'open' },
    });
    const snapshots = await this.snapshotsOrStored(accounts);
    const known = new Map(accounts.map((account, index) => [account.id, snapshots[index]]));
    return toPage(accounts, query, (account) => accountView(account, known.get(account.id) ?? stored(account, 0n)));
  }

  /** An account as the list shows it, also while the chain is unavailable. */
  async listedView(account: Account): Promise<AccountView> {
    const [snapshot = stored(account, 0n)] = await this.snapshotsOrStored([account]);
    return accountView(account, snapshot);
  }

  private async snapshotsOrStored(accounts: Account[]): Promise<Snapshot[]> {
    try {
      return await this.snapshots(accounts);
    } catch (error) {
      if (!(error instanceof ChainUnavailableError)) throw error;
      const held = await this.held.of(accounts.map(({ id }) => id));
      return accounts.map((account) => stored(account, held(account.id)));
    }
  }

  /** Stores a balance that was read from the chain, unless the same one was stored a short time ago. */
  private async storeBalance({ id, balanceMicroUsdc, balanceAsOf }: Account, balance: bigint): Promise<void> {
    const now = this.clock.now();
    if (balance === balanceMicroUsdc && now.getTime() - balanceAsOf.getTime() < STORE_BALANCE_EVERY_MS) return;
    await this.database.query('UPDATE accounts SET balance_micro_usdc = $2, balance_as_of = $3 WHERE id = $1', [
      id,
      balance.toString(),
      now,
    ]);
  }

  /** Reads balances and policies from the chain, by one request each, and stores them for times when it is unavailable. */
  private async snapshots(accounts: Account[]): Promise<Snapshot[]> {
    if (accounts.length === 0) return [];
    const [balances, policies, held] = await Promise.all([
      this.chain.accounts.balances(
        accounts.map((account) => account.usdcTokenAccount),
        Math.max(...accounts.map((account) => Number(account.observedSlot))),
      ),
      this.policies.readMany(accounts.map((account) => account.chainAddress)),
      this.held.of(accounts.map(({ id }) => id)),
    ]);
    return Promise.all(
      accounts.map(async (account, index): Promise<Snapshot> => {
        const [balance, policy] = [balances[index] ?? 0n, policies[index]];
        await this.storeBalance(account, balance);
        if (!policy && account.hasOwnPolicy) await this.accounts.noteMissing(account.id);
        return {
          balance,
          held: held(account.id),
          policy: policy ? (await this.stored.store(account, policy)).policy : account.policy,
        };
      }),
    );
  }
}

/** A range of texts that begin with a prefix. Its column sorts by code points, so that the range is one of its index. */
function beginsWith(prefix: string): FindOperator<string> {
  return And(MoreThanOrEqual(prefix), LessThan(`${prefix}\u{10ffff}`));
}

/** The balance and the policy as they were last read. */
function stored({ balanceMicroUsdc, policy, balanceAsOf }: Account, held: bigint): Snapshot {
  return { balance: balanceMicroUsdc, held, policy, asOf: balanceAsOf };
}
