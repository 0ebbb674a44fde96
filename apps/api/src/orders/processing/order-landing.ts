import { Injectable } from '@nestjs/common';
import { Chain, ChainUnavailableError, type Failure, type SignedTransaction } from '#chain';
import { type Account, AccountsService } from '../../accounts';
import { Failpoints } from '../../runtime/failpoints';
import { inSpan } from '../../runtime/observability/tracing';
import { Backfill, isOf } from '../backfill/backfill';
import { NONCE_REASONS, NONCE_TAKEN, OUTDATED_REASONS, storeFailure } from './order-failures';
import type { Landed } from '../order-handlers.service';
import { OrderTransitions } from './order-transitions';
import type { Order } from '../order.entity';
import { OrderStore } from '../store/order.store';
import { ShownOrders } from '../backfill/shown-orders';

/** Sends what was signed for an order, and stores what became of it on chain. */
@Injectable()
export class OrderLanding {
  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly store: OrderStore,
    private readonly backfill: Backfill,
    private readonly shown: ShownOrders,
    private readonly transitions: OrderTransitions,
    private readonly failpoints: Failpoints,
  ) {}

  /** Signed bytes are stored: an unavailable chain makes the outcome unknown. */
  async submitIfReachable(order: Order, account: Account, signed: SignedTransaction, deadline: number): Promise<Order | undefined> {
    try {
      return await this.submit(order, account, signed, deadline);
    } catch (error) {
      if (error instanceof ChainUnavailableError) return order;
      throw error;
    }
  }

  /** Sends the bytes until their outcome is known, and stores it. */
  async submit(order: Order, account: Account, signed: SignedTransaction, deadline: number): Promise<Order | undefined> {
    const outcome = await inSpan('order.land', { 'order.signature': signed.signature }, () =>
      this.chain.orders.settle(signed, Math.max(0, deadline - performance.now()), () => this.failpoints.pass('transfer.sent')),
    );
    switch (outcome.kind) {
      case 'landed': {
        this.failpoints.pass('transfer.landed');
        const settled = await this.settleIfUsed(order, account, { signature: signed.signature, slot: outcome.slot }, deadline);
        this.failpoints.pass('transfer.settled');
        return settled;
      }
      case 'violation':
        this.failpoints.pass('transfer.refused');
        await this.accounts.noteChange(order.accountId, outcome.slot);
        return this.transitions.refused(order, account, outcome.violation);
      case 'failed':
        return this.afterFailure(order, account, outcome.failure);
      case 'expired':
      case 'unknown':
      case 'not_sent':
        return order;
    }
  }

  /**
   * A node says that the transaction landed. Money moved only if the account's nonce is used: a slow node may report the landing
   * seconds before it shows the account. If they still contradict each other at the deadline, recovery asks again.
   */
  async settleIfUsed(order: Order, account: Account, landed: Landed & { signature: string }, deadline: number): Promise<Order | undefined> {
    if (order.seq === null) return this.transitions.settle(order, landed);
    const outcome = await this.chain.orders.confirmNonceUsed(
      landed,
      { address: account.chainAddress, seq: order.seq },
      deadline - performance.now(),
    );
    if (outcome.kind === 'landed') return this.transitions.settle(order, landed);
    if (outcome.kind === 'violation') return this.transitions.refused(order, account, outcome.violation);
    if (outcome.kind === 'failed') return this.afterFailure(order, account, outcome.failure);
    return order;
  }

  /** The transaction landed with an error that is not a policy violation: it used no nonce and can never land again. */
  async afterFailure(order: Order, account: Account, failure: Failure): Promise<Order | undefined> {
    if (NONCE_REASONS.has(failure.reason)) return this.settleByHistory(order, account);
    // A key was rotated, or the fleet changed, between simulation and landing: sign again with the same nonce.
    if (OUTDATED_REASONS.has(failure.reason) && (await this.accounts.withCurrentKeys(account))) return this.store.restart(order);
    return this.store.fail(order, storeFailure(failure, order));
  }

  /** The nonce is used: by this order if the program's event says so; else by another, and this order gets a new nonce. */
  async settleByHistory(order: Order, account: Account): Promise<Order | undefined> {
    const onChain = await this.chain.accounts.find(account.chainAddress);
    const landed = order.seq === null ? null : await this.chain.history.findOrder(account.chainAddress, order.seq);
    if (landed && isOf(landed, order)) return this.transitions.settle(order, landed);
    // The nonce is used, and the history does not show by what: it is pruned, or recovery asks again.
    if (!landed && order.seq !== null && onChain?.isNonceUsed(order.seq)) {
      const shown = await this.shown.landed(order, account);
      return shown ? this.transitions.settle(order, shown) : order;
    }
    if (order.nonceOf !== null) {
      if (landed) await this.backfill.settle(landed);
      return this.store.fail(order, NONCE_TAKEN);
    }
    await this.accounts.raiseNonces(order.accountId, onChain?.highestSeq ?? 0n);
    return order.handedUntil === null ? this.store.dropNonce(order) : this.transitions.rejectHanded(order);
  }
}
