import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { asksForApproval, Chain, COMPUTE_UNITS, feeLamports } from '#chain';
import { execute, type Sql, sql } from '#database';
import { FeePayerEmpty } from '../../http/domain.errors';
import { DatabaseSize } from '../../persistence/database-size';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import { FeePayerBalance } from '../../runtime/observability/fee-payer-balance';
import type { OrderOutcome } from '../order-handlers.service';
import type { Order } from '../order.entity';
import { FeeBudgetExceeded, TooManyPending } from '../orders.errors';

/** The signatures of the fee payer and the authority. */
const SIGNATURES = 2;
/** A transaction's cost counts from its hour on, so that a budget is free again at most this long after the hour began. */
const HOUR_MS = 3_600_000;
const COUNTED_HOURS = 25;

/** The errors that the database's function admit_order raises. */
const TOO_MANY_PENDING = 'AP001';
const FEE_BUDGET_EXCEEDED = 'AP002';

/** Decides whether the service takes a new order: no agent may use up the fee payer, the operator's patience or the disk. */
@Injectable()
export class Admission {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly feePayer: FeePayerBalance,
    private readonly size: DatabaseSize,
    private readonly chain: Chain,
  ) {}

  /**
   * Refuses an order while the database has no room, and one that is sent while the fee payer holds too little. Pauses, approvals and
   * endings do not ask. @throws StorageFull, FeePayerEmpty
   */
  async requireRoom({ isSent }: { isSent: boolean }): Promise<void> {
    await this.size.requireRoom();
    if (isSent && (await this.feePayer.isBelowReserve())) throw new FeePayerEmpty();
  }

  /**
   * The condition of an order's insertion, which counts it against its account's bounds; undefined if none applies.
   * `isDry`: nothing is counted.
   */
  condition(order: Order, outcome: OrderOutcome | undefined, { isDry = false } = {}): Sql | undefined {
    const lamports = order.byAgent && outcome?.kind === 'allowed' ? this.lamports() : 0n;
    const budget = this.config.FEE_BUDGET_PER_ACCOUNT;
    const waits = outcome?.kind === 'violation' && asksForApproval(outcome.violation.rule);
    const costs = lamports > 0n && budget !== null;
    if (!waits && !costs) return undefined;
    return sql`admit_order(${order.accountId}, ${this.clock.now()}, ${costs ? lamports.toString() : null}, ${budget?.toString() ?? null},
      ${waits ? this.config.PENDING_APPROVALS_PER_ACCOUNT : null}, ${isDry})`;
  }

  /** Checks the bounds of an order that is not stored. @throws as `requireRoom`; TooManyPending, FeeBudgetExceeded */
  async check(order: Order, outcome: OrderOutcome): Promise<void> {
    await this.requireRoom({ isSent: outcome.kind === 'allowed' });
    const condition = this.condition(order, outcome, { isDry: true });
    if (!condition) return;
    try {
      await execute(this.database, sql`SELECT ${condition}`);
    } catch (error) {
      throw await this.refusal(order, error);
    }
  }

  /** Counts a transaction of an account that is not an order. @throws as `requireRoom`; FeeBudgetExceeded */
  async countTransaction(accountId: string): Promise<void> {
    await this.requireRoom({ isSent: true });
    const budget = this.config.FEE_BUDGET_PER_ACCOUNT;
    if (budget === null) return;
    try {
      await execute(
        this.database,
        sql`SELECT admit_order(${accountId}, ${this.clock.now()}, ${this.lamports().toString()}, ${budget.toString()}, NULL, false)`,
      );
    } catch (error) {
      throw await this.refusal({ accountId }, error);
    }
  }

  /** The error to answer for one that an insertion threw. */
  async refusal({ accountId }: Pick<Order, 'accountId'>, error: unknown): Promise<unknown> {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === TOO_MANY_PENDING) return new TooManyPending(this.config.PENDING_APPROVALS_PER_ACCOUNT);
    return code === FEE_BUDGET_EXCEEDED ? new FeeBudgetExceeded(await this.secondsUntilFree(accountId)) : error;
  }

  /** The cost of a transaction of an order, in lamports. */
  private lamports(): bigint {
    const microLamportsPerUnit = this.chain.price.of(COMPUTE_UNITS.openSession);
    return feeLamports({ signatures: SIGNATURES, computeUnits: COMPUTE_UNITS.openSession, microLamportsPerUnit });
  }

  /** When the oldest hour that counts does so no longer. */
  private async secondsUntilFree(accountId: string): Promise<number> {
    const now = this.clock.now().getTime();
    const [row] = await execute(
      this.database,
      sql`SELECT min(hour) AS hour FROM account_fees WHERE account_id = ${accountId} AND hour > ${new Date(now - COUNTED_HOURS * HOUR_MS)}`,
    );
    const oldest = row?.hour instanceof Date ? row.hour.getTime() : now;
    return Math.max(1, Math.ceil((oldest + COUNTED_HOURS * HOUR_MS - now) / 1000));
  }
}
