import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain } from '#chain';
import { JobsService } from '../../jobs/jobs.service';
import { Clock } from '../../runtime/clock';

const EVERY_MS = 5_000;
const BATCH = 100;

/** Looks at new accounts until they are finalized. One that a rollback took from the chain is created again, at the same address. */
@Injectable()
export class AccountFinality implements OnModuleInit {
  private readonly logger = new Logger('Accounts');

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'account-finality', everyMs: EVERY_MS, run: () => this.look() });
  }

  /** @throws ChainUnavailableError */
  async look(): Promise<void> {
    for (let last = ''; ; ) {
      const accounts: { id: string; chain_address: string; observed_slot: string }[] = await this.database.query(
        `SELECT id, chain_address, observed_slot FROM accounts WHERE state = 'open' AND NOT finalized AND NOT closing AND id > $1
         ORDER BY id LIMIT ${BATCH}`,
        [last],
      );
      if (accounts.length > 0) await this.lookAt(accounts);
      if (accounts.length < BATCH) return;
      last = accounts.at(-1)?.id ?? last;
    }
  }

  private async lookAt(accounts: { id: string; chain_address: string }[]): Promise<void> {
    const addresses = accounts.map((account) => account.chain_address);
    const finalized = await this.chain.accounts.findMany(addresses, 0, 'finalized');
    await this.database.query('UPDATE accounts SET finalized = true WHERE id = ANY($1)', [
      accounts.filter((_account, index) => finalized[index]).map(({ id }) => id),
    ]);
    const pending = accounts.filter((_account, index) => !finalized[index]);
    if (pending.length === 0) return;
    const confirmed = await this.chain.accounts.findMany(pending.map((account) => account.chain_address));
    for (const { id } of pending.filter((_account, index) => !confirmed[index])) await this.createAgain(id);
  }

  private async createAgain(id: string): Promise<void> {
    const [rows]: [unknown[], number] = await this.database.query(
      `UPDATE accounts SET state = 'creating', lease_until = $2 WHERE id = $1 AND state = 'open' AND NOT finalized AND NOT closing RETURNING id`,
      [id, this.clock.now()],
    );
    if (rows.length > 0) this.logger.warn(`${id} is not on the chain any more: it is created again`);
  }
}
