import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { And, DataSource, type FindOperator, In, LessThan, MoreThan, MoreThanOrEqual } from 'typeorm';
import { Chain, ChainUnavailableError, lacksSignature, LocalSigner, type ChainPolicy, type Signer } from '#chain';
import { hydrate, isId, runPrepared, sql } from '#database';
import { Clock } from '../runtime/clock';
import { type Caller, covers } from '../http/caller';
import { NotFound } from '../http/domain.errors';
import { formatUsdc } from '../money/usdc';
import { pageWindow, toPage, type Page } from '../http/pages';
import { OperatorsService } from '../keys';
import { EncryptionService } from '../secrets';
import type { Signed } from '../signatures';
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
import { UnknownChainKey } from './accounts.errors';
import { CounterpartyNames } from './counterparty-names';

const PARTIES = `
  SELECT payer.*, recipient.id AS recipient_id, recipient.usdc_token_account AS recipient_token_account
  FROM accounts payer LEFT JOIN accounts recipient
    ON recipient.state = 'open' AND (
      (recipient.id = $3 AND recipient.operator_id = $2) OR (recipient.handle = $3 AND recipient.operator_id = $2)
      OR recipient.usdc_token_account = $3)
  WHERE payer.id = $1 AND payer.operator_id = $2 AND payer.state = 'open'`;

/** How often the time of an unchanged balance is updated. */
const STORE_BALANCE_EVERY_MS = 10_000;
/** How often the signer is looked up: a rotation may change the key between reading the chain and reading the row. */
const MAX_SIGNER_TRIES = 3;
/** How often spending and policy are read until they are of one version. */
const MAX_SPENDING_READS = 3;
/** Decrypting a key takes as long as ten signatures: this many stay in memory. */
const MAX_CACHED_AUTHORITIES = 1_000;

/** Accounts: their rows in the database, and their balances and policies on chain. */
@Injectable()
export class AccountsService {
  /** By the sealed key, which changes with a rotation. */
  private readonly authorities = new LRUCache<string, Signer>({ max: MAX_CACHED_AUTHORITIES });

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

  /** An operator's account that exists or has existed on chain, for orders that were placed before its closing. @throws NotFound */
  async findEver(operatorId: string, id: string): Promise<Account> {
    const [row] = await runPrepared(this.database, `SELECT * FROM accounts WHERE id = $1 AND operator_id = $2 AND state <> 'creating'`, [
      id,
      operatorId,
    ]);
    if (!row) throw new NotFound('There is no such account.');
    return hydrate(this.database, Account, row);
  }

  /**
   * The token account that a recipient names: of the operator's account with that id or handle, also of a closed one; else the recipient
   * itself.
   */
  async tokenAccountOf(operatorId: string, recipient: string): Promise<string> {
    const [row] = await runPrepared(
      this.database,
      'SELECT usdc_token_account FROM accounts WHERE operator_id = $1 AND (id = $2 OR handle = $2)',
      [operatorId, recipient],
    );
    return row ? String(row.usdc_token_account) : recipient;
  }

  /** The operator's open account with this id or handle. */
  async findNamed(operatorId: string, name: string): Promise<Account | null> {
    const own = { operatorId, state: 'open' as const };
    return this.database.manager.findOneBy(Account, [
      { ...own, id: name },
      { ...own, handle: name },
    ]);
  }

  /** The operator's open accounts among `ids`. */
  async findMany(operatorId: string, ids: string[]): Promise<Account[]> {
    const wellFormed = ids.filter((id) => isId('acct', id));
    return wellFormed.length === 0 ? [] : this.database.manager.findBy(Account, { id: In(wellFormed), operatorId, state: 'open' });
  }

  /**
   * The paying account, and the account of this service that `recipient` names, if any: an account of the same operator by its id or
   * handle, or any account by its token account. One statement, because every transfer begins with it. @throws NotFound for the paying account.
   */
  async findParties(
    operatorId: string,
    payerId: string,
    recipient: string,
  ): Promise<{ payer: Account; recipient: { id: string; usdcTokenAccount: string } | null }> {
    const [row] = isId('acct', payerId) ? await runPrepared(this.database, PARTIES, [payerId, operatorId, recipient]) : [];
    if (!row) throw new NotFound('There is no such account.');
    const isAccount = row.recipient_id !== null;
    return {
      payer: hydrate(this.database, Account, row),
      recipient: isAccount ? { id: String(row.recipient_id), usdcTokenAccount: String(row.recipient_token_account) } : null,
    };
  }

  async show(operatorId: string, id: string): Promise<AccountView> {
    const account = await this.find(operatorId, id);
    return this.view(account);
  }

  /** The account with its balance and policy on chain. @throws ChainUnavailableError */
  async view(account: Account): Promise<AccountView> {
    const [snapshot] = await this.snapshots([account]);
    if (!snapshot) throw new NotFound('There is no such account.');
    return accountView(account, snapshot);
  }

