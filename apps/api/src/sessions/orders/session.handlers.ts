import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  Chain,
  type ChainAccount,
  ChainUnavailableError,
  type ChainSession,
  type LandedOrder,
  type SessionOrder,
  type Signer,
  type TopUpOrder,
} from '#chain';
import { idBytes } from '#database';
import { type Account, addressesOf, AccountsService } from '../../accounts';
import { escalationOf } from '../../allowances';
import { referenceOf, UNREFERENCED } from '../../lists/references';
import {
  type FoundOrder,
  type Landed,
  type Order,
  type OrderHandler,
  OrderHandlers,
  type OrderInstruction,
  type OrderOutcome,
  type ShownOrder,
  Restores,
  type SideEffects,
  withoutKeys,
} from '../../orders';
import { AllowedHosts } from '../../providers';
import { SessionReader } from '../store/session-reader';
import { SessionStore } from '../store/session.store';
import { hashOfProvider, lostProvider, type Session } from '../session.entity';

/** The common part of openings and top-ups: both move money into a session's escrow. */
@Injectable()
abstract class SessionOrderHandler implements OrderHandler, OnModuleInit {
  abstract readonly kind: 'session' | 'top_up';

  constructor(
    protected readonly chain: Chain,
    protected readonly accounts: AccountsService,
    protected readonly reader: SessionReader,
    protected readonly store: SessionStore,
    private readonly handlers: OrderHandlers,
    protected readonly restores: Restores,
    private readonly hosts: AllowedHosts,
  ) {}

  onModuleInit(): void {
    this.handlers.register(this);
  }

  abstract instruction(order: Order): Promise<OrderInstruction>;
  abstract settled(order: Order, landed: Landed, settledAt: Date): Promise<SideEffects>;
  abstract shown(order: Order, account: Account, onChain: ChainAccount): Promise<ShownOrder | undefined>;
  abstract reversed(order: Order): Promise<SideEffects>;
  abstract backfill(landed: LandedOrder, account: Account): Promise<FoundOrder | undefined>;

  /** A session has an event when its cap is in escrow. */
  initiated(): SideEffects {
    return {};
  }

  async declined(order: Order, reason: string): Promise<SideEffects> {
    const { id, accountId, microUsdc, payee, category, sessionId } = order;
    const entry = { accountId, direction: 'out' as const, microUsdc, counterparty: payee, category, orderId: id, sessionId };
    const { provider } = await this.sessionOf(order);
    return { entries: [{ ...entry, provider, ...referenceOf(order), type: 'rejection', rejectionReason: reason }] };
  }

  escalated(order: Order, thresholdMicroUsdc: bigint, expiresAt: Date): SideEffects {
    return escalationOf(order, { session_id: order.sessionId ?? '' }, thresholdMicroUsdc, expiresAt);
  }

  /** The decline of a session whose provider is not among the hosts that its account may pay. A session found on chain has none. */
  protected barred(account: Account, { provider }: Session): OrderOutcome | undefined {
    return this.hosts.outcome(account, URL.canParse(provider) ? provider : null);
  }

  protected async sessionOf({ sessionId }: Order): Promise<Session> {
    return this.reader.find(sessionId ?? '');
  }
}

/** Orders that move a cap into a new session's escrow. */
@Injectable()
export class SessionOpeningHandler extends SessionOrderHandler {
  readonly kind = 'session';

  async instruction(order: Order): Promise<OrderInstruction> {
    return this.instructionFor(order, await this.sessionOf(order));
  }

  /** The instruction of an order whose session is not stored yet. */
  instructionFor(order: Order, session: Session): OrderInstruction {
    return {
      facts: (account) => withoutKeys(opening(order, session, account, null)),
      simulate: async (account, approver, seq, minContextSlot) =>
        this.barred(account, session) ?? this.chain.sessions.simulateOpen(opening(order, session, account, approver), seq, minContextSlot),
      sign: (account, approver, seq) =>
        this.chain.sessions.signOpen(opening(order, session, account, approver), seq, this.accounts.signers(account, approver)),
    };
  }

  async settled(order: Order, landed: Landed, settledAt: Date): Promise<SideEffects> {
    const session = await this.sessionOf(order);
    const account = await this.accounts.findEver(order.operatorId, order.accountId);
    const address = landed.session ?? this.chain.sessions.plan(account.chainAddress, landed.seq ?? order.seq ?? 0n).address;
    const isCut = order.source === 'backfill' || session.cutAt !== null || (await this.restores.isBeforeLast(order.submittedAt));
    return this.store.opened(session, landed, await this.asOpened(address, landed, settledAt), isCut);
  }

  /** The account of the session has its id. One that is gone has ended: what it paid is found next. */
  async shown({ id, seq, microUsdc }: Order, { chainAddress, observedSlot }: Account): Promise<ShownOrder> {
    const { address } = this.chain.sessions.plan(chainAddress, seq ?? 0n);
    const [found] = await this.chain.sessions.sessions([address], Number(observedSlot));
    return found ? { isProven: idBytes(id).equals(found.sessionId), microUsdc } : { isProven: false, microUsdc: 0n };
  }

