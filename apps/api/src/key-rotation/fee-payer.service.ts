import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain, COMPUTE_UNITS } from '#chain';
import { OutboxService } from '../events';
import { OperatorsService } from '../keys';
import { Config } from '../runtime/config';
import { FeePayerBalance } from '../runtime/fee-payer-balance';
import { Metrics } from '../runtime/metrics';
import { JobsService } from '../jobs/jobs.service';

const CHECK_EVERY_MS = 10_000;
const WARN_EVERY_MS = 60_000;
const DRAFTS_EVERY_MS = 600_000;

/** Checks the balance of the fee payer, and reclaims the rent of policy drafts that were not committed. */
@Injectable()
export class FeePayerService implements OnApplicationBootstrap, OnModuleInit {
  private readonly logger = new Logger('Fee payer');
  /** When a low balance was last logged, by this process's clock. */
  private warnedAt = 0;

  constructor(
    private readonly config: Config,
    private readonly chain: Chain,
    private readonly balance: FeePayerBalance,
    private readonly operators: OperatorsService,
    private readonly outbox: OutboxService,
    @InjectDataSource() private readonly database: DataSource,
    private readonly jobs: JobsService,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.metrics.gauge('fee_payer_lamports', 'What the key holds that pays fees and rent.', async () =>
      Number(await this.chain.feePayerLamports()),
    );
    this.metrics.gauge('compute_unit_price_micro_lamports', 'What a compute unit of a transfer costs.', async () =>
      Number(this.chain.price.of(COMPUTE_UNITS.transfer)),
    );
    this.jobs.register({ name: 'fee-payer', everyMs: CHECK_EVERY_MS, run: () => this.checkBalance() });
    this.jobs.register({ name: 'stale-drafts', everyMs: DRAFTS_EVERY_MS, run: () => this.closeDrafts() });
  }

  /** Warns at the start, too, where the fee payer holds too little. */
  async onApplicationBootstrap(): Promise<void> {
    await this.checkBalance().catch((error: unknown) => this.logger.warn(`The fee payer's balance is not known: ${String(error)}`));
  }

  private async checkBalance(): Promise<void> {
    const lamports = await this.balance.lamports();
    const least = this.config.MIN_FEE_PAYER_LAMPORTS;
    if (lamports < BigInt(least) && this.warnedAt + WARN_EVERY_MS <= Date.now()) {
      this.warnedAt = Date.now();
      this.logger.warn(
        `The fee payer holds ${lamports} lamports, less than MIN_FEE_PAYER_LAMPORTS (${least}): fund it, or transfers stop.`,
      );
    }
    await this.note(lamports);
  }

  /** Records a fall below the reserve once, for every operator. */
  private async note(lamports: bigint): Promise<void> {
    const { creator: address } = this.chain.accounts;
    const reserve = this.config.FEE_PAYER_RESERVE;
    const isLow = lamports < reserve;
    await this.database.transaction(async (manager) => {
      const changed: unknown[] = await manager.query(
        `INSERT INTO fee_payer_levels (address, is_low) VALUES ($1, $2)
         ON CONFLICT (address) DO UPDATE SET is_low = $2 WHERE fee_payer_levels.is_low <> $2 RETURNING address`,
        [address, isLow],
      );
      if (changed.length === 0 || !isLow) return;
      const data = { address, lamports: lamports.toString(), reserve_lamports: reserve.toString() };
      // During a rotation an operator has two keys.
      const operatorIds = new Set((await this.operators.chainKeys()).map(({ id }) => id));
      for (const operatorId of operatorIds) await this.outbox.record(manager, { operatorId, accountId: null, type: 'fee_payer.low', data });
    });
  }

  private async closeDrafts(): Promise<void> {
    const closed = await this.chain.policies.closeStaleDrafts();
    if (closed > 0) this.logger.log(`${closed} policy drafts were closed: stale ones, and those of accounts that are closed.`);
  }
}
