import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  Chain,
  ChainUnavailableError,
  type ChainSession,
  type SessionOrder,
  type SignedTransaction,
  type Signer,
  type TopUpOrder,
  type Verdict,
} from '#chain';
import { idBytes } from '#database';
import { type Account, AccountsService } from '../accounts';
import { formatUsdc } from '../money/usdc';
import { type Landed, type Order, type OrderHandler, OrderHandlers, type SideEffects } from '../orders';
import { SessionStore } from './session.store';
import type { Session } from './session.entity';

/** What the two kinds of orders have in common that set money aside for a session. */
@Injectable()
abstract class SessionOrderHandler implements OrderHandler, OnModuleInit {
  abstract readonly name: 'session' | 'top_up';

  constructor(
    protected readonly chain: Chain,
    protected readonly accounts: AccountsService,
    protected readonly store: SessionStore,
    private readonly handlers: OrderHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register(this);
  }

  abstract judge(order: Order, account: Account, approver: Signer | null, seq: bigint, minContextSlot: number): Promise<Verdict>;
  abstract sign(order: Order, account: Account, approver: Signer | null, seq: bigint): Promise<SignedTransaction>;
  abstract settled(order: Order, landed: Landed, settledAt: Date): Promise<SideEffects>;

  /** Of sessions the opening is told, when the cap is in escrow. */
  initiated(): SideEffects {
    return {};
  }

  declined(order: Order, reason: string): SideEffects {
    const { accountId, microUsdc, recipient, category, id, sessionId } = order;
    const line = {
      accountId,
      direction: 'out' as const,
      microUsdc,
      counterparty: recipient,
      memo: null,
      category,
      transferId: id,
      sessionId,
    };
    return { lines: [{ ...line, type: 'rejection', signature: null, rejectionReason: reason, settledAt: null }] };
  }

  escalated({ operatorId, accountId, sessionId, recipient, microUsdc }: Order, thresholdMicroUsdc: bigint, expiresAt: Date): SideEffects {
    const data = {
      session_id: sessionId ?? '',
      account_id: accountId,
      amount_usdc: formatUsdc(microUsdc),
      to: recipient,
      memo: null,
      threshold_usdc: formatUsdc(thresholdMicroUsdc),
      expires_at: expiresAt.toISOString(),
    };
    return { event: { operatorId, accountId, type: 'escalation.required', data } };
  }

  protected signers(account: Account, approver: Signer | null): Signer[] {
    return [this.accounts.authority(account), ...(approver ? [approver] : [])];
  }

  protected async sessionOf({ sessionId }: Order): Promise<Session> {
    return this.store.find(sessionId ?? '');
  }
}

/** Orders that move a cap into a new session's escrow. */
@Injectable()
export class SessionOpeningHandler extends SessionOrderHandler {
  readonly name = 'session';
  /** Sessions that are judged before they are in the database. */
  private readonly drafts = new WeakMap<Order, Session>();

  /** The session that an order opens which is not in the database yet. */
  drafted(order: Order, session: Session): void {
    this.drafts.set(order, session);
  }

  async judge(order: Order, account: Account, approver: Signer | null, seq: bigint, minContextSlot: number): Promise<Verdict> {
    return this.chain.sessions.judgeOpen(await this.onChain(order, account, approver), seq, minContextSlot);
  }

  async sign(order: Order, account: Account, approver: Signer | null, seq: bigint): Promise<SignedTransaction> {
    return this.chain.sessions.signOpen(await this.onChain(order, account, approver), seq, this.signers(account, approver));
  }

  async settled(order: Order, landed: Landed, settledAt: Date): Promise<SideEffects> {
    const session = await this.sessionOf(order);
    const account = await this.accounts.findEver(order.operatorId, order.accountId);
    const { address } = this.chain.sessions.plan(account.chainAddress, landed.seq ?? order.seq ?? 0n);
    return this.store.opened(session, landed, await this.asOpened(address, landed, settledAt));
  }

  /** As the chain holds it; one that has ended since was open all the same, and its end is found next. */
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

  private async onChain(order: Order, account: Account, approver: Signer | null): Promise<SessionOrder> {
    const session = this.drafts.get(order) ?? (await this.sessionOf(order));
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
}

/** Orders that raise the cap of an open session. */
@Injectable()
export class TopUpHandler extends SessionOrderHandler {
  readonly name = 'top_up';

  async judge(order: Order, account: Account, approver: Signer | null, seq: bigint, minContextSlot: number): Promise<Verdict> {
    return this.chain.sessions.judgeTopUp(await this.onChain(order, account, approver), seq, minContextSlot);
  }

  async sign(order: Order, account: Account, approver: Signer | null, seq: bigint): Promise<SignedTransaction> {
    return this.chain.sessions.signTopUp(await this.onChain(order, account, approver), seq, this.signers(account, approver));
  }

  async settled(_order: Order, landed: Landed): Promise<SideEffects> {
    return this.store.toppedUp(landed);
  }

  private async onChain(order: Order, account: Account, approver: Signer | null): Promise<TopUpOrder> {
    const { address } = await this.sessionOf(order);
    return {
      address: account.chainAddress,
      tokenAccount: account.usdcTokenAccount,
      session: address ?? '',
      topUpId: idBytes(order.id),
      microUsdc: order.microUsdc,
      authority: account.authorityKey,
      approvedBy: approver?.address ?? null,
    };
  }
}