  /** A closed account, with its last policy. */
  closedView(account: Account): AccountView {
    return { ...accountView(account, { balance: 0n, policy: account.policy }), status: 'closed' };
  }

  async balance(operatorId: string, id: string): Promise<BalanceView> {
    const account = await this.find(operatorId, id);
    const [balance] = await this.chain.accounts.balances([account.usdcTokenAccount], Number(account.observedSlot));
    await this.storeBalance(account, balance ?? 0n);
    return { account_id: account.id, balance_usdc: formatUsdc(balance ?? 0n), last_updated: this.clock.now().toISOString() };
  }

  async spending(operatorId: string, id: string): Promise<SpendingView> {
    const account = await this.find(operatorId, id);
    const addresses = { address: account.chainAddress, tokenAccount: account.usdcTokenAccount };
    for (let tries = 1; ; tries++) {
      const [spending, policy] = await Promise.all([
        this.chain.accounts.spending(addresses, Number(account.observedSlot)),
        this.policies.read(account.chainAddress),
      ]);
      // A policy that changes between the two reads is read again, so that the numbers and the rules are of one version.
      if (spending.policyVersion !== policy.version && tries < MAX_SPENDING_READS) continue;
      return spendingView(account, spending, (await this.storePolicy(account, policy)).policy);
    }
  }

  /** At most `limit` open accounts of all operators, in the order of their ids, after `id`. */
  openAfter(id: string, limit: number): Promise<Account[]> {
    return this.database.manager.find(Account, { where: { state: 'open', id: MoreThan(id) }, order: { id: 'ASC' }, take: limit });
  }

  /**
   * The accounts whose rows a list shows: those that the caller may see, or the named one of them. Null for all of the operator's. An
   * account that is closed is among them.
   */
  async listed(caller: Caller, accountId: string | undefined): Promise<readonly string[] | null> {
    if (accountId === undefined) return caller.accountIds;
    if (!covers(caller, accountId) || !isId('acct', accountId)) return [];
    const [row] = await runPrepared(this.database, 'SELECT 1 FROM accounts WHERE id = $1 AND operator_id = $2', [
      accountId,
      caller.operatorId,
    ]);
    return row ? [accountId] : [];
  }

  /** A page of accounts, newest first. While the chain is unavailable, with the stored balances and the time they were read. */
  async list(operatorId: string, query: ListAccountsQuery): Promise<Page<AccountView>> {
    const { where, ...window } = pageWindow(query);
    const status = query.status === undefined ? {} : { paused: query.status === 'paused' };
    const name = query.name === undefined ? {} : { nameKey: beginsWith(query.name.toLowerCase()) };
    const accounts = await this.database.manager.find(Account, {
      ...window,
      where: { ...where, ...status, ...name, operatorId, state: 'open' },
    });
    const snapshots = await this.snapshotsOrStored(accounts);
    const known = new Map(accounts.map((account, index) => [account.id, snapshots[index]]));
    return toPage(accounts, query, (account) => accountView(account, known.get(account.id) ?? stored(account)));
  }

  /** An account as the list shows it, also while the chain is unavailable. */
  async listedView(account: Account): Promise<AccountView> {
    const [snapshot = stored(account)] = await this.snapshotsOrStored([account]);
    return accountView(account, snapshot);
  }

  private async snapshotsOrStored(accounts: Account[]): Promise<Snapshot[]> {
    try {
      return await this.snapshots(accounts);
    } catch (error) {
      if (!(error instanceof ChainUnavailableError)) throw error;
      return accounts.map(stored);
    }
  }

  /** The signer of an account's authority, cached. */
  authority({ id, authorityKey, authorityKeySealed }: Account): Signer {
    const signer =
      this.authorities.get(authorityKeySealed) ??
      LocalSigner.fromSeed(this.encryption.unseal('account-authority', id, authorityKeySealed), authorityKey);
    this.authorities.set(authorityKeySealed, signer);
    return signer;
  }

  /** The signers of an order: the account's authority, and the operator where it approved the order. */
  signers(account: Account, approver: Signer | null): Signer[] {
    return [this.authority(account), ...(approver ? [approver] : [])];
  }

  /**
   * The signer of the operator key that the account on chain names. `signed`: what its holder has signed, where it is held outside.
   * @throws NotFound for a closed account; UnknownChainKey
   */
  async operatorOf({ operatorId, chainAddress }: Account, signed: Signed | null = null): Promise<Signer> {
    for (let tries = 0; tries < MAX_SIGNER_TRIES; tries++) {
      const onChain = await this.chain.accounts.find(chainAddress);
      if (!onChain) throw new NotFound('There is no such account.');
      const signer = await this.operators.signer(operatorId, onChain.operator, signed?.held);
      if (signer) return signer;
    }
    throw new UnknownChainKey();
  }

