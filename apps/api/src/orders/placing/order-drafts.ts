/** Orders before they are stored: the draft of a request, and the order that an equal request placed earlier. */
import { Injectable } from '@nestjs/common';
import { ChainUnavailableError, type LandedOrder } from '#chain';
import type { Account } from '../../accounts';
import type { Caller } from '../../http/caller';
import { Clock } from '../../runtime/clock';
import { Backfill, type LostOrder } from '../backfill/backfill';
import { LostOrderStore } from '../backfill/lost-order.store';
import type { NewOrder, Order } from '../order.entity';
import { OrderInsertions } from '../store/order-insertions';
import { OrderTags, type Requested } from './order-tags';
import { IdempotencyConflict } from '../orders.errors';
import { hashOfMemo, requireSameRequest } from './request-hash';

@Injectable()
export class OrderDrafts {
  constructor(
    private readonly clock: Clock,
    private readonly insertions: OrderInsertions,
    private readonly lost: LostOrderStore,
    private readonly backfill: Backfill,
    private readonly tags: OrderTags,
  ) {}

  /** A new id for the order of a request, by which the chain shows whether it landed. */
  newId(requested: Requested): Promise<string> {
    return this.tags.newId(requested, this.clock.now());
  }

  /** A new order that is not stored yet. */
  async draft(order: NewOrder): Promise<Order> {
    const draft = this.insertions.draft(order);
    return draft.memo === null ? draft : Object.assign(draft, { memoSalt: await this.tags.memoSalt(draft.id) });
  }

  /**
   * The order that an equal request placed before: `stored` holds the idempotency key, or the order landed and was lost in a restore.
   * `isSame`: whether the landed order has the parameters of the request that only its kind knows.
   * @throws IdempotencyConflict for other parameters; ChainUnavailable if it is not known what a lost order was.
   */
  async earlier(
    draft: Order,
    {
      caller,
      account,
      stored,
      isSame,
    }: {
      caller: Caller;
      account: Account;
      stored: Order | undefined;
      isSame?: (landed: LandedOrder, lost: Order) => boolean | Promise<boolean>;
    },
  ): Promise<Order | undefined> {
    if (stored) requireSameRequest(stored, draft.requestHash, caller);
    if (stored && !isRerunnable(stored)) return stored;
    if (stored && !(await this.insertions.hasKey(stored))) throw new IdempotencyConflict(null);
    let lost: LostOrder | undefined;
    try {
      lost = await this.backfill.lostFor(draft, account);
    } catch (error) {
      // The simulation, which is next, finds the same and stores the request as failed.
      if (error instanceof ChainUnavailableError) return stored;
      throw error;
    }
    if (!lost) return stored;
    const memoSalt = draft.memo === null ? null : await this.tags.memoSalt(lost.order.id);
    const isEqual = shows(lost.landed, draft, account) && hasMemo(lost.landed, draft.memo, memoSalt);
    if (!isEqual || (await isSame?.(lost.landed, lost.order)) === false) throw new IdempotencyConflict(lost.order, caller);
    return (await this.lost.claim(lost.order, draft, memoSalt)) ?? this.insertions.findByKey(draft, draft.idempotencyKey ?? '');
  }
}

/** Whether the same request may run again: nothing moved, and no rule but the balance was in the way. */
export function isRerunnable({ status, rejectionReason }: Order): boolean {
  return status === 'failed' || (status === 'rejected' && rejectionReason === 'insufficient_balance');
}

/** Whether a landed order of the account is what a request asks for, as far as the chain shows it for every kind. */
function shows(landed: LandedOrder, { microUsdc, destination, category, kind }: Order, { chainAddress }: Account): boolean {
  const isDestination = landed.destination === null || landed.destination === destination;
  const isCategory = kind === 'top_up' || landed.category === category;
  return landed.account === chainAddress && landed.microUsdc === microUsdc && isDestination && isCategory;
}

/** Whether a landed order carries the hash of a memo, under the salt of its id. */
function hasMemo({ kind, memoHash }: LandedOrder, memo: string | null, salt: Buffer | null): boolean {
  const expected = salt === null ? null : hashOfMemo(memo, salt);
  return kind !== 'transfer' || (expected === null ? memoHash === null : memoHash !== null && expected.equals(memoHash));
}
