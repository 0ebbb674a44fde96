import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Chain, ChainRefusedError, ChainUnavailableError, isAddress, lacksSignature, SignatureRequiredError } from '#chain';
import {
  type Account,
  AccountLeases,
  AccountRecipients,
  AccountsService,
  closedAccountView,
  type AccountView,
  DepositsService,
  Memberships,
} from '../accounts';
import { idBytes } from '#database';
import { Clock } from '../runtime/clock';
import { formatUsdc } from '../money/usdc';
import { OperatorsService } from '../keys';
import { OrderReader } from '../orders';
import type { Signed } from '../signatures';
import { JobsService } from '../jobs/jobs.service';
import { asOperator } from './as-operator';
import { AuditLog } from '../audit';
import type { Caller } from '../http/caller';
import { AccountBusy, AccountInUse, InvalidDestination, NothingToSweep } from './key-rotation.errors';
import { messageOf } from '../runtime/observability/message-of';

const RECOVERY_EVERY_MS = 5_000;
const HOLDS_MONEY = 'it holds USDC, or has reserved some';

/** The result of sweeping a closed account. */
export interface SweepView {
  account_id: string;
  destination: string;
  /** In USDC, with six decimals. */
  swept_usdc: string;
  tx_signature: string;
}

/** The program's errors for a closed account that holds nothing. */
const NOTHING_TO_SWEEP = ['amount_zero', 'wrong_token_account', 'not_closed'];