  /** Whether only the operator itself can sign for an account, because it holds its chain key outside of the service. */
  async isExternal(account: Account): Promise<boolean> {
    return (await this.operators.hasExternalKey(account.operatorId)) && lacksSignature(await this.operatorOf(account));
  }

  /**
   * The account with the keys that it has on chain, where the service holds them. Stores a rotation that reached the chain and not yet the
   * row. Undefined where the account on chain has other keys, or is closed.
   */
  async withCurrentKeys({ operatorId, id, chainAddress }: Account): Promise<Account | undefined> {
    const onChain = await this.chain.accounts.find(chainAddress);
    if (!onChain || !(await this.operators.signer(operatorId, onChain.operator))) return undefined;
    await this.promoteAuthority(id, onChain.authority);
    const account = await this.findEver(operatorId, id);
    return account.authorityKey === onChain.authority ? account : undefined;
  }

  /** Makes the pending authority key current where it is `key`, once the chain obeys it. */
  async promoteAuthority(id: string, key: string): Promise<void> {
    await this.database.query(
      `UPDATE accounts SET authority_key = pending_authority_key, authority_key_sealed = pending_authority_key_sealed,
              pending_authority_key = NULL, pending_authority_key_sealed = NULL, lease_until = $3
       WHERE id = $1 AND pending_authority_key = $2`,
      [id, key, this.clock.now()],
    );
  }

  /**
   * Frees nonces that were allocated and never used: the next one follows the chain's highest, unless one was allocated since `account`
   * was read.
   */
  async rewindNonces({ id, nextSeq }: Account, highestSeqOnChain: bigint): Promise<void> {
    await this.database.query('UPDATE accounts SET next_seq = $2::bigint + 1 WHERE id = $1 AND next_seq = $3', [
      id,
      highestSeqOnChain.toString(),
      nextSeq.toString(),
    ]);
  }

  /** Moves the next nonce above those that the chain has used, after the database was restored from a backup. */
  async raiseNonces(id: string, highestSeqOnChain: bigint): Promise<void> {
    await this.database.query('UPDATE accounts SET next_seq = GREATEST(next_seq, $2::bigint + 1) WHERE id = $1', [
      id,
      highestSeqOnChain.toString(),
    ]);
  }

  /** The addresses of an operator's accounts that are not closed, including those in creation. */
  async addressesOf(operatorId: string): Promise<string[]> {
    const rows: { chain_address: string }[] = await this.database.query(
      `SELECT chain_address FROM accounts WHERE operator_id = $1 AND state <> 'closed'`,
      [operatorId],
    );
    return rows.map(({ chain_address }) => chain_address);
  }

  /** Marks an account as closed, with the ledger entries of what it held, in one statement. */
  async markClosed({ id }: Account, entries: NewLedgerEntry[]): Promise<void> {
    const change = sql`UPDATE accounts SET lease_until = ${this.clock.now()}, closing = false, state = 'closed', balance_micro_usdc = 0,
        pending_authority_key = NULL, pending_authority_key_sealed = NULL WHERE id = ${id} AND state = 'open' RETURNING *`;
    await runTransition(this.database, change, { entries: this.ledger.rows(entries) });
  }

  /** Raises the observed slot: the account or its policy was seen to change at `slot`. */
  async noteChange(accountId: string, slot: number): Promise<void> {
    await this.database.query('UPDATE accounts SET observed_slot = $2 WHERE id = $1 AND observed_slot < $2', [accountId, slot]);
  }

  /** Stores a policy that was read from the chain, with the current time where its version is new. */
  async storePolicy(account: Account, policy: ChainPolicy): Promise<Account> {
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
    const [balances, policies] = await Promise.all([
      this.chain.accounts.balances(
        accounts.map((account) => account.usdcTokenAccount),
        Math.max(...accounts.map((account) => Number(account.observedSlot))),
      ),
      this.policies.readMany(accounts.map((account) => account.chainAddress)),
    ]);
    return Promise.all(
      accounts.map(async (account, index): Promise<Snapshot> => {
        const [balance, policy] = [balances[index] ?? 0n, policies[index]];
        await this.storeBalance(account, balance);
        return { balance, policy: policy ? (await this.storePolicy(account, policy)).policy : account.policy };
      }),
    );
  }
}

/** A range of texts that begin with a prefix. Its column sorts by code points, so that the range is one of its index. */
function beginsWith(prefix: string): FindOperator<string> {
  return And(MoreThanOrEqual(prefix), LessThan(`${prefix}\u{10ffff}`));
}

/** The balance and the policy as they were last read. */
function stored({ balanceMicroUsdc, policy, balanceAsOf }: Account): Snapshot {
  return { balance: balanceMicroUsdc, policy, asOf: balanceAsOf };
}
