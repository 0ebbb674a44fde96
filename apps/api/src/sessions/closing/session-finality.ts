import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Chain, ChainUnavailableError } from '#chain';
import { AccountsService } from '../../accounts';
import { JobsService } from '../../jobs/jobs.service';
import { Finality, type Judged, type Settled, type SettledFacts } from '../../orders';
import type { Session } from '../session.entity';
import { SessionReader } from '../store/session-reader';
import { SessionStore } from '../store/session.store';

const EVERY_MS = 5_000;

interface EndedSession extends Settled {
  session: Session;
}

/** The second look at ends of sessions: a session that ended has no account on the finalized chain. */
@Injectable()
export class SessionFinality implements OnModuleInit, SettledFacts<EndedSession> {
  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly reader: SessionReader,
    private readonly store: SessionStore,
    private readonly finality: Finality,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'session-finality', everyMs: EVERY_MS, run: () => this.finality.look('sessions', this) });
  }

  async between(from: Date, to: Date, limit: number): Promise<EndedSession[]> {
    const sessions = await this.reader.endedBetween(from, to, limit);
    return sessions.map((session) => ({ id: session.id, settledAt: session.closedAt ?? to, session }));
  }

  /**
   * One that ended while its payee could not receive is still there, and owed. A node is believed that an end is reversed only if it has
   * reached the slot at which the account was last seen to change.
   */
  async judge(ended: EndedSession[]): Promise<Judged<EndedSession>> {
    const shown = await this.chain.sessions.sessions(
      ended.map(({ session }) => session.address ?? ''),
      0,
      'finalized',
    );
    const suspects = ended.filter((_one, index) => shown[index] && shown[index].status !== 'owed');
    const judged: Judged<EndedSession> = { reversed: [], pending: [] };
    for (const suspect of suspects) {
      const isThere = await this.isThere(suspect.session);
      if (isThere === undefined || !isThere) judged.pending.push(suspect);
      else judged.reversed.push(suspect);
    }
    return judged;
  }

  /** Undefined if no node can say. */
  private async isThere({ operatorId, accountId, address }: Session): Promise<boolean | undefined> {
    const { observedSlot } = await this.accounts.findEver(operatorId, accountId);
    try {
      return (await this.chain.sessions.sessions([address ?? ''], Number(observedSlot)))[0] !== null;
    } catch (error) {
      if (error instanceof ChainUnavailableError) return undefined;
      throw error;
    }
  }

  async reverse({ session }: EndedSession): Promise<void> {
    await this.store.reverseEnd(session);
  }
}
