import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { DataSource, In, MoreThan } from 'typeorm';
import { Chain, ChainUnavailableError, LocalSigner, type ChainPolicy, type Signer } from '#chain';
import { hydrate, isId, runPrepared, sql } from '#database';
import { Clock } from '../runtime/clock';
import { NotFound } from '../http/domain.errors';
import { formatUsdc } from '../money/usdc';
import { pageWindow, toPage, type Page } from '../http/pages';
import { OperatorsService } from '../keys';
import { EncryptionService } from '../secrets';
import { policyFields, PolicyService } from '../policy';
import { LedgerService, type NewLedgerEntry } from '../ledger';
import { runTransition } from '../persistence/transition';
import { Account } from './account.entity';
import {
  accountView,
  spendingView,
  type AccountView,
  type BalanceView,
  type ListAccountsQuery,
  type Snapshot,
  type SpendingView,
} from './accounts.dto';
import { CounterpartyNames } from './counterparty-names';

const PARTIES = `
  SELECT payer.*, recipient.id AS recipient_id, recipient.usdc_token_account AS recipient_token_account
  FROM accounts payer LEFT JOIN accounts recipient
    ON recipient.state = 'open' AND ((recipient.id = $3 AND recipient.operator_id = $2) OR recipient.usdc_token_account = $3)
  WHERE payer.id = $1 AND payer.operator_id = $2 AND payer.state = 'open'`;

/** A balance that did not change is noted as seen again after this. */
const BALANCE_NOTED_EVERY_MS = 10_000;
/** A key that was changed between reading the chain and reading the row is looked for so often. */
const MAX_SIGNER_TRIES = 3;

const MAX_OPEN_AUTHORITIES = 1_000;

