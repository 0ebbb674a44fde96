import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Chain } from '#chain';
import { Config } from '../runtime/config';
import { Metrics } from '../runtime/metrics';
import { JobsService } from '../jobs/jobs.service';

const CHECK_EVERY_MS = 60_000;
const DRAFTS_EVERY_MS = 600_000;

/** Checks the balance of the fee payer, and reclaims the rent of policy drafts that were not committed. */
@Injectable()
export class FeePayerService implements OnApplicationBootstrap, OnModuleInit {
  private readonly logger = new Logger('Fee payer');

  constructor(
    private readonly config: Config,
    private readonly chain: Chain,
    private readonly jobs: JobsService,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.metrics.gauge('fee_payer_lamports', 'What the key holds that pays fees and rent.', async () =>
      Number(await this.chain.feePayerLamports()),
    );
    this.jobs.register({ name: 'fee-payer', everyMs: CHECK_EVERY_MS, run: () => this.checkBalance() });
    this.jobs.register({ name: 'stale-drafts', everyMs: DRAFTS_EVERY_MS, run: () => this.closeDrafts() });
  }

  /** Warns at the start, too, where the fee payer holds too little. */
  async onApplicationBootstrap(): Promise<void> {
    await this.checkBalance().catch((error: unknown) => this.logger.warn(`The fee payer's balance is not known: ${String(error)}`));
  }

  private async checkBalance(): Promise<void> {
    const lamports = await this.chain.feePayerLamports();
    const least = this.config.MIN_FEE_PAYER_LAMPORTS;
    if (lamports < BigInt(least))
      this.logger.warn(
        `The fee payer holds ${lamports} lamports, less than MIN_FEE_PAYER_LAMPORTS (${least}): fund it, or transfers stop.`,
      );
  }

  private async closeDrafts(): Promise<void> {
    const closed = await this.chain.policies.closeStaleDrafts();
    if (closed > 0) this.logger.log(`${closed} policy drafts were closed: stale ones, and those of accounts that are closed.`);
  }
}
