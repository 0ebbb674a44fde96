import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountsService, PolicyLists } from '../../../accounts';
import { LedgerService, type NewLedgerEntry } from '../../../ledger';
import { referenceMembers, UNREFERENCED } from '../../../lists/references';
import { formatUsdc } from '../../../money/usdc';
import {
  HandedOrders,
  type Landed,
  type Order,
  type OrderHandler,
  OrderHandlers,
  type OrderInstruction,
  type ShownOrder,
  type SideEffects,
  type StoredViolation,
} from '../../../orders';
import type { Payment } from '../../payment.entity';
import { paidEffects } from '../charge/charge-order';
import { notTaken } from '../charge/charge-settlement';
import { SellerAnswers } from './seller-answers';
import { TransferStore } from './transfer.store';

/** Orders that a seller's facilitator completes and sends. Their payments change in the same statements. */
@Injectable()
export class DirectTransferHandler implements OrderHandler, OnModuleInit {
  readonly kind = 'direct_transfer';

  constructor(
    private readonly accounts: AccountsService,
    private readonly lists: PolicyLists,
    private readonly ledger: LedgerService,
    private readonly handlers: OrderHandlers,
    private readonly handed: HandedOrders,
    private readonly answers: SellerAnswers,
    private readonly store: TransferStore,
  ) {}

  onModuleInit(): void {
    this.handlers.register(this);
  }

  /** It is signed once, with what the seller asks for, before it is stored. @throws Error always */
  async instruction({ id }: Order): Promise<OrderInstruction> {
    throw new Error(`${id} is signed with its payment, and never again`);
  }

  initiated(): SideEffects {
    return {};
  }

  /** Also if a charge was to take its nonce over: then the payment is the transfer's again. */
  async settled(order: Order, { signature, slot }: Landed, settledAt: Date): Promise<SideEffects> {
    const follower = await this.handed.followerOf(order.id);
    const payment = await this.store.ofOrder(follower === undefined ? [order.id] : [order.id, follower]);
    const { event, entries } = paidEffects(
      { ...order, payee: payeeOf(order) },
      { payment: payment ?? null, microUsdc: order.microUsdc, signature, settledAt },
    );
    const companion = payment && this.store.settling(payment, { signature, slot }, settledAt);
    return { slot, event, entries: [...entries, ...(await this.received(order, entries))], ...(companion && { companion }) };
  }

  /** The entry of an account of this service that was paid. Another operator's names neither the payment nor the payer's id. */
  private async received({ operatorId, accountId, destinationAccountId }: Order, [paid]: NewLedgerEntry[]): Promise<NewLedgerEntry[]> {
    if (destinationAccountId === null || !paid) return [];
    const isOwn = (await this.accounts.findMany(operatorId, [destinationAccountId])).length > 0;
    const { chainAddress } = await this.accounts.findEver(operatorId, accountId);
    const shared = isOwn
      ? { ...paid, counterparty: accountId }
      : { ...paid, counterparty: chainAddress, paymentId: null, provider: null, ...UNREFERENCED };
    return [{ ...shared, accountId: destinationAccountId, direction: 'in' }];
  }

  /** The nonce is the order's own; that its amount has left, the balance shows. */
  async shown({ microUsdc }: Order): Promise<ShownOrder> {
    return { isProven: false, microUsdc };
  }

  async reversed(order: Order): Promise<SideEffects> {
    const payment = await this.store.ofOrder([order.id]);
    const data = {
      transfer_id: payment?.id ?? order.id,
      account_id: order.accountId,
      amount_usdc: formatUsdc(order.microUsdc),
      tx_signature: order.signature ?? '',
      ...referenceMembers(payment ?? UNREFERENCED),
    };
    const event = { operatorId: order.operatorId, accountId: order.accountId, type: 'transfer.reversed' as const, data };
    return { event, companion: [this.ledger.removalOfOrder(), ...(payment ? [this.store.reversing(payment)] : [])] };
  }

  /** The chain distinguishes it from no other transfer: that kind's handler writes a lost one. */
  async backfill(): Promise<undefined> {
    return undefined;
  }

  /** It can no longer land. */
  async declined(order: Order): Promise<SideEffects> {
    const payment = await this.store.ofOrder([order.id]);
    return payment?.status === 'unknown' ? this.store.rejecting(payment, await this.reasonAgainst(payment, order)) : {};
  }

  /** An account that lists its counterparties has no other way to pay a seller whose facilitator does not take the program's transfers. */
  private async reasonAgainst(payment: Payment, { operatorId, accountId }: Order): Promise<StoredViolation> {
    const account = await this.accounts.findEver(operatorId, accountId);
    const answer = (await this.lists.listsCounterparties(account)) ? await this.answers.known(payment) : undefined;
    const isRefused = answer?.takesTransfers === false && payment.sentAt !== null && answer.answeredAt >= payment.sentAt;
    return isRefused ? refusedByFacilitator(payment) : notTaken(payment);
  }

  /** No operator is asked to approve it: the payment is declined. */
  escalated(): SideEffects {
    return {};
  }
}

/** Why an account that lists its counterparties cannot pay a seller. */
export function refusedByFacilitator({ provider, microUsdc }: Pick<Payment, 'provider' | 'microUsdc'>): StoredViolation {
  return {
    rule: 'charge_with_listed_recipients',
    message:
      `This account lists its recipients, and the facilitator of ${new URL(provider).host} does not take transfers of this service's program: ` +
      'ask it to list the program, or pay the seller through a session.',
    attempted_usdc: formatUsdc(microUsdc),
  };
}

function payeeOf({ id, payee }: Order): string {
  if (payee === null) throw new Error(`${id} has no payee`);
  return payee;
}
