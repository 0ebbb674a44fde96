import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Chain, ChainUnavailableError, type FinishedCharge } from '#chain';
import { idBytes } from '#database';
import { type Account, AccountsService, OpeningTimes } from '../../../accounts';
import { chainFault } from '../../../allowances';
import { LedgerService } from '../../../ledger';
import { JobsService } from '../../../jobs/jobs.service';
import { Restores } from '../../../orders';
import { Failpoints } from '../../../runtime/failpoints';
import { type Purse, type PurseEnd, PurseEndings, PurseLocks, PurseStore, sumOf } from '../../../purses';
import { PurseSettlement } from './purse-settlement';

const EVERY_MS = 2_000;
const BATCH = 20;
/** How often an open purse is compared with the chain, where a pause may have ended it. */
const LOOK_EVERY_MS = 4_000;
/** How long a closing waits for payments that wait for their provider's answer. */
const PAYMENTS_WAIT_MS = 5_000;
const PAYMENTS_POLL_MS = 50;

/** Ends purses: on request, at their deadline, when they are used up, and when a pause ended them on chain. */
@Injectable()
export class PurseClosingService implements OnModuleInit {
  private readonly logger = new Logger('Purses');

  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly locks: PurseLocks,
    private readonly store: PurseStore,
    private readonly endings: PurseEndings,
    private readonly payments: PurseSettlement,
    private readonly jobs: JobsService,
    private readonly failpoints: Failpoints,
    private readonly restores: Restores,
    private readonly ledger: LedgerService,
    private readonly times: OpeningTimes,
  ) {}

  onModuleInit(): void {
    this.restores.register((accountId) => this.store.cut(accountId));
    this.jobs.register({ name: 'purse-closing', everyMs: EVERY_MS, run: () => this.endDue() });
  }

  /**
   * Ends a purse as far as that goes now: `closed`, or `closing` while the chain is unavailable; the job continues then. A channel purse is
   * `closing`: the job of `channels` ends it, once its last channel is gone.
   */
  async close({ id, kind }: Pick<Purse, 'id' | 'kind'>): Promise<Purse> {
    await this.store.beginClosing(id);
    if (kind === 'channel') {
      await this.store.release(id);
      this.failpoints.pass('channel.closing');
      return this.store.find(id);
    }
    this.failpoints.pass('purse.closing');
    const closing = await this.afterPayments(id);
    if (closing.status === 'closing') await this.attempt(closing, () => this.finish(closing));
    return this.store.find(id);
  }

  /** The accounts among these with a purse that was open after a time. */
  underWay(accountIds: string[], since: Date): Promise<Set<string>> {
    return this.store.openSince(accountIds, since);
  }

  private async endDue(): Promise<void> {
    const due = await this.store.claimDue(await this.chain.clock.now(), BATCH);
    await Promise.all(due.map((purse) => this.attempt(purse, () => this.end(purse))));
    const open = await this.store.claimOpen(BATCH);
    await Promise.all(open.map((purse) => this.attempt(purse, () => this.look(purse), LOOK_EVERY_MS)));
    await this.locks.dropStale();
  }

  private async end({ id, status }: Purse): Promise<void> {
    if (status === 'open' && !(await this.store.beginClosing(id))) return;
    const closing = await this.afterPayments(id);
    if (closing.status === 'closing') await this.finish(closing);
  }

  /**
   * Ends an open purse that is no longer open on chain, and that of an account which may spend nothing. A pause ends it there, unless the
   * token account is frozen.
   */
  private async look(purse: Purse): Promise<void> {
    const account = await this.accounts.findEver(purse.operatorId, purse.accountId);
    const [onChain] = await this.chain.accounts.findMany([account.chainAddress], Number(account.observedSlot));
    // Its opening was rolled back: it is sent again.
    if (onChain && purse.seq !== null && !onChain.isNonceUsed(purse.seq)) return;
    const isOpen = onChain?.openCharge && idBytes(purse.id).equals(onChain.openCharge.chargeId);
    if (!isOpen || (await this.times.isStopped(account))) return this.end(purse);
    await this.locks.relock(purse);
  }

  /** Ends a closing purse on chain, resolves its payments, and stores what was spent. */
  private async finish(purse: Purse): Promise<void> {
    const account = await this.accounts.findEver(purse.operatorId, purse.accountId);
    const finished = await this.endings.end(purse, account);
    this.failpoints.pass('purse.finished');
    if (!idBytes(purse.id).equals(finished.chargeId)) throw new Error(`the purse ${purse.id} ended as another charge`);
    const found = await this.endings.movements(purse, account, finished);
    const explained = await this.payments.conclude(purse, found);
    this.failpoints.pass('purse.matched');
    // An end that was reversed has recorded them.
    const recorded = purse.reversedAt === null ? new Set<string>() : new Set(await this.ledger.signatures(purse.accountId));
    const unexplained = found.movements.filter(({ signature }) => !explained.has(signature) && !recorded.has(signature));
    if (found.isComplete) await this.store.end(purse, { finished, spent: sumOf(found.movements), unexplained });
    else await this.finishPruned(purse, account, { finished, unexplained });
  }

  /** Stores the end of a purse of which no node has all movements any more. The amount that nothing explains is one record. */
  private async finishPruned(
    purse: Purse,
    account: Account,
    { finished, unexplained }: Pick<PurseEnd, 'unexplained'> & { finished: FinishedCharge },
  ): Promise<void> {
    const unrecorded = await this.endings.unrecorded(await this.store.find(purse.id), account, finished);
    const lost = unrecorded - sumOf(unexplained);
    if (lost < 0n) throw new ChainUnavailableError(`a node does not show all that ${purse.id} moved yet`);
    const left = await this.payments.concludeLost(purse, lost);
    const { spentMicroUsdc } = await this.store.find(purse.id);
    const rest = left === 0n ? [] : [{ signature: null, microUsdc: left }];
    const all = [...unexplained, ...rest];
    await this.store.end(purse, { finished, spent: spentMicroUsdc + sumOf(all), unexplained: all });
  }

  /** The purse once no payment of it is in flight, or after a while. */
  private async afterPayments(id: string): Promise<Purse> {
    for (const until = performance.now() + PAYMENTS_WAIT_MS; ; await setTimeout(PAYMENTS_POLL_MS)) {
      const purse = await this.store.find(id);
      if (performance.now() > until || !(await this.payments.areInFlight(purse))) return purse;
    }
  }

  /** The chain may be unavailable or refuse: the job tries again. `againInMs`: when it looks again after a success. */
  private async attempt(purse: Purse, work: () => Promise<void>, againInMs = 0): Promise<void> {
    try {
      await work();
      await this.store.release(purse.id, againInMs);
    } catch (error) {
      const { message, pauseMs } = chainFault(error);
      this.logger.warn(`${purse.id} has not ended yet: ${message}`);
      await this.store.release(purse.id, pauseMs);
    }
  }
}
