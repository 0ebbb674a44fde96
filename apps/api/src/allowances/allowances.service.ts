import { Injectable } from '@nestjs/common';
import type { LandedOrder } from '#chain';
import { type IdPrefix, storageFault } from '#database';
import { AccountsService } from '../accounts';
import type { Caller } from '../http/caller';
import { StorageUnavailable } from '../http/domain.errors';
import { type Page, pageConditions, type PageRequest, toPage } from '../lists/pages';
import {
  declinedBy,
  type Order,
  OrderDrafts,
  OrderForecasts,
  OrderLists,
  OrderReader,
  OrdersService,
  type OrderStatus,
  type Placed,
  requireNoDecline,
  type Simulated,
} from '../orders';
import type { MergedList } from '../persistence/merged-list';
import { AllowedHosts } from '../providers';
import { type EarlierOpening, OPENED, type Opening, type OpeningFacts, type PreparedOpening } from './opening';

/** The answer to an opening. A decline is thrown. */
export interface AllowanceAnswer<View> {
  status: 201 | 202;
  body: View;
  headers: Record<string, string>;
}

/** The filters of a list of allowances. */
export interface AllowanceList<State extends string> extends Pick<MergedList, 'operatorId' | 'accountIds' | 'filters' | 'limit'> {
  states: readonly State[];
}

/** A kind of allowance, as lists read it. */
export interface AllowanceKind<T, State extends string, View> {
  prefix: IdPrefix;
  orderKind: 'session' | 'purse';
  /** The states after `ordered`. */
  states: readonly State[];
  /** A page of allowances that were opened, newest first. */
  opened(list: AllowanceList<State>): Promise<T[]>;
  /** The allowances among these ids that are not open yet, newest first. */
  unopened(ids: string[]): Promise<T[]>;
  isUnopened(allowance: T): boolean;
  view(allowance: T, opening: OpeningFacts): View;
}

/** The statuses of the API that are those of the opening order. */
const ORDER_STATUSES: Readonly<Record<string, OrderStatus[]>> = {
  opening: ['created', 'submitted'],
  pending_approval: ['pending_approval'],
  rejected: ['rejected'],
  failed: ['failed'],
};

/**
 * The common part of sessions and purses. An allowance is an amount that one order sets aside, out of which payments are made, and whose
 * rest comes back.
 */
@Injectable()
export class Allowances {
  constructor(
    private readonly accounts: AccountsService,
    private readonly orders: OrdersService,
    private readonly orderReader: OrderReader,
    private readonly orderDrafts: OrderDrafts,
    private readonly forecasts: OrderForecasts,
    private readonly lists: OrderLists,
    private readonly hosts: AllowedHosts,
  ) {}

  /** The opening that holds the idempotency key of a request, if it is the same request. @throws IdempotencyConflict */
  async earlier(
    caller: Caller,
    { order, account }: Opening<unknown>,
    isSame: (landed: LandedOrder, lost: Order) => boolean | Promise<boolean>,
  ): Promise<EarlierOpening | undefined> {
    const stored = await this.orderReader.findByKey(order, order.idempotencyKey ?? '');
    const earlier = await this.orderDrafts.earlier(order, { caller, account, stored, isSame });
    return earlier && { kind: 'earlier', order: earlier, account };
  }

  /** A new opening with its outcome. `url` is of the only seller that it may pay; null for any. */
  async prepare<T>(caller: Caller, opening: Opening<T>, url: string | null): Promise<PreparedOpening<T>> {
    const { account, instruction } = opening;
    const barred = url === null ? undefined : this.hosts.violation(account, caller, url);
    const simulated = barred ? declinedBy(barred, account, instruction) : await this.simulate(opening);
    return { kind: 'new', ...opening, simulated };
  }

  /** The outcome of an opening on chain; undefined while the chain is unavailable. */
  simulate({ order, account, instruction }: Opening<unknown>): Promise<Simulated | undefined> {
    return this.forecasts.simulate(order, account, instruction);
  }

  /** The facts of the opening of an allowance. */
  openingOf<T extends { id: string }>(kind: AllowanceKind<T, string, unknown>, allowance: T): Promise<OpeningFacts> {
    return kind.isUnopened(allowance) ? this.orders.current(allowance.id) : Promise.resolve(OPENED);
  }

  /** A page of the caller's allowances, newest first. */
  async list<T extends { id: string }, State extends string, View>(
    caller: Caller,
    query: PageRequest & { account_id?: string; fleet_id?: string; status?: string },
    kind: AllowanceKind<T, State, View>,
  ): Promise<Page<View>> {
    const { operatorId } = caller;
    const accountIds = await this.accounts.listed(caller, query);
    const limit = query.limit + 1;
    const statuses = ORDER_STATUSES[query.status ?? ''];
    const allowances = statuses
      ? await kind.unopened(
          await this.lists.openingIds({ kind: kind.orderKind, operatorId, accountIds, statuses }, { before: query.cursor, limit }),
        )
      : await kind.opened({
          operatorId,
          accountIds,
          states: query.status === undefined ? kind.states : kind.states.filter((state) => state === query.status),
          filters: pageConditions(kind.prefix, query),
          limit,
        });
    const openings = new Map(await Promise.all(allowances.map(async (one) => [one.id, await this.openingOf(kind, one)] as const)));
    return toPage(allowances, query, (one) => kind.view(one, openings.get(one.id) ?? OPENED));
  }

  /**
   * The answer to a placed order. `view` reads how its allowance is now. If the database cannot say, `unknown` is shown: the order is
   * stored.
   * @throws the decline; StorageUnavailable if there is nothing to show.
   */
  async answer<View>({ order, headers }: Placed, view: () => Promise<View>, unknown: View | undefined): Promise<AllowanceAnswer<View>> {
    requireNoDecline(order, headers);
    try {
      return { status: order.status === 'settled' ? 201 : 202, body: await view(), headers };
    } catch (error) {
      if (!storageFault(error)) throw error;
      if (unknown === undefined) throw new StorageUnavailable();
      return { status: 202, body: unknown, headers };
    }
  }
}
