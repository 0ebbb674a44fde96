import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain, type ChainAccount, ChainUnavailableError } from '#chain';
import { execute, hydrate, sql } from '#database';
import { type Account, AccountsService } from '../../accounts';
import { OutboxService } from '../../events';
import { JobsService } from '../../jobs/jobs.service';
import { enter, leave, runTransition } from '../../persistence/transition';
import { Clock } from '../../runtime/clock';
import { Finality, type Judged, type Settled, type SettledFacts } from './finality';
import { Order } from '../order.entity';
import { ORDER_TRANSITIONS } from '../order.states';
import { OrderHandlers } from '../order-handlers.service';

const EVERY_MS = 5_000;

/** An order that settled, by the nonce that it used. */
interface SettledOrder extends Settled {
  accountId: string;
  seq: bigint;
}

/** The second look at orders: one read for a hundred accounts, whose nonce windows show all their orders. */
@Injectable()
export class OrderFinality implements OnModuleInit, SettledFacts<SettledOrder> {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly handlers: OrderHandlers,
    private readonly outbox: OutboxService,
    private readonly finality: Finality,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'order-finality', everyMs: EVERY_MS, run: () => this.finality.look('orders', this) });
  }

  async between(from: Date, to: Date, limit: number): Promise<SettledOrder[]> {
    const rows = await execute(
      this.database,
      sql`SELECT id, account_id, seq, settled_at FROM orders WHERE status = 'settled' AND settled_at >= ${from} AND settled_at <= ${to}
            AND seq IS NOT NULL AND source = 'request' AND kind <> 'charge' ORDER BY settled_at LIMIT ${limit}`,
    );
    return rows.map((row) => ({
      id: String(row.id),
      accountId: String(row.account_id),
      seq: BigInt(String(row.seq)),
      settledAt: row.settled_at as Date,
    }));
  }

  async judge(orders: SettledOrder[]): Promise<Judged<SettledOrder>> {
    const accounts = await this.accounts.withIds([...new Set(orders.map(({ accountId }) => accountId))]);
    const finalized = await this.chain.accounts.findMany(
      accounts.map(({ chainAddress }) => chainAddress),
      0,
      'finalized',
    );
    const judged: Judged<SettledOrder> = { reversed: [], pending: [] };
    for (const [index, account] of accounts.entries()) {
      const suspects = orders.filter(({ accountId, seq }) => accountId === account.id && !isUsed(finalized[index], seq));
      if (suspects.length === 0 || account.state === 'closed') continue;
      const confirmed = await this.confirmed(account);
      for (const order of suspects) {
        const isReversed = confirmed !== undefined && !isUsed(confirmed, order.seq);
        (isReversed ? judged.reversed : judged.pending).push(order);
      }
    }
    judged.pending.sort((one, other) => one.settledAt.getTime() - other.settledAt.getTime());
    return judged;
  }

  async reverse({ id, seq }: SettledOrder): Promise<void> {
    const [row] = await execute(this.database, sql`SELECT * FROM orders WHERE id = ${id}`);
    if (!row) return;
    const order = hydrate(this.database, Order, row);
    const effects = await this.handlers.of(order).reversed(order);
    if (!effects) return;
    const now = this.clock.now();
    const { event, companion, slot } = effects;
    const change = sql`UPDATE orders SET ${enter(ORDER_TRANSITIONS.reverse)}, signature = NULL, settled_at = NULL, final_at = NULL,
        submitted_at = ${now}, reversed_at = ${now}, lease_until = ${now}
      WHERE id = ${id} AND ${leave(ORDER_TRANSITIONS.reverse)} AND seq = ${seq.toString()} AND signature = ${order.signature} RETURNING *`;
    await runTransition(this.database, change, { event: event && this.outbox.row(event), companion, slot });
  }

  /** The account as a node has it that has reached the slot at which it was last seen to change; undefined if none has. */
  private async confirmed({ chainAddress, observedSlot }: Account): Promise<ChainAccount | null | undefined> {
    try {
      return (await this.chain.accounts.findMany([chainAddress], Number(observedSlot)))[0] ?? null;
    } catch (error) {
      if (error instanceof ChainUnavailableError) return undefined;
      throw error;
    }
  }
}

function isUsed(account: ChainAccount | null | undefined, seq: bigint): boolean {
  return account?.isNonceUsed(seq) ?? false;
}
