import { createHash, randomInt } from 'node:crypto';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain, ChainOutcomeUnknownError, ChainUnavailableError, LocalSigner } from '#chain';
import { hydrate, idBytes, newId, type Row, type Sql, sql } from '#database';
import { IdempotencyKeys } from '../persistence/idempotency';
import { Lease } from '../persistence/lease';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { pollUntil } from '../runtime/poll';
import { AuditLog } from '../audit';
import type { Caller } from '../http/caller';
import { OperatorsService } from '../keys';
import { EncryptionService } from '../secrets';
import { DEFAULT_POLICY } from '../policy';
import { JobsService } from '../jobs/jobs.service';
import { Account } from './account.entity';
import { accountView, type AccountView, type CreateAccountDto } from './accounts.dto';
import { CreationKeyConflict, CreationUnsettled } from './accounts.errors';

/** Length of the lease of an account in creation. */
const LEASE_MS = 90_000;
/** How long a request waits for another one that creates the same account, and how often it polls. */
const JOIN_WAIT_MS = 30_000;
const POLL_MS = 50;
const RECOVERY_EVERY_MS = 5_000;
const RECOVERY_BATCH = 20;
const HANDLE_SLUG_LENGTH = 32;
const HANDLE_SUFFIX_LENGTH = 6;
const HANDLE_ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Creates accounts: stores the row with the sealed key, creates the account on chain, then marks the row as open. */
@Injectable()
export class AccountCreationService implements OnModuleInit {
  private readonly logger = new Logger('Accounts');
  /** The creations that run in this process. */
  private readonly running = new Map<string, Promise<AccountView>>();

