import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain, ChainUnavailableError, type LandedOrder } from '#chain';
import { empty, execute, idBytes, idOf, newId, sql } from '#database';
import { type Account, AccountsService } from '../../accounts';
import { ArchivedMonths } from '../../ledger';
import { Clock } from '../../runtime/clock';
import { LostOrderStore } from './lost-order.store';
import type { Order } from '../order.entity';
import { OrderInsertions } from '../store/order-insertions';
import { MAX_UNRESOLVED_SPAN } from '../store/nonce.store';
import { OrderStore } from '../store/order.store';
import { OrderHandlers } from '../order-handlers.service';
import { PREFIXES } from '../placing/order-tags';
import { Restores } from './restores';

/** How long a process believes that an operator has no unclaimed orders: another process may write some. */
const NONE_FOR_MS = 5_000;

/** An order that was written from the chain and that no request has claimed, and what the chain shows of it. */
export interface LostOrder {
  order: Order;
  landed: LandedOrder;
}

/**
 * Settles and writes the orders that landed after a backup was made, when the database is restored from it. It finds them by the
 * nonces that are used on chain and that no row of the database has, and by the program's events.
 */
@Injectable()
export class Backfill {
  private readonly logger = new Logger('Orders');
  /** The accounts that this process has compared with the chain, or compares now. A database is restored while no process runs. */
  private readonly compared = new Map<string, Promise<string[]>>();
  /** Until when an operator has no unclaimed orders. */
  private readonly noneUntil = new Map<string, number>();

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly store: OrderStore,
    private readonly insertions: OrderInsertions,
    private readonly lost: LostOrderStore,
    private readonly handlers: OrderHandlers,
    private readonly restores: Restores,
    private readonly archived: ArchivedMonths,
  ) {}

  /** Runs once an account in the life of this process: before its first new order. @throws ChainUnavailableError */
  async compareOnce(account: Account): Promise<void> {
    const known = this.compared.get(account.id);
    if (known) return void (await known);
    const comparison = this.run(account);
    this.compared.set(account.id, comparison);
    try {
      await comparison;
    } catch (error) {
      this.compared.delete(account.id);
      throw error;
    }
  }

  /**
   * The landed order that a new one asks for again: of the same operator, kind and idempotency key, lost in a restore, and final for less
   * time than a key is kept. @throws ChainUnavailableError
   */
  async lostFor(order: Order, account: Account): Promise<LostOrder | undefined> {
    if (order.idempotencyKey === null) return undefined;
    await this.compareOnce(account);
    const { operatorId } = order;
    if ((this.noneUntil.get(operatorId) ?? 0) > performance.now()) return undefined;
    if (!(await this.lost.hasUnclaimed(operatorId))) {
      this.noneUntil.set(operatorId, performance.now() + NONE_FOR_MS);
      return undefined;
    }
    const lost = await this.lost.unclaimed(order);
    if (!lost) return undefined;
    const landed = (await this.chain.history.ordersIn(lost.signature ?? '')).find(({ seq }) => seq === lost.seq);
    if (!landed) throw new ChainUnavailableError(`a node does not show ${lost.signature}, by which ${lost.id} landed`);
    return { order: lost, landed };
  }

  /**
   * Settles every landed order of the account that the database has lost, so that none is paid again. Returns their ids. With `again` it
   * also looks for those that it did not find before.
   * @throws ChainUnavailableError
   */
  async run(account: Account, { again = false } = {}): Promise<string[]> {
    const unknown = await this.unknownNonces(account, again);
    if (unknown.length === 0) return [];
    // Nonces land in any order, but never further apart than this.
    const floor = [account.nextSeq, ...unknown].reduce((least, seq) => (seq < least ? seq : least)) - BigInt(MAX_UNRESOLVED_SPAN);
    const landed: LandedOrder[] = [];
    for await (const order of this.chain.history.ordersOf(account.chainAddress)) {
      if (order.seq < floor) break;
      landed.push(order);
    }
    const found: string[] = [];
    // Oldest first: a top-up follows the opening of its session.
    for (const order of landed.reverse()) {
      const settled = (await this.settle(order)) ?? (await this.write(order, account));
      if (settled) found.push(settled.id);
    }
    await this.accounts.raiseNonces(account.id, unknown.at(-1) ?? 0n);
    await this.noteExamined(account, unknown);
    if (found.length > 0) await this.restores.markAccount(account.id);
    this.noneUntil.delete(account.operatorId);
    for (const id of found) this.logger.warn(`${id} landed after the backup of this database was made, and is settled now`);
    return found;
  }

  /** The order of an account that was written from the chain, whose id is within a range, while an idempotency key of its time is kept. */
  writtenWithin(ids: readonly [string, string], accountId: string): Promise<Order | undefined> {
    return this.lost.backfilledWithin(ids, accountId);
  }

  /** Settles the stored order that a landed transaction proves; undefined if there is none, or it is settled. */
  async settle(landed: LandedOrder): Promise<Order | undefined> {
    const order = await this.stored(landed);
    if (!order || order.status === 'settled' || !isOf(landed, order)) return undefined;
    const account = await this.accounts.findEver(order.operatorId, order.accountId);
    return account.chainAddress === landed.account ? this.settleProven(order, landed) : undefined;
  }

  /** Writes a landed order that has no row. */
  private async write(landed: LandedOrder, account: Account): Promise<Order | undefined> {
    const stored = await this.stored(landed);
    if ((stored && isOf(landed, stored)) || (await this.lost.isSettledBy(landed.signature))) return undefined;
    if ((await this.archived.recorded(account.id, [landed.signature])).size > 0) return undefined;
    const found = await this.handlers.of(landed).backfill(landed, account);
    if (!found) return undefined;
    // Another signer with the account's key may have used the id of another order, or none.
    const id =
      stored || landed.id.length === 0 ? newId(PREFIXES[landed.kind], this.landedAt(landed)) : idOf(PREFIXES[landed.kind], landed.id);
    const draft = this.insertions.draft({ ...found.order(id), source: 'backfill', createdAt: this.landedAt(landed) });
    const { order } = await this.insertions.insert(draft, false, { companion: found.companion?.(id) });
    return this.settleProven(order, landed);
  }

  private async stored({ kind, id }: LandedOrder): Promise<Order | undefined> {
    return id.length === 0 ? undefined : this.store.findIfStored(idOf(PREFIXES[kind], id));
  }

  private async settleProven(order: Order, landed: LandedOrder): Promise<Order | undefined> {
    const settledAt = this.landedAt(landed);
    return this.store.settleProven(order, landed, settledAt, await this.handlers.of(order).settled(order, landed, settledAt));
  }

  /** When an order landed, by the service's clock at the latest: the chain's clock may be ahead. */
  private landedAt({ landedAt }: LandedOrder): Date {
    const now = this.clock.now();
    return landedAt !== null && landedAt < now ? landedAt : now;
  }

  /** The nonces that are used on chain and that no row has. */
  private async unknownNonces({ id, chainAddress }: Account, again: boolean): Promise<bigint[]> {
    const onChain = await this.chain.accounts.find(chainAddress);
    if (!onChain) return [];
    const used = onChain.usedNonces();
    const oldest = String(used[0] ?? 0n);
    const examined = sql`UNION ALL SELECT seq FROM examined_nonces WHERE account_id = ${id} AND seq >= ${oldest}`;
    const rows = await execute(
      this.database,
      sql`SELECT seq FROM orders WHERE account_id = ${id} AND seq >= ${oldest} ${again ? empty : examined}`,
    );
    const known = new Set(rows.map(({ seq }) => BigInt(String(seq))));
    return used.filter((seq) => !known.has(seq));
  }

  /** Requests do not look up again what has no row: an order whose transaction is not shown, or which moved nothing. */
  private async noteExamined({ id }: Account, nonces: bigint[]): Promise<void> {
    await execute(
      this.database,
      sql`INSERT INTO examined_nonces (account_id, seq) SELECT ${id}, unnest(${nonces.map(String)}::bigint[]) ON CONFLICT DO NOTHING`,
    );
  }
}

/** Whether a landed order is this one: kind, id and amount, and the destination if the chain shows one. */
export function isOf(landed: LandedOrder, { kind, id, microUsdc, destination }: Order): boolean {
  const isDestination = landed.destination === null || landed.destination === destination;
  const onChain = kind === 'direct_transfer' ? 'transfer' : kind;
  return landed.kind === onChain && landed.id.equals(idBytes(id)) && landed.microUsdc === microUsdc && isDestination;
}
