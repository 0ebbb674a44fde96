import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Chain, ChainOutcomeUnknownError, ChainUnavailableError } from '#chain';
import { idBytes, newId } from '#database';
import { Clock } from '../../runtime/clock';
import { FeePayerBalance } from '../../runtime/observability/fee-payer-balance';
import { Failpoints } from '../../runtime/failpoints';
import { pollUntil } from '../../runtime/poll';
import type { Caller } from '../../http/caller';
import { LostCreations } from '../../secrets';
import { FeePayerEmpty } from '../../http/domain.errors';
import { OperatorsService } from '../../keys';
import { DEFAULT_POLICY } from '../../policy';
import { type Fleet, FleetReader, FleetsService } from '../../fleets';
import { JobsService } from '../../jobs/jobs.service';
import { AccountCreationStore } from './account-creation.store';
import { AccountDrafts } from './account-drafts';
import { AccountExecutions } from './account-executions';
import { AccountMacs } from '../recipients/account-macs';
import type { Account } from '../account.entity';
import { accountView, type AccountView, type CreateAccountDto, sortedLabels } from '../accounts.dto';
import { CreationKeyConflict, CreationUnsettled } from '../accounts.errors';

/** How long a request waits for another one that creates the same account, and how often it polls. */
const JOIN_WAIT_MS = 30_000;
const POLL_MS = 50;
const RECOVERY_EVERY_MS = 5_000;
const RECOVERY_BATCH = 20;

/** Creates accounts: stores the row with the sealed key, creates the account on chain, then marks the row as open. */
@Injectable()
export class AccountCreationService implements OnModuleInit {
  private readonly logger = new Logger('Accounts');

