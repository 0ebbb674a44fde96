import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain, COMPUTE_UNITS, type KeyBalance } from '#chain';
import { OutboxService } from '../events';
import { JobsService } from '../jobs/jobs.service';
import { KeySources } from '../key-sources';
import { OperatorsService } from '../keys';
import { Config } from '../runtime/config';
import { messageOf } from '../runtime/observability/message-of';
import { Metrics } from '../runtime/observability/metrics';

const CHECK_EVERY_MS = 10_000;
const WARN_EVERY_MS = 60_000;
const DRAFTS_EVERY_MS = 600_000;

/** Checks what the fee payers hold, fills them from the treasury, and reclaims the rent of policy drafts that were not committed. */
@Injectable()
export class FeePayerService implements OnApplicationBootstrap, OnModuleInit {
  private readonly logger = new Logger('Fee payer');
  /** When a warning about each key was last logged, by this process's clock. */
  private readonly warnedAt = new Map<string, number>();

  constructor(
    private readonly config: Config,
    private readonly keySources: KeySources,
    private readonly chain: Chain,
    private readonly operators: OperatorsService,
    private readonly outbox: OutboxService,
    @InjectDataSource() private readonly database: DataSource,
    private readonly jobs: JobsService,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.metrics.gauges('fee_payer_lamports', 'What each key holds that pays fees and rent.', ['address', 'pays'], async () =>
      (await this.chain.feePayerBalances()).map(({ address, pays, lamports }) => ({ labels: { address, pays }, value: Number(lamports) })),
    );
    this.metrics.gauge('compute_unit_price_micro_lamports', 'What a compute unit of a transfer costs.', async () =>
      Number(this.chain.price.of(COMPUTE_UNITS.transfer)),
    );
    this.jobs.register({ name: 'fee-payer', everyMs: CHECK_EVERY_MS, run: () => this.checkBalances() });
    this.jobs.register({ name: 'stale-drafts', everyMs: DRAFTS_EVERY_MS, run: () => this.closeDrafts() });
  }

  /** Warns at the start, too, if a fee payer holds too little. */
  async onApplicationBootstrap(): Promise<void> {
    await this.checkBalances().catch((error: unknown) => this.logger.warn(`What the fee payers hold is not known: ${messageOf(error)}`));
  }

  /** @throws ChainUnavailableError, and the database's errors */
  private async checkBalances(): Promise<void> {
    const keys = await this.chain.feePayerBalances();
    const least = BigInt(this.config.MIN_FEE_PAYER_LAMPORTS);
    for (const key of keys) {
      this.warnBelow(key, least);
      await this.note(key, key.pays === 'all' ? this.config.FEE_PAYER_RESERVE : least);
    }
    for (const key of keys) await this.topUp(key);
  }

  private warnBelow({ address, pays, lamports }: KeyBalance, least: bigint): void {
    if (lamports >= least) return;
    const advice = pays === 'all' ? 'fund it, or transfers stop' : 'fund it: until then FEE_PAYER_KEY may have to pay in its place';
    this.warn(address, `${address} holds ${lamports} lamports, less than MIN_FEE_PAYER_LAMPORTS (${least}): ${advice}.`);
  }

  /** At most once a minute about each key. */
  private warn(address: string, message: string): void {
    if ((this.warnedAt.get(address) ?? -Infinity) + WARN_EVERY_MS > performance.now()) return;
    this.warnedAt.set(address, performance.now());
    this.logger.warn(message);
  }

  /** Fills a key that holds less than half of what it is to hold. Two processes that do so at once fill it twice: it stays the operator's. */
  private async topUp({ address, lamports }: KeyBalance): Promise<void> {
    const { TREASURY_KEY: key, FEE_PAYER_TOP_UP: full } = this.config;
    if (!key || lamports >= full / 2n) return;
    try {
      await this.chain.sendLamports(await this.keySources.signerOf('TREASURY_KEY', key), address, full - lamports);
      this.logger.log(`${address} was filled up to ${full} lamports.`);
    } catch (error) {
      this.warn(`treasury ${address}`, `The treasury did not fill ${address}: ${messageOf(error)}`);
    }
  }

  /** Records a fall below what a key must hold once, for every operator. */
  private async note({ address, lamports }: KeyBalance, reserve: bigint): Promise<void> {
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
