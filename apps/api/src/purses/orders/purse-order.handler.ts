import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type ApprovedCharge, Chain, type ChainAccount, type LandedOrder, type Signer, type SignedTransaction } from '#chain';
import { type Account, AccountsService } from '../../accounts';
import { escalationOf } from '../../allowances';
import {
  type FoundOrder,
  type Landed,
  type Order,
  type OrderHandler,
  OrderHandlers,
  type OrderInstruction,
  type OrderOutcome,
  Restores,
  type ShownOrder,
  type SideEffects,
  withoutKeys,
} from '../../orders';
import { AllowedHosts } from '../../providers';
import { type Purse, urlOf } from '../purse.entity';
import { foundPurse, rejectionOf } from './purse-orders';
import type { PurseEnd } from '../store/purse-records';
import { PurseStore } from '../store/purse.store';

/** The nonce and the deadline of an opening, as the chain shows them. */
export type LandedOpening = ApprovedCharge;

/** The common part of the orders that open a purse of either kind. */
@Injectable()
export abstract class PurseOrderHandler<O extends Parameters<typeof withoutKeys>[0]> implements OrderHandler, OnModuleInit {
  abstract readonly kind: 'purse' | 'channel_purse';

  constructor(
    protected readonly chain: Chain,
    protected readonly accounts: AccountsService,
    protected readonly store: PurseStore,
    private readonly handlers: OrderHandlers,
    private readonly restores: Restores,
    private readonly hosts: AllowedHosts,
  ) {}

  onModuleInit(): void {
    this.handlers.register(this);
  }

  abstract shown(order: Order, account: Account, onChain: ChainAccount): Promise<ShownOrder | undefined>;
  abstract reversed(order: Order): Promise<SideEffects | undefined>;

  /** The arguments of the instruction that opens a purse. */
  protected abstract onChain(purse: Purse, account: Account, approver: Signer | null): O;
  protected abstract simulate(opening: O, seq: bigint, minContextSlot: number): Promise<OrderOutcome>;
  protected abstract sign(opening: O, seq: bigint, signers: Signer[], purse: Purse): Promise<SignedTransaction>;
  /** The opening, by its transaction or by the state of the chain. @throws ChainUnavailableError */
  protected abstract opening(order: Order, landed: Landed): Promise<LandedOpening>;
  /** Ends a purse on chain that the database has lost. Idempotent. @throws ChainUnavailableError */
  protected abstract endLost(account: Account, seq: bigint, key: string): Promise<unknown>;
  /** A purse that the database has lost, with its end on chain. @throws ChainUnavailableError */
  protected abstract lost(order: Order, landed: Landed, opening: LandedOpening, account: Account): Promise<{ purse: Purse; end: PurseEnd }>;

  async instruction(order: Order): Promise<OrderInstruction> {
    return this.instructionFor(await this.store.find(order.id));
  }

  /** The instruction that opens a purse, which may not be stored yet. */
  instructionFor(purse: Purse): OrderInstruction {
    return {
      facts: (account) => withoutKeys(this.onChain(purse, account, null)),
      simulate: async (account, approver, seq, minContextSlot) =>
        this.hosts.outcome(account, urlOf(purse)) ?? this.simulate(this.onChain(purse, account, approver), seq, minContextSlot),
      sign: (account, approver, seq) =>
        this.sign(this.onChain(purse, account, approver), seq, this.accounts.signers(account, approver), purse),
    };
  }

  /** A purse has an event when it is open. */
  initiated(): SideEffects {
    return {};
  }

  /**
   * An opening is not recorded: the amount is still the account's. A payment's own purse has no event. A backfilled purse has ended: what it
   * spent is recorded here.
   */
  async settled(order: Order, landed: Landed): Promise<SideEffects> {
    const opening = await this.opening(order, landed);
    if (order.source === 'request') {
      const purse = await this.store.find(order.id);
      const isCut = purse.cutAt !== null || (await this.restores.isBeforeLast(order.submittedAt));
      const { event, ...effects } = this.store.opened(purse, landed, opening, isCut);
      return purse.paymentId === null ? { ...effects, event } : effects;
    }
    const account = await this.accounts.findEver(order.operatorId, order.accountId);
    const { purse, end } = await this.lost(order, landed, opening, account);
    return this.store.backfilled(purse, landed, opening, end);
  }

  /** A purse that the database has lost is ended first, because the database has none of its credentials: then its movements are final. */
  async backfill(landed: LandedOrder, account: Account): Promise<FoundOrder | undefined> {
    if (landed.delegate === null) return undefined;
    await this.endLost(account, landed.seq, landed.delegate);
    return foundPurse(this.kind, landed, account, landed.delegate);
  }

  async declined(order: Order, reason: string): Promise<SideEffects> {
    return rejectionOf(order, reason);
  }

  escalated(order: Order, thresholdMicroUsdc: bigint, expiresAt: Date): SideEffects {
    return escalationOf(order, { purse_id: order.id }, thresholdMicroUsdc, expiresAt);
  }
}