  constructor(
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly store: AccountCreationStore,
    private readonly drafts: AccountDrafts,
    private readonly operators: OperatorsService,
    private readonly jobs: JobsService,
    private readonly executions: AccountExecutions,
    private readonly macs: AccountMacs,
    private readonly feePayer: FeePayerBalance,
    private readonly lost: LostCreations,
    private readonly failpoints: Failpoints,
    private readonly fleetReader: FleetReader,
    private readonly fleets: FleetsService,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'account-creation', everyMs: RECOVERY_EVERY_MS, run: () => this.finishOverdue() });
  }

  /**
   * Creates an account. With a `creationKey` that was used before, returns the account of that request as it was right after its creation.
   * @throws CreationKeyConflict for other parameters; FeePayerEmpty; ChainUnavailableError; CreationUnsettled while the outcome is unknown.
   */
  async create(
    caller: Caller,
    wanted: CreateAccountDto,
    creationKey: string | undefined,
  ): Promise<{ account: AccountView; isReplay: boolean }> {
    const creationHash = hashOf(wanted);
    const fleet = wanted.fleet_id === undefined ? undefined : await this.fleetReader.joinable(caller.operatorId, wanted.fleet_id);
    await this.requireReserve(caller, creationKey);
    const { account, isNew } = await this.store.insert(
      caller,
      await this.draft(caller.operatorId, wanted, { creationKey, fleet }),
      creationKey,
      creationHash,
    );
    if (isNew) return { account: await this.finish(account, creationKey === undefined), isReplay: false };
    if (!account.creationHash?.equals(creationHash)) throw new CreationKeyConflict();
    // A replay returns what the first request returned: a new account, whatever has happened to it since.
    const view = account.state === 'creating' ? await this.join(account) : freshView(account);
    return {
      account: { ...view, name: wanted.name, metadata: wanted.metadata ?? {}, labels: sortedLabels(wanted.labels) },
      isReplay: true,
    };
  }

  /** The fleet that an account is created in, with the key that adds it: of the guardian, if that is the service's. */
  private async fleetOf({ operatorId, fleetId }: Account) {
    if (fleetId === null) return undefined;
    const fleet = await this.fleetReader.find(operatorId, fleetId);
    return { address: fleet.chainAddress, signer: await this.fleets.adderOf(fleet) };
  }

  /** @throws FeePayerEmpty if the fee payer holds too little for a new account. A replay creates none. */
  private async requireReserve({ operatorId }: Caller, creationKey: string | undefined): Promise<void> {
    if (!(await this.feePayer.isBelowReserve())) return;
    if (creationKey === undefined || !(await this.store.isHeld(operatorId, creationKey))) throw new FeePayerEmpty();
  }

  private async draft(
    operatorId: string,
    { name, metadata = {}, labels }: CreateAccountDto,
    { creationKey, fleet }: { creationKey: string | undefined; fleet: Fleet | undefined },
  ): Promise<Account> {
    const id = creationKey === undefined ? newId('acct', this.clock.now()) : await this.lost.newId('acct', operatorId, creationKey);
    const { address: chainAddress, tokenAccount: usdcTokenAccount, creator } = this.chain.accounts.plan(idBytes(id));
    const leaseUntil = this.executions.lease.end();
    return this.drafts.draft({
      id,
      operatorId,
      name,
      metadata,
      labels: sortedLabels(labels),
      state: 'creating',
      creator,
      chainAddress,
      usdcTokenAccount,
      nextSeq: 1n,
      leaseUntil,
      ...(fleet && { fleetId: fleet.id, fleetAddress: fleet.chainAddress }),
    });
  }

  private async finish(account: Account, isAbandonable: boolean): Promise<AccountView> {
    this.failpoints.pass('account.inserted');
    return freshView(await this.executions.run(account.id, this.attempt(account, isAbandonable)));
  }

  /**
   * Creates an account on chain. If nothing was sent, deletes the row of a creation that no request can repeat, because it has no key.
   */
  private async attempt(account: Account, isAbandonable: boolean): Promise<Account> {
    try {
      return await this.createOnChain(account);
    } catch (error) {
      const isUnknown = error instanceof ChainOutcomeUnknownError;
      if (isAbandonable && error instanceof ChainUnavailableError) await this.store.abandon(account.id);
      else await this.executions.lease.release(account.id);
      throw isUnknown ? new CreationUnsettled() : error;
    }
  }

  /**
   * A replay while the account is being created: shares the outcome of the first request, or continues the creation if it has failed.
   */
  private async join({ id }: Account): Promise<AccountView> {
    const outcome = async (): Promise<AccountView | undefined> => {
      const running = this.executions.of(id);
      if (running) return freshView(await running);
      const claimed = await this.store.claim(id);
      if (claimed) return this.finish(claimed, false);
      const account = await this.store.find(id);
      return account.state === 'creating' ? undefined : freshView(account);
    };
    const view = await pollUntil(outcome, { everyMs: POLL_MS, withinMs: JOIN_WAIT_MS });
    if (!view) throw new CreationUnsettled();
    return view;
  }

  private async createOnChain(planned: Account): Promise<Account> {
    const account = await this.plannedHere(planned);
    const { id, chainAddress, authorityKey } = account;
    // Read after the row is stored: a rotation that begins later sees the row, and waits for it.
    const { chainKey, pendingChainKey } = await this.operators.find(account.operatorId);
    if (account.creator === this.chain.accounts.creator)
      await this.chain.accounts.create({
        id: idBytes(id),
        address: chainAddress,
        operator: pendingChainKey ?? chainKey,
        authority: authorityKey,
        fleet: await this.fleetOf(account),
      });
    this.failpoints.pass('account.created');
    return (await this.store.open(account)) ? account : this.store.find(id);
  }

  /**
   * The row with the addresses at which this process can create it: they follow from the fee payer. One that was planned with another fee
   * payer is kept if it exists, and planned again if not. @throws ChainUnavailableError
   */
  private async plannedHere(account: Account): Promise<Account> {
    const { creator, address: chainAddress, tokenAccount: usdcTokenAccount } = this.chain.accounts.plan(idBytes(account.id));
    if (account.creator === creator || (await this.chain.accounts.isCreated(account.chainAddress, account.authorityKey))) return account;
    const addresses = { creator, chainAddress, usdcTokenAccount };
    const planned = { ...account, ...addresses, mac: this.macs.of({ ...account, ...addresses }) };
    if (!(await this.store.move(account, planned))) throw new ChainOutcomeUnknownError(`another process plans or creates ${account.id}`);
    this.logger.warn(`${account.id} was planned with the fee payer ${account.creator}, and is created by ${creator} at another address`);
    return planned;
  }

  /** Finishes creations whose process died or whose outcome was unknown. */
  private async finishOverdue(): Promise<void> {
    for (const account of await this.store.claimOverdue(RECOVERY_BATCH)) {
      try {
        await this.executions.run(account.id, this.createOnChain(account));
      } catch (error) {
        this.logger.warn(`The creation of ${account.id} is not finished: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
}

/** An account as it is right after its creation. */
function freshView(account: Account): AccountView {
  return accountView(account, { balance: 0n, held: 0n, policy: DEFAULT_POLICY });
}

function hashOf({ name, metadata = {}, labels, fleet_id: fleetId }: CreateAccountDto): Buffer {
  const given = sortedLabels(labels);
  return createHash('sha256')
    .update(JSON.stringify([name, sorted(metadata), ...(given.length > 0 ? [given] : []), ...(fleetId === undefined ? [] : [fleetId])]))
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