  private readonly lease: Lease;
  private readonly keys: IdempotencyKeys;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly encryption: EncryptionService,
    private readonly operators: OperatorsService,
    private readonly audit: AuditLog,
    private readonly jobs: JobsService,
  ) {
    this.lease = new Lease(database, clock, { table: 'accounts', durationMs: LEASE_MS });
    this.keys = new IdempotencyKeys(database, {
      table: 'accounts',
      column: 'creation_key',
      clears: ['creation_hash', 'creation_key_until'],
      scope: ['operator_id'],
      isFree: () => sql`creation_key_until <= ${clock.now()} AND state <> 'creating'`,
    });
  }

  onModuleInit(): void {
    this.jobs.register({ name: 'account-creation', everyMs: RECOVERY_EVERY_MS, run: () => this.finishOverdue() });
  }

  /**
   * Creates an account. With a `creationKey` that was used before, returns the account of that request as it was right after its creation.
   * @throws CreationKeyConflict for other parameters; ChainUnavailableError; CreationUnsettled while the outcome is unknown.
   */
  async create(
    caller: Caller,
    wanted: CreateAccountDto,
    creationKey: string | undefined,
  ): Promise<{ account: AccountView; isReplay: boolean }> {
    const creationHash = hashOf(wanted);
    const { account, isNew } = await this.insert(caller, this.draft(caller.operatorId, wanted), creationKey, creationHash);
    if (isNew) return { account: await this.finish(account, creationKey === undefined), isReplay: false };
    if (!account.creationHash?.equals(creationHash)) throw new CreationKeyConflict();
    // A replay returns what the first request returned: a new account, whatever has happened to it since.
    const view = account.state === 'creating' ? await this.join(account) : freshView(account);
    return { account: { ...view, name: wanted.name, metadata: wanted.metadata ?? {} }, isReplay: true };
  }

  /** Inserts an account, unless its key is in use: then returns the account of the key. */
  private async insert(
    caller: Caller,
    draft: Account,
    creationKey: string | undefined,
    creationHash: Buffer,
  ): Promise<{ account: Account; isNew: boolean }> {
    const creationKeyUntil = new Date(this.clock.now().getTime() + this.config.IDEMPOTENCY_TTL_SECONDS * 1000);
    const account = creationKey === undefined ? draft : { ...draft, creationKey, creationHash, creationKeyUntil };
    const { id: object, name, metadata } = draft;
    const insert = (): Promise<Row | undefined> =>
      this.database.transaction(async (manager) => {
        const builder = manager.createQueryBuilder().insert().into(Account).values(account).orIgnore().returning('id');
        const [row] = (await builder.execute()).raw as Row[];
        if (row) await this.audit.record(caller, { action: 'account.created', object, after: { name, metadata } }, manager);
        return row;
      });
    if (creationKey !== undefined) {
      const { row, isNew } = await this.keys.insertOnce([draft.operatorId], creationKey, insert);
      return { account: isNew ? account : hydrate(this.database, Account, row), isNew };
    }
    if (!(await insert())) throw new Error('the random handle of a new account is in use');
    return { account, isNew: true };
  }

  private draft(operatorId: string, { name, metadata = {} }: CreateAccountDto): Account {
    const now = this.clock.now();
    const id = newId('acct', now);
    const { signer, seed } = LocalSigner.generate();
    const { address, tokenAccount, creator } = this.chain.accounts.plan(idBytes(id));
    return {
      id,
      operatorId,
      name,
      nameKey: name.toLowerCase(),
      handle: handleOf(name),
      metadata,
      state: 'creating',
      creator,
      chainAddress: address,
      usdcTokenAccount: tokenAccount,
      authorityKey: signer.address,
      authorityKeySealed: this.encryption.seal('account-authority', id, seed),
      pendingAuthorityKey: null,
      pendingAuthorityKeySealed: null,
      closing: false,
      nextSeq: 1n,
      observedSlot: 0n,
      policy: DEFAULT_POLICY,
      policyVersion: 1n,
      policyUpdatedAt: now,
      paused: false,
      balanceMicroUsdc: 0n,
      balanceAsOf: now,
      creationKey: null,
      creationHash: null,
      creationKeyUntil: null,
      leaseUntil: this.lease.end(),
      createdAt: now,
    };
  }

  private finish(account: Account, isAbandonable: boolean): Promise<AccountView> {
    const creation = this.attempt(account, isAbandonable);
    this.running.set(account.id, creation);
    const remove = () => this.running.delete(account.id);
    creation.then(remove, remove);
    return creation;
  }

  /**
   * Creates an account on chain. Where nothing was sent, deletes the row of a creation that no request can repeat, because it has no key.
   */
  private async attempt(account: Account, isAbandonable: boolean): Promise<AccountView> {
    try {
      await this.createOnChain(account);
    } catch (error) {
      const isUnknown = error instanceof ChainOutcomeUnknownError;
      if (isAbandonable && error instanceof ChainUnavailableError)
        await this.database.manager.delete(Account, { id: account.id, state: 'creating' });
      else await this.lease.release(account.id);
      throw isUnknown ? new CreationUnsettled() : error;
    }
    return freshView(account);
  }

  /**
   * A replay while the account is being created: shares the outcome of the first request, or continues the creation where it has failed.
   */
  private async join({ id }: Account): Promise<AccountView> {
    const outcome = async (): Promise<AccountView | undefined> => {
      const running = this.running.get(id);
      if (running) return running;
      const [claimed] = await this.claim(sql`id = ${id}`);
      if (claimed) return this.finish(claimed, false);
      const account = await this.database.manager.findOneByOrFail(Account, { id });
      return account.state === 'creating' ? undefined : freshView(account);
    };
    const view = await pollUntil(outcome, { everyMs: POLL_MS, withinMs: JOIN_WAIT_MS });
    if (!view) throw new CreationUnsettled();
    return view;
  }

  private async createOnChain(account: Account): Promise<void> {
    // Read after the row is stored: a rotation that begins later sees the row, and waits for it.
    const { chainKey, pendingChainKey } = await this.operators.find(account.operatorId);
    await this.chain.accounts.create({ id: idBytes(account.id), operator: pendingChainKey ?? chainKey, authority: account.authorityKey });
    await this.database.manager.update(Account, { id: account.id, state: 'creating' }, { state: 'open', leaseUntil: this.clock.now() });
  }

  /** Claims accounts in creation that no process works on. */
  private async claim(where: Sql): Promise<Account[]> {
    const rows = await this.lease.claim({ where: sql`state = 'creating' AND ${where}`, limit: RECOVERY_BATCH });
    return rows.map((row) => hydrate(this.database, Account, row));
  }

  /** Finishes creations whose process died or whose outcome was unknown. */
  private async finishOverdue(): Promise<void> {
    for (const account of await this.claim(sql`true`)) {
      try {
        await this.createOnChain(account);
      } catch (error) {
        this.logger.warn(`The creation of ${account.id} is not finished: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
}

/** An account as it is right after its creation. */
function freshView(account: Account): AccountView {
  return accountView(account, { balance: 0n, policy: DEFAULT_POLICY });
}

function hashOf({ name, metadata = {} }: CreateAccountDto): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([name, sorted(metadata)]))
    .digest();
}

/** Sorts the keys of objects, so that their order does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, entry]) => [key, sorted(entry)]);
}

/** A handle: the letters and digits of the name, and one of 32^6 random suffixes. */
export function handleOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, HANDLE_SLUG_LENGTH)
    .replace(/^-+|-+$/g, '');
  const suffix = Array.from({ length: HANDLE_SUFFIX_LENGTH }, () => HANDLE_ALPHABET.charAt(randomInt(HANDLE_ALPHABET.length))).join('');
  return `${slug === '' ? 'account' : slug}-${suffix}`;
}
