import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain, type LandedOrder } from '#chain';
import { execute, idBytes, idOf, type IdPrefix, sql } from '#database';
import { type Account, AccountsService } from '../accounts';
import { Clock } from '../runtime/clock';
import type { Order, OrderKind } from './order.entity';
import { MAX_UNRESOLVED_SPAN, OrderStore } from './order.store';
import { OrderHandlers } from './order-handlers.service';

/** The prefix of the id that an order's 16 bytes on chain stand for. */
const PREFIXES: Record<OrderKind, IdPrefix> = { transfer: 'tr', session: 'sess', top_up: 'top', charge: 'chg', purse: 'purse' };

/**
 * Settles and writes the orders that landed after a backup was made, when the database is restored from it. It finds them by the
 * nonces that are used on chain and that no row of the database has, and by the program's events.
 */
@Injectable()
export class Backfill {
  private readonly logger = new Logger('Orders');

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly store: OrderStore,
    private readonly handlers: OrderHandlers,
  ) {}

  /**
   * Settles every landed order of the account that the database has lost, so that none is paid again. Returns their ids.
   * @throws ChainUnavailableError
   */
  async run(account: Account): Promise<string[]> {
    const unknown = await this.unknownNonces(account);
    if (unknown.length === 0) return [];
    const found: string[] = [];
    // Nonces land in any order, but never further apart than this.
    const floor = [account.nextSeq, ...unknown].reduce((least, seq) => (seq < least ? seq : least)) - BigInt(MAX_UNRESOLVED_SPAN);
    for await (const landed of this.chain.history.ordersOf(account.chainAddress)) {
      if (landed.seq < floor) break;
      const settled = (await this.settle(landed)) ?? (await this.write(landed, account));
      if (settled) found.push(settled.id);
    }
    // Nonces of orders that never had a row are not looked up again.
    await execute(
      this.database,
      sql`INSERT INTO examined_nonces (account_id, seq) SELECT ${account.id}, unnest(${unknown.map(String)}::bigint[])
          ON CONFLICT DO NOTHING`,
    );
    for (const id of found) this.logger.warn(`${id} landed after the backup of this database was made, and is settled now`);
    return found;
  }

  /** Settles the stored order that a landed transaction proves; undefined where there is none, or it is settled. */
  async settle(landed: LandedOrder): Promise<Order | undefined> {
    const order = await this.store.findIfStored(idOf(PREFIXES[landed.kind], landed.id));
    if (!order || order.status === 'settled' || !isOf(landed, order)) return undefined;
    const account = await this.accounts.findEver(order.operatorId, order.accountId);
    return account.chainAddress === landed.account ? this.settleProven(order, landed) : undefined;
  }

  /** Writes a landed order that has no row, where its kind can tell what it was. */
  private async write(landed: LandedOrder, account: Account): Promise<Order | undefined> {
    const handler = this.handlers.of(landed);
    const isStored = handler.backfill && (await this.store.findIfStored(idOf(PREFIXES[landed.kind], landed.id)));
    const found = isStored ? undefined : await handler.backfill?.(landed, account);
    if (!found) return undefined;
    const { order } = await this.store.insert(this.store.draft({ ...found, source: 'backfill' }), false);
    return this.settleProven(order, landed);
  }

  private async settleProven(order: Order, landed: LandedOrder): Promise<Order | undefined> {
    const settledAt = this.clock.now();
    return this.store.settleProven(order, landed, settledAt, await this.handlers.of(order).settled(order, landed, settledAt));
  }

  /** The nonces that are used on chain and that no row has. */
  private async unknownNonces({ id, chainAddress }: Account): Promise<bigint[]> {
    const onChain = await this.chain.accounts.find(chainAddress);
    if (!onChain) return [];
    const used = onChain.usedNonces();
    const oldest = String(used[0] ?? 0n);
    const rows = await execute(
      this.database,
      sql`SELECT seq FROM orders WHERE account_id = ${id} AND seq >= ${oldest}
          UNION ALL SELECT seq FROM examined_nonces WHERE account_id = ${id} AND seq >= ${oldest}`,
    );
    const known = new Set(rows.map(({ seq }) => BigInt(String(seq))));
    return used.filter((seq) => !known.has(seq));
  }
}

/** Whether a landed order is this one: kind, id and amount, and the destination where the chain shows one. */
export function isOf(landed: LandedOrder, { kind, id, microUsdc, destination }: Order): boolean {
  const isDestination = landed.destination === null || landed.destination === destination;
  return landed.kind === kind && landed.id.equals(idBytes(id)) && landed.microUsdc === microUsdc && isDestination;
}
