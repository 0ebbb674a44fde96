import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Chain, ChainUnavailableError, type ChainSession, type SessionOrder, type Signer, type TopUpOrder } from '#chain';
import { idBytes } from '#database';
import { type Account, AccountsService } from '../accounts';
import { referenceMembers, referenceOf } from '../http/references';
import { formatUsdc } from '../money/usdc';
import { type Landed, type Order, type OrderHandler, OrderHandlers, type OrderInstruction, type SideEffects } from '../orders';
import { SessionStore } from './session.store';
import type { Session } from './session.entity';

/** What openings and top-ups have in common: both move money into a session's escrow. */
@Injectable()
abstract class SessionOrderHandler implements OrderHandler, OnModuleInit {
  abstract readonly kind: 'session' | 'top_up';

  constructor(
    protected readonly chain: Chain,
    protected readonly accounts: AccountsService,
    protected readonly store: SessionStore,
    private readonly handlers: OrderHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register(this);
  }

  abstract instruction(order: Order): Promise<OrderInstruction>;
  abstract settled(order: Order, landed: Landed, settledAt: Date): Promise<SideEffects>;

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
    const { operatorId, accountId, sessionId, payee, microUsdc } = order;
    const data = {
      session_id: sessionId ?? '',
      account_id: accountId,
      amount_usdc: formatUsdc(microUsdc),
      to: payee,
      memo: null,
      threshold_usdc: formatUsdc(thresholdMicroUsdc),
      expires_at: expiresAt.toISOString(),
      ...referenceMembers(order),
    };
    return { event: { operatorId, accountId, type: 'escalation.required', data } };
  }

  protected async sessionOf({ sessionId }: Order): Promise<Session> {
    return this.store.find(sessionId ?? '');
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
      simulate: (account, approver, seq, minContextSlot) =>
        this.chain.sessions.simulateOpen(opening(order, session, account, approver), seq, minContextSlot),
      sign: (account, approver, seq) =>
        this.chain.sessions.signOpen(opening(order, session, account, approver), seq, this.accounts.signers(account, approver)),
    };
  }

  async settled(order: Order, landed: Landed, settledAt: Date): Promise<SideEffects> {
    const session = await this.sessionOf(order);
    const account = await this.accounts.findEver(order.operatorId, order.accountId);
    const { address } = this.chain.sessions.plan(account.chainAddress, landed.seq ?? order.seq ?? 0n);
    return this.store.opened(session, landed, await this.asOpened(address, landed, settledAt));
  }

  /** The session as the chain shows it. One that has ended since was open all the same: its end is found next. */
  private async asOpened(
    address: string,
    { slot }: Landed,
    settledAt: Date,
  ): Promise<Pick<ChainSession, 'address' | 'openedAt' | 'expiresAt'>> {
    const [found] = await this.chain.sessions.sessions([address], slot);
    if (found) return found;
    if (!(await this.chain.sessions.ended(address)))
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
      simulate: (account, approver, seq, minContextSlot) =>
        this.chain.sessions.simulateTopUp(topUp(order, session, account, approver), seq, minContextSlot),
      sign: (account, approver, seq) =>
        this.chain.sessions.signTopUp(topUp(order, session, account, approver), seq, this.accounts.signers(account, approver)),
    };
  }

  async settled(_order: Order, landed: Landed): Promise<SideEffects> {
    return this.store.toppedUp(landed);
  }
}

function opening(order: Order, session: Session, account: Account, approver: Signer | null): SessionOrder {
  return {
    address: account.chainAddress,
    tokenAccount: account.usdcTokenAccount,
    sessionId: idBytes(session.id),
    providerHash: createHash('sha256').update(session.provider).digest(),
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
    address: account.chainAddress,
    tokenAccount: account.usdcTokenAccount,
    session: session.address ?? '',
    topUpId: idBytes(order.id),
    microUsdc: order.microUsdc,
    authority: account.authorityKey,
    approvedBy: approver?.address ?? null,
  };
}
