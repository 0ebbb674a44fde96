import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts';
import type { Caller } from '../../http/caller';
import { InvalidRequest } from '../../http/domain.errors';
import { type Purse, PurseNotOpen, PursesService, PurseStore } from '../../purses';
import { type Session, SessionNotOpen, SessionReader, SessionsService } from '../../sessions';
import type { Payment } from '../payment.entity';
import type { Funding } from '../methods/payment-method';
import { PaymentKeys } from './payment-keys';
import type { OpenSessionDto } from '../payments.dto';

/** Finds the account, session and purse that a payment is to be paid with. */
@Injectable()
export class PaymentFunding {
  constructor(
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
    private readonly sessionReader: SessionReader,
    private readonly purses: PursesService,
    private readonly purseStore: PurseStore,
    private readonly keys: PaymentKeys,
  ) {}

  /**
   * The source that a payment is to be paid with; and the payment that holds its key, if its session or purse cannot be used any more.
   * @throws NotFound, SessionNotOpen, PurseNotOpen, InvalidRequest for the account, the session or the purse.
   */
  async of(caller: Caller, draft: Payment, openSession: OpenSessionDto | null): Promise<{ funding: Funding; held: Payment | undefined }> {
    const [account, session, purse] = await Promise.allSettled([
      this.accounts.find(caller.operatorId, draft.accountId),
      draft.sessionId === null ? null : this.openSession(caller, draft.sessionId, draft),
      draft.purseId === null ? null : this.openPurse(caller, draft.purseId, draft),
    ]);
    if (account.status === 'rejected') throw account.reason;
    const unusable = [session, purse].find((each) => each.status === 'rejected');
    const held = unusable && (await this.keys.findByKey(draft));
    if (unusable && !held) throw unusable.reason;
    const source = {
      session: session.status === 'fulfilled' ? session.value : null,
      purse: purse.status === 'fulfilled' ? purse.value : null,
    };
    return { funding: { caller, account: account.value, ...source, openSession }, held };
  }

  /** The source of a payment that runs again. With `openSession` its session is found as before, unless that has ended. */
  async again({ sessionId, purseId }: Payment, funding: Funding): Promise<Funding> {
    const isFound = sessionId === null || funding.openSession !== null;
    const session = isFound ? null : await this.sessionReader.find(sessionId);
    const purse = purseId === null ? null : await this.purseStore.find(purseId);
    return { ...funding, session, purse };
  }

  /** @throws NotFound, SessionNotOpen, and InvalidRequest for a session of another account or of another provider. */
  private async openSession(caller: Caller, sessionId: string, { accountId, provider }: Payment): Promise<Session> {
    const session = await this.sessions.find(caller, sessionId);
    if (session.accountId !== accountId) throw InvalidRequest.field('session_id', 'is a session of another account');
    if (session.state !== 'open') throw new SessionNotOpen(session.id, (await this.sessions.view(session)).status);
    if (session.provider !== provider) throw InvalidRequest.field('session_id', `is a session for ${session.provider}`);
    return session;
  }

  /** @throws NotFound, PurseNotOpen, and InvalidRequest for a purse of another account. */
  private async openPurse(caller: Caller, purseId: string, { accountId }: Payment): Promise<Purse> {
    const purse = await this.purses.find(caller, purseId);
    if (purse.accountId !== accountId) throw InvalidRequest.field('purse_id', 'is a purse of another account');
    await this.purses.requireOpen(purse);
    // The purse of a payment pays that one alone.
    if (purse.paymentId !== null) throw new PurseNotOpen(purse.id, purse.status);
    return purse;
  }
}
