/** Ledgers beside the chain: the entries of an account add up to its balance, to the micro-USDC. */
import { Injectable } from '@nestjs/common';
import { setTimeout } from 'node:timers/promises';
import { Chain } from '#chain';
import { type Account, DepositsService, LedgerBalances } from '../accounts';
import { ArchivedMonths, LedgerService } from '../ledger';
import { formatUsdc } from '../money/usdc';
import { Backfill } from '../orders';
import { ChargeSettlement, PurseClosingService } from '../payments';
import { Clock } from '../runtime/clock';

/** How often accounts with a difference are compared again: a transfer in flight is a difference for a while. */
const MAX_COMPARISONS = 4;
const PAUSE_MS = 1_500;
/** How long an open charge may take money that the ledger does not show yet: its deadline and the time of its recovery. */
const MAX_CHARGE_MS = 15 * 60_000;

/** An account whose ledger does not add up to its balance on chain. Amounts in USDC. */
export interface Drift {
  account_id: string;
  balance_usdc: string;
  ledger_usdc: string;
  /** Transactions that only the ledger or only the chain has, if they could be found. */
  transactions: string[];
}

@Injectable()
export class LedgerComparison {
  constructor(
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly deposits: DepositsService,
    private readonly ledger: LedgerService,
    private readonly archived: ArchivedMonths,
    private readonly backfill: Backfill,
    private readonly balances: LedgerBalances,
    private readonly charges: ChargeSettlement,
    private readonly purses: PurseClosingService,
  ) {}

  /** The accounts whose ledger still differs from the chain after transfers in flight have had time to settle. */
  async differing(accounts: Account[]): Promise<Account[]> {
    let suspects = accounts;
    for (let count = 0; count < MAX_COMPARISONS && suspects.length > 0; count++) {
      if (count > 0) {
        await this.deposits.readChanged(suspects.map(({ id }) => id));
        await setTimeout(PAUSE_MS);
      }
      const ledger = await this.balances.of(suspects.map(({ id }) => id));
      const balances = await this.chain.accounts.balances(suspects.map(({ usdcTokenAccount }) => usdcTokenAccount));
      // A provider submits the transfer of a charge, or of a purse, when it likes.
      const ids = suspects.map(({ id }) => id);
      const since = new Date(this.clock.now().getTime() - MAX_CHARGE_MS);
      const charging = new Set([...(await this.charges.underWay(ids, since)), ...(await this.purses.underWay(ids, since))]);
      suspects = suspects.filter((account, index) => (balances[index] ?? 0n) !== ledger[index]?.balance && !charging.has(account.id));
    }
    return suspects;
  }

  /**
   * Backfills orders that a restored database has lost, and settles orders that the chain's events prove. Returns the ids of both, and the
   * remaining difference.
   */
  async explain(account: Account): Promise<{ repaired: string[]; drift?: Drift }> {
    const repaired = [...(await this.backfill.run(account, { again: true }))];
    const onChain = new Set(await this.chain.history.signaturesAfter(account.usdcTokenAccount, null));
    const known = new Set(await this.ledger.signatures(account.id));
    const archived = await this.archived.recorded(account.id, [...onChain]);
    const transactions = [...known].filter((signature) => !onChain.has(signature));
    for (const signature of onChain) {
      if (known.has(signature) || archived.has(signature)) continue;
      const change = await this.chain.history.changeIn(signature, account.usdcTokenAccount);
      if (change.microUsdc === 0n) continue;
      const settled = await this.repair(signature);
      if (settled) repaired.push(settled);
      else transactions.push(signature);
    }
    const [balance] = await this.chain.accounts.balances([account.usdcTokenAccount]);
    const ledger = (await this.balances.of([account.id]))[0]?.balance ?? 0n;
    if (balance === ledger) return { repaired }; // here, or by the other account of a transfer
    const amounts = { balance_usdc: formatUsdc(balance ?? 0n), ledger_usdc: formatUsdc(ledger) };
    return { repaired, drift: { account_id: account.id, ...amounts, transactions } };
  }

  /** Settles an order that a transaction proves to have landed. Returns its id. */
  private async repair(signature: string): Promise<string | undefined> {
    for (const landed of await this.chain.history.ordersIn(signature)) {
      const settled = await this.backfill.settle(landed);
      if (settled) return settled.id;
    }
    return undefined;
  }
}
