import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Chain } from '#chain';
import { AccountRent } from '../../accounts';
import { FleetsStore } from '../../fleets';
import { JobsService } from '../../jobs/jobs.service';
import { Metrics, shared } from '../../runtime/observability/metrics';

const EVERY_MS = 6 * 60 * 60_000;
/** Accounts or fleets that are read together, with their policies. */
const PAGE = 50;
/** Less is not worth the fee of a transaction. */
const LEAST_LAMPORTS = 50_000n;
/** How long the totals of the metrics are kept: they count every account. */
const KEPT_MS = 5 * 60_000;

type Page = (after: string, limit: number) => Promise<{ id: string; address: string }[]>;

/** Returns what accounts and fleets hold above today's rent to who paid for them, and measures what the rest takes. */
@Injectable()
export class SurplusRentService implements OnModuleInit {
  private readonly logger = new Logger('Rent');
  private kept: { at: number; totals: Awaited<ReturnType<AccountRent['of']>> } | undefined;

  constructor(
    private readonly chain: Chain,
    private readonly rent: AccountRent,
    private readonly fleets: FleetsStore,
    private readonly jobs: JobsService,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    const totals = shared(() => this.totals());
    this.metrics.gauge('account_data_bytes', 'Data of open accounts on chain, with their policies.', async () => (await totals()).bytes);
    this.metrics.gauge('account_rent_lamports', 'Rent of that data at the present rate of the chain.', async () =>
      Number((await totals()).lamports),
    );
    this.jobs.register({ name: 'surplus-rent', everyMs: EVERY_MS, run: () => this.returnAll() });
  }

  /** @throws ChainUnavailableError, ChainOutcomeUnknownError: the next run goes on */
  async returnAll(): Promise<void> {
    const fleets: Page = async (after, limit) =>
      (await this.fleets.openAfter(after, limit)).map(({ id, chainAddress }) => ({ id, address: chainAddress }));
    const pages: Page[] = [(after, limit) => this.rent.openAfter(after, limit), fleets];
    let lamports = 0n;
    for (const page of pages) {
      let after: string | undefined = '';
      while (after !== undefined) {
        const rows = await page(after, PAGE);
        const surplus = (await this.chain.rent.surplusOf(rows.map(({ address }) => address))).filter(
          (one) => one.lamports >= LEAST_LAMPORTS,
        );
        await this.chain.rent.returnSurplus(surplus);
        lamports = surplus.reduce((sum, one) => sum + one.lamports, lamports);
        after = rows.length === PAGE ? rows.at(-1)?.id : undefined;
      }
    }
    if (lamports > 0n) this.logger.log(`${lamports} lamports of surplus rent were returned.`);
  }

  private async totals() {
    const now = performance.now();
    if (!this.kept || this.kept.at + KEPT_MS < now) this.kept = { at: now, totals: await this.rent.of(null) };
    return this.kept.totals;
  }
}
