import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain, ChainRefusedError, ChainUnavailableError } from '#chain';
import { AccountsService, type Account, type AccountView } from '../accounts/accounts.service';
import { SweepsService } from '../worker/sweeps.service';
import { AccountLeases } from './account-leases';
import { asOperator } from './as-operator';
import { AccountBusy, AccountInUse } from './custody.errors';

const SWEEP_EVERY_MS = 5_000;
const HOLDS_MONEY = 'it holds USDC, or has reserved some';

/** Ends an account that is empty. The chain decides: it closes none that holds money. */
@Injectable()
export class AccountClosingService implements OnModuleInit {
  private readonly logger = new Logger('Custody');

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly leases: AccountLeases,
    private readonly sweeps: SweepsService,
  ) {}

  onModuleInit(): void {
    this.sweeps.register({ name: 'account-closing', everyMs: SWEEP_EVERY_MS, sweep: () => this.finishOverdue() });
  }

  async close(operatorId: string, accountId: string): Promise<AccountView> {
    const { id, paused, usdcTokenAccount } = await this.accounts.find(operatorId, accountId);
    const [balance] = await this.chain.balances([usdcTokenAccount]);
    if (balance) throw new AccountInUse(paused, HOLDS_MONEY);
    if (await this.hasUnresolved(id)) throw new AccountInUse(paused, 'a transfer of it is on its way or waits for approval');
    const account = await this.leases.take(id, 'closing = true', []);
    if (!account) throw new AccountBusy();
    try {
      await this.send(account);
    } catch (error) {
      const isInUse = error instanceof ChainRefusedError && error.reason === 'account_in_use';
      if (isInUse || error instanceof ChainUnavailableError) await this.leases.release(id, 'closing = false');
      throw isInUse ? new AccountInUse(paused, HOLDS_MONEY) : error;
    }
    await this.finish(id);
    return this.accounts.closedView(account);
  }

  private async send(account: Account): Promise<void> {
    const onChain = await this.chain.account(account.chainAddress);
    if (onChain) await asOperator(this.accounts, account, (operator) => this.chain.administration.closeAccount(onChain, operator));
  }

  private async finish(id: string): Promise<void> {
    await this.leases.release(id, `closing = false, state = 'closed', balance_micro_usdc = 0, pending_authority_key = NULL, pending_authority_key_sealed = NULL`);
  }

  private async hasUnresolved(accountId: string): Promise<boolean> {
    const rows: unknown[] = await this.database.query('SELECT 1 FROM transfers WHERE account_id = $1 AND final_at IS NULL LIMIT 1', [accountId]);
    return rows.length > 0;
  }

  /** What was sent cannot land any more when the lease is over: it is gone by now, or it stays. */
  private async finishOverdue(): Promise<void> {
    for (const { id, chainAddress } of await this.leases.takeOverdue('closing')) {
      if (await this.chain.account(chainAddress)) await this.leases.release(id, 'closing = false');
      else await this.finish(id);
      this.logger.log(`The closing of ${id} is settled.`);
    }
  }
}