/** Reads accounts: the row says who they are, the chain what they hold. */
@Injectable()
export class AccountsService {
  /** By their sealed form, which is another one after a rotation. */
  private readonly authorities = new LRUCache<string, Signer>({ max: MAX_OPEN_AUTHORITIES });

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly policies: PolicyService,
    private readonly encryption: EncryptionService,
    private readonly operators: OperatorsService,
    private readonly names: CounterpartyNames,
    private readonly ledger: LedgerService,
  ) {}

  /** An operator's account that exists on chain. @throws NotFound, also for another operator's. */
  async find(operatorId: string, id: string): Promise<Account> {
    const [row] = isId('acct', id)
      ? await runPrepared(this.database, `SELECT * FROM accounts WHERE id = $1 AND operator_id = $2 AND state = 'open'`, [id, operatorId])
      : [];
    if (!row) throw new NotFound('There is no such account.');
    return hydrate(this.database, Account, row);
  }

  /** The same, also when it is closed by now: for what was ordered before. */
  async findEver(operatorId: string, id: string): Promise<Account> {
    const [row] = await runPrepared(this.database, `SELECT * FROM accounts WHERE id = $1 AND operator_id = $2 AND state <> 'creating'`, [
      id,
      operatorId,
    ]);
    if (!row) throw new NotFound('There is no such account.');
    return hydrate(this.database, Account, row);
  }

  /** Those of `ids` that are the operator's. */
  async findMany(operatorId: string, ids: string[]): Promise<Account[]> {
    const wellFormed = ids.filter((id) => isId('acct', id));
    return wellFormed.length === 0 ? [] : this.database.manager.findBy(Account, { id: In(wellFormed), operatorId, state: 'open' });
  }

  /**
   * The paying account, and the account of this service that `recipient` names, if it does: one of the same operator by its
   * id, or anybody's by its token account. One statement, for every transfer begins with it. @throws NotFound
   */
  async findParties(
    operatorId: string,
    payerId: string,
    recipient: string,
  ): Promise<{ payer: Account; recipient: { id: string; usdcTokenAccount: string } | null }> {
    const [row] = isId('acct', payerId) ? await runPrepared(this.database, PARTIES, [payerId, operatorId, recipient]) : [];
    if (!row) throw new NotFound('There is no such account.');
    const isOurs = row.recipient_id !== null;
    return {
      payer: hydrate(this.database, Account, row),
      recipient: isOurs ? { id: String(row.recipient_id), usdcTokenAccount: String(row.recipient_token_account) } : null,
    };
  }

  async show(operatorId: string, id: string): Promise<AccountView> {
    const account = await this.find(operatorId, id);
    return this.view(account);
  }

  /** With what the chain holds now. */
  async view(account: Account): Promise<AccountView> {
    const [snapshot] = await this.snapshots([account]);
    if (!snapshot) throw new NotFound('There is no such account.');
    return accountView(account, snapshot);
  }

  /** One that is no longer on chain, with the policy that it had. */
  closedView(account: Account): AccountView {
    return { ...accountView(account, { balance: 0n, policy: account.policy }), status: 'closed' };
  }

  async balance(operatorId: string, id: string): Promise<BalanceView> {
    const account = await this.find(operatorId, id);
    const [balance] = await this.chain.accounts.balances([account.usdcTokenAccount], Number(account.changedSlot));
    await this.rememberBalance(account, balance ?? 0n);
    return { account_id: account.id, balance_usdc: formatUsdc(balance ?? 0n), last_updated: this.clock.now().toISOString() };
  }

  async spending(operatorId: string, id: string): Promise<SpendingView> {
    const account = await this.find(operatorId, id);
    const addresses = { address: account.chainAddress, tokenAccount: account.usdcTokenAccount };
    return spendingView(account, await this.chain.accounts.spending(addresses, Number(account.changedSlot)));
  }

  /** Open accounts of all operators in the order of their ids, after one of them: for work that goes through all. */
  openAfter(id: string, limit: number): Promise<Account[]> {
    return this.database.manager.find(Account, { where: { state: 'open', id: MoreThan(id) }, order: { id: 'ASC' }, take: limit });
  }

  /** A page of accounts, newest first. While the chain is away: with what was last known, and since when. */
  async list(operatorId: string, query: ListAccountsQuery): Promise<Page<AccountView>> {
    const { where, ...window } = pageWindow(query);
    const status = query.status === undefined ? {} : { paused: query.status === 'paused' };
    const accounts = await this.database.manager.find(Account, { ...window, where: { ...where, ...status, operatorId, state: 'open' } });
    const snapshots = await this.snapshots(accounts).catch((error: unknown) => {
      if (!(error instanceof ChainUnavailableError)) throw error;
      return accounts.map(
        (account): Snapshot => ({ balance: account.balanceMicroUsdc, policy: account.policy, asOf: account.balanceAsOf }),
      );
    });
    const known = new Map(accounts.map((account, index) => [account.id, snapshots[index]]));
    return toPage(accounts, query, (account) =>
      accountView(
        account,
        known.get(account.id) ?? { balance: account.balanceMicroUsdc, policy: account.policy, asOf: account.balanceAsOf },
      ),
    );
  }

  /** The signer of an account's authority. Cached: decrypting a key takes as long as ten signatures. */
  authority({ id, authorityKey, authorityKeySealed }: Account): Signer {
    const open =
      this.authorities.get(authorityKeySealed) ??
      LocalSigner.fromSeed(this.encryption.unseal('account-authority', id, authorityKeySealed), authorityKey);
    this.authorities.set(authorityKeySealed, open);
    return open;
  }

  /** The signers of an order: the account's authority, and the operator where it approved the order. */
  signers(account: Account, approver: Signer | null): Signer[] {
    return [this.authority(account), ...(approver ? [approver] : [])];
  }

  /** Signs as the operator of an account, with the key that the chain names. @throws NotFound when it is closed. */
  async operatorOf({ operatorId, chainAddress }: Account): Promise<Signer> {
    for (let tries = 0; tries < MAX_SIGNER_TRIES; tries++) {
      const onChain = await this.chain.accounts.find(chainAddress);
      if (!onChain) throw new NotFound('There is no such account.');
      const signer = await this.operators.signer(operatorId, onChain.operator);
      if (signer) return signer;
    }
    throw new Error(`the operator of ${chainAddress} on chain is none of ${operatorId}'s keys`);
  }

  /**
   * The account as it is now, if the chain obeys keys that are ours: a rotation that reached the chain and not yet the row is
   * finished by the way. Undefined when it obeys others, or is closed.
   */
  async withCurrentKeys({ operatorId, id, chainAddress }: Account): Promise<Account | undefined> {
    const onChain = await this.chain.accounts.find(chainAddress);
    if (!onChain || !(await this.operators.signer(operatorId, onChain.operator))) return undefined;
    await this.promoteAuthority(id, onChain.authority);
    const account = await this.findEver(operatorId, id);
    return account.authorityKey === onChain.authority ? account : undefined;
  }

  /** The chain obeys this key: if it is the pending one, it is current from now on. */
  async promoteAuthority(id: string, key: string): Promise<void> {
    await this.database.query(
      `UPDATE accounts SET authority_key = pending_authority_key, authority_key_sealed = pending_authority_key_sealed,
              pending_authority_key = NULL, pending_authority_key_sealed = NULL, lease_until = $3
       WHERE id = $1 AND pending_authority_key = $2`,
      [id, key, this.clock.now()],
    );
  }

  /** Nonces were allocated and never used: continue right above the chain's highest, unless one was allocated since `account` was read. */
  async rewindNonces({ id, nextSeq }: Account, highestSeqOnChain: bigint): Promise<void> {
    await this.database.query('UPDATE accounts SET next_seq = $2::bigint + 1 WHERE id = $1 AND next_seq = $3', [
      id,
      highestSeqOnChain.toString(),
      nextSeq.toString(),
    ]);
  }

  /** The chain has used nonces that this database never allocated (after a restore): continue above them. */
  async raiseNonces(id: string, highestSeqOnChain: bigint): Promise<void> {
    await this.database.query('UPDATE accounts SET next_seq = GREATEST(next_seq, $2::bigint + 1) WHERE id = $1', [
      id,
      highestSeqOnChain.toString(),
    ]);
  }

  /** The addresses of an operator's accounts that are on chain, or on their way there or away. */
  async addressesOf(operatorId: string): Promise<string[]> {
    const rows: { chain_address: string }[] = await this.database.query(
      `SELECT chain_address FROM accounts WHERE operator_id = $1 AND state <> 'closed'`,
      [operatorId],
    );
    return rows.map(({ chain_address }) => chain_address);
  }

  /** The account is gone on chain. Writes the ledger entry of what it held in the same statement. */
  async markClosed({ id }: Account, entries: NewLedgerEntry[]): Promise<void> {
    const change = sql`UPDATE accounts SET lease_until = ${this.clock.now()}, closing = false, state = 'closed', balance_micro_usdc = 0,
        pending_authority_key = NULL, pending_authority_key_sealed = NULL WHERE id = ${id} AND state = 'open' RETURNING *`;
    await runTransition(this.database, change, { entries: this.ledger.rows(entries) });
  }

  /** The account or its policy was seen to change at this slot: no node behind it may judge any more. */
  async noteChange(accountId: string, slot: number): Promise<void> {
    await this.database.query('UPDATE accounts SET changed_slot = $2 WHERE id = $1 AND changed_slot < $2', [accountId, slot]);
  }

  /** Keeps what was read from the chain, and the time of a version that was not known before. */
  async rememberPolicy(account: Account, policy: ChainPolicy): Promise<Account> {
    const fields = policyFields(policy, await this.names.of(account.id));
    if (policy.version <= account.policyVersion) return { ...account, policy: fields };
    const now = this.clock.now();
    const [rows]: [{ policy_updated_at: Date }[], number] = await this.database.query(
      `UPDATE accounts SET policy = $2, paused = $3, policy_version = $4,
              policy_updated_at = CASE WHEN policy_version < $4 THEN $5 ELSE policy_updated_at END
       WHERE id = $1 AND policy_version <= $4 RETURNING policy_updated_at`,
      [account.id, JSON.stringify(fields), policy.paused, policy.version.toString(), now],
    );
    return {
      ...account,
      policy: fields,
      paused: policy.paused,
      policyVersion: policy.version,
      policyUpdatedAt: rows[0]?.policy_updated_at ?? now,
    };
  }

  /** Keeps what was read from the chain; not each time anew what was just read. */
  private async rememberBalance({ id, balanceMicroUsdc, balanceAsOf }: Account, balance: bigint): Promise<void> {
    const now = this.clock.now();
    if (balance === balanceMicroUsdc && now.getTime() - balanceAsOf.getTime() < BALANCE_NOTED_EVERY_MS) return;
    await this.database.query('UPDATE accounts SET balance_micro_usdc = $2, balance_as_of = $3 WHERE id = $1', [
      id,
      balance.toString(),
      now,
    ]);
  }

  /** Balances and policies from the chain, in one question each, and kept for a time when it is away. */
  private async snapshots(accounts: Account[]): Promise<Snapshot[]> {
    if (accounts.length === 0) return [];
    const [balances, policies] = await Promise.all([
      this.chain.accounts.balances(
        accounts.map((account) => account.usdcTokenAccount),
        Math.max(...accounts.map((account) => Number(account.changedSlot))),
      ),
      this.policies.readMany(accounts.map((account) => account.chainAddress)),
    ]);
    return Promise.all(
      accounts.map(async (account, index): Promise<Snapshot> => {
        const [balance, policy] = [balances[index] ?? 0n, policies[index]];
        await this.rememberBalance(account, balance);
        return { balance, policy: policy ? (await this.rememberPolicy(account, policy)).policy : account.policy };
      }),
    );
  }
}
