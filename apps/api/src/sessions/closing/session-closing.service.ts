import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Chain, ChainUnavailableError, type SessionOutcome, type SignedVoucher } from '#chain';
import { voucherBytes } from '#mpp';
import { chainFault } from '../../allowances';
import { AccountsService } from '../../accounts';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import { Failpoints } from '../../runtime/failpoints';
import { JobsService } from '../../jobs/jobs.service';
import { Restores } from '../../orders';
import { SessionEnds } from './session-ends';
import { SessionReader } from '../store/session-reader';
import { type DueTimes, SessionStore } from '../store/session.store';
import type { Session } from '../session.entity';

const EVERY_MS = 2_000;
const BATCH = 20;
/** A payment that has signed is given so long to get its answer before its session is ended. */
const PAYING_WAIT_MS = 5_000;
const LOOK_EVERY_MS = 50;
/** Vouchers are settled this long before the session expires. */
const BEFORE_EXPIRY_MS = 60_000;

/** Settles the vouchers of sessions in the background, and ends sessions: on request, when idle, and when expired. */
@Injectable()
export class SessionClosingService implements OnModuleInit {
  private readonly logger = new Logger('Sessions');

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly reader: SessionReader,
    private readonly store: SessionStore,
    private readonly ends: SessionEnds,
    private readonly jobs: JobsService,
    private readonly failpoints: Failpoints,
    private readonly restores: Restores,
  ) {}

  onModuleInit(): void {
    this.restores.register((accountId) => this.store.cut(accountId));
    this.jobs.register({ name: 'session-settlement', everyMs: EVERY_MS, run: () => this.attendDue() });
  }

  /**
   * Ends an open session as far as that goes now: `settled`, or `closing` while a grace period runs or the chain's word is
   * awaited, which the job then continues. Undefined when it is neither open nor closing.
   */
  async close({ id }: Session): Promise<Session | undefined> {
    await this.store.beginClosing(id);
    this.failpoints.pass('session.closing');
    const closing = await this.afterPayment(id);
    if (closing.state !== 'closing') return closing.state === 'settled' ? closing : undefined;
    await this.tryTo(closing, () => this.finish(closing));
    return this.reader.find(id);
  }

  private async attendDue(): Promise<void> {
    const due = await this.store.claimDue(await this.dueTimes(), BATCH);
    await Promise.all(due.map((session) => this.tryTo(session, () => this.attend(session))));
  }

  private async dueTimes(): Promise<DueTimes> {
    const { SESSION_IDLE_SECONDS, SESSION_SETTLE_AFTER_SECONDS } = this.config;
    const [chainNow, now] = [await this.chain.clock.now(), this.clock.now()];
    const before = (seconds: number): Date => new Date(now.getTime() - seconds * 1000);
    return {
      chainNow,
      idleBefore: before(SESSION_IDLE_SECONDS),
      unsettledBefore: before(SESSION_SETTLE_AFTER_SECONDS),
      expiringBefore: new Date(chainNow.getTime() + BEFORE_EXPIRY_MS),
    };
  }

  /** Does what is due of one session: settles it, or ends it. */
  private async attend(session: Session): Promise<void> {
    if (session.state === 'closing') return this.finish(session);
    const { chainNow, idleBefore } = await this.dueTimes();
    const isOver = (session.expiresAt ?? session.createdAt) <= chainNow || (session.usedAt !== null && session.usedAt <= idleBefore);
    if (!isOver) return this.settle(session);
    if (!(await this.store.beginClosing(session.id))) return;
    return this.finish(await this.afterPayment(session.id));
  }

  private async settle(session: Session): Promise<void> {
    await this.note(session, await this.chain.sessions.settle(session.address ?? '', voucherOf(session)));
  }

  /** Ends a session that is closing: signed by the account's authority at once, without it after the grace period. */
  private async finish(session: Session): Promise<void> {
    const address = session.address ?? '';
    const hasPassed = session.endsAt !== null && session.endsAt <= (await this.chain.clock.now());
    if (session.endsAt !== null && !hasPassed) return;
    const outcome = await this.end(session, address, hasPassed).catch((error: unknown) => this.shownEnd(session, error));
    this.failpoints.pass('session.closed');
    await this.note(session, outcome);
  }

  private async end(session: Session, address: string, hasPassed: boolean): Promise<SessionOutcome> {
    if (hasPassed) return this.chain.sessions.closeExpired(address, voucherOf(session));
    const account = await this.accounts.findEver(session.operatorId, session.accountId);
    const closer = this.accounts.authority((await this.accounts.withCurrentKeys(account)) ?? account);
    return this.chain.sessions.close(address, voucherOf(session), { closer });
  }

  /** The end by the state of the chain, if the history does not have it. @throws the error if the state does not show it */
  private async shownEnd(session: Session, error: unknown): Promise<SessionOutcome> {
    const shown = error instanceof ChainUnavailableError ? await this.ends.shown(session) : undefined;
    if (!shown) throw error;
    return shown;
  }

  /** An amount that is owed to a payee who cannot receive is settled for us: it left the account's reach, and waits for the payee. */
  private async note(session: Session, outcome: SessionOutcome): Promise<void> {
    const isWhole = outcome.status === 'open' || outcome.status === 'closing' || outcome.settled + outcome.returned >= session.capMicroUsdc;
    if (!isWhole || outcome.settled < session.settledMicroUsdc)
      throw new ChainUnavailableError(`a node shows less of ${session.id} than was settled or reserved before`);
    if (outcome.status === 'closed' || outcome.status === 'owed') await this.store.end(session, outcome);
    else await this.store.noteSettlement(session, outcome);
  }

  /** The chain may be unavailable or refuse: the job tries again. */
  private async tryTo(session: Session, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      await this.store.release(session.id);
    } catch (error) {
      const { message, pauseMs } = chainFault(error);
      this.logger.warn(`${session.id} is not settled yet: ${message}`);
      await this.store.release(session.id, pauseMs);
    }
  }

  /** The session once no payment of it waits for its answer, or after a while all the same. */
  private async afterPayment(id: string): Promise<Session> {
    const until = performance.now() + PAYING_WAIT_MS;
    for (;;) {
      const session = await this.reader.find(id);
      if (session.payingPaymentId === null || performance.now() > until) return session;
      await setTimeout(LOOK_EVERY_MS);
    }
  }
}

/** The highest voucher that the provider did not refuse, if it is not settled yet. */
function voucherOf({ address, voucherMicroUsdc, voucherSignature, settledMicroUsdc }: Session): SignedVoucher | null {
  if (voucherSignature === null || voucherMicroUsdc <= settledMicroUsdc || address === null) return null;
  return { message: voucherBytes({ channelId: address, cumulativeAmount: voucherMicroUsdc, expiresAt: 0n }), signature: voucherSignature };
}