  /** A session that has ended since is opened again only to be ended again. */
  async reversed(order: Order): Promise<SideEffects> {
    const session = await this.sessionOf(order);
    const current = session.state === 'settled' ? ((await this.store.reverseEnd(session)) ?? session) : session;
    const { event, ...effects } = this.store.openingReversed(current);
    return current === session ? { ...effects, event } : effects;
  }

  /** The key that signs its vouchers is lost: the session is ended, and what was not settled comes back. */
  async backfill({ opening, microUsdc, category }: LandedOrder, account: Account): Promise<FoundOrder | undefined> {
    if (opening === null) return undefined;
    const { payee, openedAt, expiresAt, graceSeconds } = opening;
    const owner = { operatorId: account.operatorId, accountId: account.id };
    return {
      order: (id) => ({ ...owner, id, kind: this.kind, sessionId: id, requestHash: Buffer.alloc(0), payee, microUsdc, category }),
      companion: (id) =>
        this.store.insertion({
          ...owner,
          ...UNREFERENCED,
          id,
          provider: lostProvider(opening.providerHash),
          payee,
          category,
          graceSeconds,
          expiresInSeconds: Math.round((expiresAt.getTime() - openedAt.getTime()) / 1000),
          voucherKey: opening.voucherKey,
          voucherKeySealed: null,
          capMicroUsdc: microUsdc,
          createdAt: openedAt,
        }),
    };
  }

  /** The session as the chain shows it. One that has ended since was open all the same: its end is found next. */
  private async asOpened(
    address: string,
    { slot, isShownByState }: Landed,
    settledAt: Date,
  ): Promise<Pick<ChainSession, 'address' | 'openedAt' | 'expiresAt'>> {
    const [found] = await this.chain.sessions.sessions([address], slot);
    if (found) return found;
    if (!isShownByState && !(await this.chain.sessions.ended(address)))
      throw new ChainUnavailableError('a node has seen the opening of a session and does not show it yet');
    return { address, openedAt: settledAt, expiresAt: settledAt };
  }
}

/** Orders that raise the cap of an open session. */
@Injectable()
export class TopUpHandler extends SessionOrderHandler {
  readonly kind = 'top_up';

  async instruction(order: Order): Promise<OrderInstruction> {
    const session = await this.sessionOf(order);
    return {
      facts: (account) => withoutKeys(topUp(order, session, account, null)),
      simulate: async (account, approver, seq, minContextSlot) =>
        this.barred(account, session) ?? this.chain.sessions.simulateTopUp(topUp(order, session, account, approver), seq, minContextSlot),
      sign: (account, approver, seq) =>
        this.chain.sessions.signTopUp(topUp(order, session, account, approver), seq, this.accounts.signers(account, approver)),
    };
  }

  async settled(_order: Order, landed: Landed): Promise<SideEffects> {
    return this.store.toppedUp(landed);
  }

  /** The session has a higher cap than is stored. Of one that is gone, its end tells the amount. */
  async shown(order: Order, { observedSlot }: Account): Promise<ShownOrder | undefined> {
    const session = await this.sessionOf(order);
    const [found] = await this.chain.sessions.sessions([session.address ?? ''], Number(observedSlot));
    if (!found) return { isProven: true, microUsdc: null };
    return found.cap >= session.capMicroUsdc + order.microUsdc ? { isProven: true, microUsdc: order.microUsdc } : undefined;
  }

  async reversed(): Promise<SideEffects> {
    return this.store.topUpReversed();
  }

  async backfill({ session: address, microUsdc }: LandedOrder, account: Account): Promise<FoundOrder | undefined> {
    const session = address === null ? undefined : await this.reader.findAt(account.id, address);
    if (!session) return undefined;
    const { operatorId, accountId, id: sessionId, payee, category } = session;
    return {
      order: (id) => ({ id, kind: this.kind, operatorId, accountId, sessionId, requestHash: Buffer.alloc(0), payee, microUsdc, category }),
    };
  }
}

function opening(order: Order, session: Session, account: Account, approver: Signer | null): SessionOrder {
  return {
    ...addressesOf(account),
    sessionId: idBytes(session.id),
    providerHash: hashOfProvider(session.provider),
    payee: session.payee,
    cap: order.microUsdc,
    category: session.category,
    voucherKey: session.voucherKey,
    expiresInSeconds: session.expiresInSeconds,
    graceSeconds: session.graceSeconds,
    authority: account.authorityKey,
    approvedBy: approver?.address ?? null,
  };
}

function topUp(order: Order, session: Session, account: Account, approver: Signer | null): TopUpOrder {
  return {
    ...addressesOf(account),
    session: session.address ?? '',
    topUpId: idBytes(order.id),
    microUsdc: order.microUsdc,
    authority: account.authorityKey,
    approvedBy: approver?.address ?? null,
  };
}
