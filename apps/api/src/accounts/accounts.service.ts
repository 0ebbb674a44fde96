import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { DataSource, In, MoreThan } from 'typeorm';
import { Chain, type ChainAccount, lacksSignature, LocalSigner, type Signer } from '#chain';
import { hydrate, isId, runPrepared, sql } from '#database';
import { Clock } from '../runtime/clock';
import { type Caller, covers } from '../http/caller';
import { ACCOUNT_MISSING, ChainUnavailable, NotFound } from '../http/domain.errors';
import { OperatorsService } from '../keys';
import { EncryptionService } from '../secrets';
import type { Signed } from '../signatures';
import { LedgerService, type NewLedgerEntry } from '../ledger';
import { runTransition } from '../persistence/transition';
import { Account } from './account.entity';
import { UnknownChainKey } from './accounts.errors';
import { AccountSelection } from './account-selection';
import { Memberships } from './members/memberships';

/** How often the signer is looked up: a rotation may change the key between reading the chain and reading the row. */
const MAX_SIGNER_TRIES = 3;
/** Decrypting a key takes as long as ten signatures: this many stay in memory. */
const MAX_CACHED_AUTHORITIES = 1_000;

/** Accounts: their rows and their keys. */
@Injectable()
export class AccountsService {
  /** The signers by sealed key, which changes with a rotation. */
  private readonly authorities = new LRUCache<string, Signer>({ max: MAX_CACHED_AUTHORITIES });

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly encryption: EncryptionService,
    private readonly operators: OperatorsService,
    private readonly ledger: LedgerService,
    private readonly selection: AccountSelection,
    private readonly memberships: Memberships,
  ) {}

  /** An operator's account that exists on chain. @throws NotFound, also for another operator's. */
  async find(operatorId: string, id: string): Promise<Account> {
    const [row] = isId('acct', id)
      ? await runPrepared(this.database, `SELECT * FROM accounts WHERE id = $1 AND operator_id = $2 AND state = 'open'`, [id, operatorId])
      : [];
    if (!row) throw new NotFound('There is no such account.');
    return this.memberships.withFleetSlot(hydrate(this.database, Account, row));
  }

  /** An operator's account that exists or has existed on chain, for orders that were placed before its closing. @throws NotFound */
  async findEver(operatorId: string, id: string): Promise<Account> {
    const [row] = await runPrepared(this.database, `SELECT * FROM accounts WHERE id = $1 AND operator_id = $2 AND state <> 'creating'`, [
      id,
      operatorId,
    ]);
    if (!row) throw new NotFound('There is no such account.');
    return this.memberships.withFleetSlot(hydrate(this.database, Account, row));
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

  /** The account of this service, of any operator, that a token account belongs to; null for another's. */
  async idOfTokenAccount(tokenAccount: string): Promise<string | null> {
    const [row] = await runPrepared(this.database, `SELECT id FROM accounts WHERE usdc_token_account = $1 AND state <> 'creating'`, [
      tokenAccount,
    ]);
    return row ? String(row.id) : null;
  }

  /** The accounts among these that exist on chain, or have. */
  withIds(ids: string[]): Promise<Account[]> {
    return this.database.manager.findBy(Account, { id: In(ids), state: In(['open', 'closed']) });
  }

  /** The operator's open accounts among `ids`. */
  async findMany(operatorId: string, ids: string[]): Promise<Account[]> {
    const wellFormed = ids.filter((id) => isId('acct', id));
    return wellFormed.length === 0 ? [] : this.database.manager.findBy(Account, { id: In(wellFormed), operatorId, state: 'open' });
  }

  /** At most `limit` open accounts of all operators, in the order of their ids, after `id`. */
  openAfter(id: string, limit: number): Promise<Account[]> {
    return this.database.manager.find(Account, { where: { state: 'open', id: MoreThan(id) }, order: { id: 'ASC' }, take: limit });
  }

  /**
   * The accounts whose rows a list shows: those that the caller may see, or the named one of them, in the fleet and with all of the labels. Null for all
   * of the operator's. An account that is closed is among them.
   */
  async listed(
    caller: Caller,
    {
      account_id: accountId,
      fleet_id: fleetId,
      label,
    }: { account_id?: string | undefined; fleet_id?: string | undefined; label?: string[] | undefined },
  ): Promise<readonly string[] | null> {
    const named = accountId === undefined ? caller.accountIds : await this.named(caller, accountId);
    const { operatorId } = caller;
    const members = fleetId === undefined ? named : await this.selection.inFleet(operatorId, fleetId, named);
    return label === undefined ? members : this.selection.withLabels(operatorId, label, members);
  }

  private async named(caller: Caller, accountId: string): Promise<readonly string[]> {
    if (!covers(caller, accountId) || !isId('acct', accountId)) return [];
    const [row] = await runPrepared(this.database, 'SELECT 1 FROM accounts WHERE id = $1 AND operator_id = $2', [
      accountId,
      caller.operatorId,
    ]);
    return row ? [accountId] : [];
  }

  /** The signer of an account's authority, cached. */
  authority({ id, authorityKey, authorityKeySealed }: Account): Signer {
    const signer =
      this.authorities.get(authorityKeySealed) ??
      LocalSigner.fromSeed(this.encryption.unseal('account-authority', id, authorityKeySealed), authorityKey);
    this.authorities.set(authorityKeySealed, signer);
    return signer;
  }

  /** The signers of an order: the account's authority, and the operator if it approved the order. */
  signers(account: Account, approver: Signer | null): Signer[] {
    return [this.authority(account), ...(approver ? [approver] : [])];
  }

  /**
   * The account on chain, by a node that has reached `minContextSlot`.
   * @throws NotFound for one that the chain shows closed, ChainUnavailable for one that it does not show
   */
  async onChain({ chainAddress }: Account, minContextSlot = 0): Promise<ChainAccount> {
    const onChain = await this.chain.accounts.find(chainAddress, minContextSlot);
    if (onChain) return onChain;
    if (await this.chain.accounts.isClosed(chainAddress)) throw new NotFound('There is no such account.');
    throw new ChainUnavailable(ACCOUNT_MISSING);
  }

  /**
   * The signer of the operator key that the account on chain names. `signed`: what its holder has signed, if it is held outside.
   * @throws as `onChain` does; UnknownChainKey
   */
  async operatorOf(account: Account, signed: Signed | null = null): Promise<Signer> {
    for (let tries = 0; tries < MAX_SIGNER_TRIES; tries++) {
      const [operator = ''] = await this.chain.accounts.operatorsOf([await this.onChain(account)]);
      const signer = await this.operators.signer(account.operatorId, operator, signed?.held);
      if (signer) return signer;
    }
    throw new UnknownChainKey();
  }

  /** Whether only the operator itself can sign for an account, because it holds its chain key outside of the service. */
  async isExternal(account: Account): Promise<boolean> {
    return (await this.operators.hasExternalKey(account.operatorId)) && lacksSignature(await this.operatorOf(account));
  }

  /**
   * The account with the keys and the fleet that it has on chain, if the service holds the keys. Stores what reached the chain and not yet
   * the row. Undefined if the account on chain has other keys, or is closed.
   */
  async withCurrentKeys({ operatorId, id, chainAddress }: Account): Promise<Account | undefined> {
    const onChain = await this.chain.accounts.find(chainAddress);
    const [operator = ''] = onChain ? await this.chain.accounts.operatorsOf([onChain]) : [];
    if (!onChain || !(await this.operators.signer(operatorId, operator))) return undefined;
    await this.promoteAuthority(id, onChain.authority);
    const account = await this.memberships.sync(await this.findEver(operatorId, id), onChain);
    return account.authorityKey === onChain.authority ? account : undefined;
  }

  /** Makes the pending authority key current if it is `key`, once the chain obeys it. */
  async promoteAuthority(id: string, key: string): Promise<void> {
    await this.database.query(
      `UPDATE accounts SET authority_key = pending_authority_key, authority_key_sealed = pending_authority_key_sealed,
              pending_authority_key = NULL, pending_authority_key_sealed = NULL, pending_authority_mac = NULL, lease_until = $3
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

  /** The chain does not show an account: it is looked at again, and created again if it is lost. */
  async noteMissing(accountId: string): Promise<void> {
    await this.database.query(`UPDATE accounts SET finalized = false WHERE id = $1 AND state = 'open' AND finalized`, [accountId]);
  }

  /** Raises the observed slot: the account or its policy was seen to change at `slot`. */
  async noteChange(accountId: string, slot: number): Promise<void> {
    await this.database.query('UPDATE accounts SET observed_slot = $2 WHERE id = $1 AND observed_slot < $2', [accountId, slot]);
  }

  /** Numbers a decision of the operator whether an account is paused: bulk jobs that were accepted before it leave that alone. */
  async notePauseDecision(accountId: string): Promise<void> {
    await this.database.query(`UPDATE accounts SET pause_decision = nextval('pause_decisions') WHERE id = $1`, [accountId]);
  }
}