/** Closes accounts. The program rejects the closing of an account with open or owed sessions, or with reserved money. */
@Injectable()
export class AccountClosingService implements OnModuleInit {
  private readonly logger = new Logger('Custody');

  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly memberships: Memberships,
    private readonly recipients: AccountRecipients,
    private readonly leases: AccountLeases,
    private readonly orders: OrderReader,
    private readonly clock: Clock,
    private readonly deposits: DepositsService,
    private readonly operators: OperatorsService,
    private readonly audit: AuditLog,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'account-closing', everyMs: RECOVERY_EVERY_MS, run: () => this.finishOverdue() });
  }

  /**
   * Closes an account and moves its balance to `destination`. Amounts that its sessions owe to payees who could not receive them for 90
   * days are returned first. `signed`: what the operator has signed, if it holds its chain key itself.
   * @throws AccountInUse if it holds money and there is no destination, or an order is unresolved; AccountBusy; InvalidDestination;
   * SignatureRequiredError, and then the account is open.
   */
  async close(caller: Caller, accountId: string, destination: string | null, signed: Signed | null): Promise<AccountView> {
    const { operatorId } = caller;
    const found = await this.accounts.find(operatorId, accountId);
    const { id, paused, usdcTokenAccount } = found;
    const tokenAccount = destination === null ? null : await this.destinationOf(operatorId, destination, usdcTokenAccount);
    const [balance] = await this.chain.accounts.balances([usdcTokenAccount]);
    if (balance && tokenAccount === null) throw new AccountInUse(paused, HOLDS_MONEY);
    if (await this.orders.hasOpen(id)) throw new AccountInUse(paused, 'a transfer of it is on its way or waits for approval');
    // Nothing is sent: the transaction that must be signed is thrown.
    if (!signed && (await this.accounts.isExternal(found))) await this.send(found, tokenAccount, null);
    const account = await this.leases.claimForClosing(id);
    if (!account) throw new AccountBusy();
    try {
      await this.audit.record(caller, { action: 'account.closed', object: id, after: { destination } });
      await this.send(account, tokenAccount, signed);
    } catch (error) {
      const isInUse = error instanceof ChainRefusedError && error.reason === 'account_in_use';
      if (isInUse || error instanceof ChainUnavailableError || error instanceof SignatureRequiredError) await this.leases.cancelClosing(id);
      throw isInUse ? new AccountInUse(paused, HOLDS_MONEY) : error;
    }
    await this.finish(account);
    return closedAccountView(account);
  }

  /**
   * Moves USDC that arrived at a closed account to `destination`.
   * @throws NotFound; NothingToSweep if the account is open or nothing has arrived; InvalidDestination; SignatureRequiredError.
   */
  async sweep(caller: Caller, accountId: string, destination: string, signed: Signed | null): Promise<SweepView> {
    const { operatorId } = caller;
    const account = await this.accounts.findEver(operatorId, accountId);
    const tokenAccount = await this.destinationOf(operatorId, destination, account.usdcTokenAccount);
    if (account.state !== 'closed')
      throw new NothingToSweep('The account is open: use POST /v1/transfers, or close it.', account.paused ? 'paused' : 'active');
    const signerOf = async (address: string) => {
      const signer = await this.operators.signer(operatorId, address, signed?.held);
      if (!signer)
        throw new NothingToSweep(
          'The operator’s chain key was changed since the account was closed: only the key of then can sweep it.',
          'closed',
        );
      if (!lacksSignature(signer)) await this.audit.record(caller, { action: 'account.swept', object: account.id, after: { destination } });
      return signer;
    };
    try {
      const { signature, microUsdc } = await this.chain.administration.sweepClosed(
        { creator: account.creator, id: idBytes(account.id) },
        tokenAccount,
        signerOf,
      );
      return { account_id: account.id, destination, swept_usdc: formatUsdc(microUsdc), tx_signature: signature };
    } catch (error) {
      if (error instanceof ChainRefusedError && NOTHING_TO_SWEEP.includes(error.reason))
        throw new NothingToSweep('Nothing has arrived at the closed account.', 'closed');
      throw error;
    }
  }

  /** The token account that a destination names: an account of the operator, by its id or handle, or a token account. @throws InvalidDestination */
  private async destinationOf(operatorId: string, destination: string, source: string): Promise<string> {
    const account = await this.recipients.findNamed(operatorId, destination);
    const address = account?.usdcTokenAccount ?? destination;
    if (!isAddress(address)) throw new InvalidDestination('it is neither a token account nor an account of this operator');
    const recipient = await this.chain.orders.recipient(address);
    if (recipient.kind === 'invalid') throw new InvalidDestination(recipient.reason);
    if (address === source) throw new InvalidDestination('is the account that is closed');
    return address;
  }

  private async send(account: Account, destination: string | null, signed: Signed | null): Promise<void> {
    const onChain = await this.chain.accounts.find(account.chainAddress);
    if (!onChain) return;
    await asOperator(this.accounts, { account, signed }, async (operator) => {
      // Finding owed sessions reads all accounts of the program, which many nodes do not allow.
      if (onChain.owedSessions > 0) await this.chain.owedSessions.writeOff(account.chainAddress, operator);
      await this.chain.administration.closeAccount(onChain, destination, operator);
    });
  }

  /** Reads the last deposits, then marks the row as closed, with the ledger entry of the amount that was moved. */
  private async finish(account: Account): Promise<void> {
    const { signature, swept, destination } = await this.chain.administration.closing(account.chainAddress);
    await this.deposits.readToEnd(account.id);
    const settledAt = this.clock.now();
    const entry = {
      accountId: account.id,
      type: 'transfer' as const,
      direction: 'out' as const,
      microUsdc: swept,
      counterparty: destination,
      signature,
      settledAt,
    };
    await this.memberships.noteClosing(account);
    await this.accounts.markClosed(account, swept > 0n ? [entry] : []);
  }

  /**
   * Finishes closings that a dead process left. When the lease has ended, nothing that was sent can land, so the chain's state is final.
   */
  private async finishOverdue(): Promise<void> {
    for (const account of await this.leases.overdueClosings()) {
      await this.settleOverdue(account).catch((error: unknown) =>
        this.logger.warn(`The closing of ${account.id} is not settled: ${messageOf(error)}`),
      );
    }
  }

  private async settleOverdue(account: Account): Promise<void> {
    if (await this.chain.accounts.find(account.chainAddress)) await this.leases.cancelClosing(account.id);
    else await this.finish(account);
    this.logger.log(`The closing of ${account.id} is settled.`);
  }
}
