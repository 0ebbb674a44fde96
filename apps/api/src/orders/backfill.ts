import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain, type LandedOrder } from '#chain';
import { hydrate, idBytes, idOf, type IdPrefix } from '#database';
import type { Account } from '../accounts';
import { OrderStore, MAX_UNRESOLVED_SPAN } from './order.store';
import { OrderHandlers } from './order-handlers.service';
import { Order, type OrderKind } from './order.entity';

/** What the 16 bytes on chain are the id of. */
const PREFIXES: Record<OrderKind, IdPrefix> = { transfer: 'tr', session: 'sess', top_up: 'top', charge: 'pay' };

/**
 * A database restored from a backup has forgotten what was paid since. The numbers that the chain has spent and the database
 * never wrote down tell of it, and the program's events tell whose they were.
 */
@Injectable()
export class Backfill {
  private readonly logger = new Logger('Transfers');

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly chain: Chain,
    private readonly store: OrderStore,
    private readonly handlers: OrderHandlers,
  ) {}

  /** Settles every transfer of the account that was paid and forgotten, so that none is paid again under another number. Returns their ids. */
  async recall(account: Account): Promise<string[]> {
    const unknown = await this.unknownNumbers(account);
    if (unknown.length === 0) return [];
    const recalled: string[] = [];
    // Numbers land in any order, but never so far apart.
    const floor = [account.nextSeq, ...unknown].reduce((least, seq) => (seq < least ? seq : least)) - BigInt(MAX_UNRESOLVED_SPAN);
    for await (const landed of this.chain.history.ordersOf(account.chainAddress)) {
      if (landed.seq < floor) break;
      const settled = (await this.settle(landed)) ?? (await this.remember(landed, account));
      if (settled) recalled.push(settled.id);
    }
    // What the database never knew needs not be looked for again.
    await this.database.query('INSERT INTO forgotten_numbers (account_id, seq) SELECT $1, unnest($2::bigint[]) ON CONFLICT DO NOTHING', [
      account.id,
      unknown.map(String),
    ]);
    for (const id of recalled) this.logger.warn(`${id} was paid and forgotten, and is settled now`);
    return recalled;
  }

  /** Settles the order that a landed transaction proves to be executed. */
  async settle(landed: LandedOrder): Promise<Order | undefined> {
    const [row]: Record<string, unknown>[] = await this.database.query(
      `SELECT transfers.* FROM transfers JOIN accounts ON accounts.id = transfers.account_id WHERE accounts.chain_address = $1 AND transfers.id = $2 AND transfers.status <> 'settled'`,
      [landed.account, idOf(PREFIXES[landed.kind], landed.id)],
    );
    const order = row && hydrate(this.database, Order, row);
    return order && isOf(landed, order) ? this.store.settleProven(order, landed) : undefined;
  }

  /** Writes an order down that has no row, where its kind knows what it was. */
  private async remember(landed: LandedOrder, account: Account): Promise<Order | undefined> {
    const kind = this.handlers.of(landed);
    const [row]: object[] = kind.remember
      ? await this.database.query('SELECT 1 FROM transfers WHERE id = $1', [idOf(PREFIXES[landed.kind], landed.id)])
      : [];
    const remembered = row ? undefined : await kind.remember?.(landed, account);
    if (!remembered) return undefined;
    const { transfer } = await this.store.insert(this.store.draft(remembered.order, remembered.id), false);
    return this.store.settleProven(transfer, landed);
  }

  private async unknownNumbers({ id, chainAddress }: Account): Promise<bigint[]> {
    const onChain = await this.chain.account(chainAddress);
    if (!onChain) return [];
    const spent = onChain.spentNumbers();
    const rows: { seq: string }[] = await this.database.query(
      'SELECT seq FROM transfers WHERE account_id = $1 AND seq >= $2 UNION ALL SELECT seq FROM forgotten_numbers WHERE account_id = $1 AND seq >= $2',
      [id, String(spent[0] ?? 0n)],
    );
    const known = new Set(rows.map(({ seq }) => BigInt(seq)));
    return spent.filter((seq) => !known.has(seq));
  }
}

/** Whether what landed is this order: kind, id, amount, and the destination where the chain tells one. */
export function isOf(landed: LandedOrder, { kind, id, microUsdc, destination }: Order): boolean {
  const isThere = landed.destination === null || landed.destination === destination;
  return landed.kind === kind && landed.id.equals(idBytes(id)) && landed.microUsdc === microUsdc && isThere;
}
