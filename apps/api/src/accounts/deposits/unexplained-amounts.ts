import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { isDeepStrictEqual } from 'node:util';
import { DataSource } from 'typeorm';
import { Chain } from '#chain';
import { Account } from '../account.entity';
import { type LedgerBalance, LedgerBalances } from '../state/ledger-balances';

/** Something that may have moved money of an account, and whose outcome is in no record yet. Amounts in micro-USDC. */
export interface Unresolved {
  id: string;
  /** The least and the most that it moved out of the account for good, or into escrow. */
  least: bigint;
  most: bigint;
  /** The amount that the ledger counts as held for it, although no escrow holds it any more. */
  held: bigint;
}

/** Finds what is unresolved of one kind. A feature right of this one has it, and registers itself here. */
export interface UnresolvedFinder {
  /** @throws ChainUnavailableError; also if its own state must be found first */
  unresolved(account: Account): Promise<Unresolved[]>;
}

/** The part of an account's money that left it without a record. */
export interface Unexplained {
  /** Ledger less balance, in micro-USDC: negative if more arrived than is recorded. */
  microUsdc: bigint;
  /** The orders and endings that may have moved it. */
  unresolved: Unresolved[];
  /** The balance on chain, in micro-USDC. */
  balance: bigint;
}

/**
 * Amounts by the state of the chain, for what no node's history shows any more: the ledger of an account less its balance is what the
 * unresolved ones moved.
 */
@Injectable()
export class UnexplainedAmounts {
  private readonly finders: UnresolvedFinder[] = [];

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly chain: Chain,
    private readonly balances: LedgerBalances,
  ) {}

  register(finder: UnresolvedFinder): void {
    this.finders.push(finder);
  }

  /** Of the account with this id. Undefined while ledger or chain change. @throws ChainUnavailableError */
  async ofId(accountId: string): Promise<Unexplained | undefined> {
    return this.of(await this.database.manager.findOneByOrFail(Account, { id: accountId }));
  }

  private async of(account: Account): Promise<Unexplained | undefined> {
    const before = await this.ledgerSide(account);
    const [shown] = await this.chain.accounts.balances([account.usdcTokenAccount], Number(account.observedSlot));
    const balance = shown ?? 0n;
    const after = await this.ledgerSide(account);
    if (!isDeepStrictEqual(before, after)) return undefined;
    const { ledger, unresolved } = before;
    const held = unresolved.reduce((sum, one) => sum + one.held, 0n);
    return { microUsdc: ledger.balance + held - balance, unresolved, balance };
  }

  /**
   * The amount that something unresolved moved out of its account, in micro-USDC; undefined if the balance does not show it, or not yet.
   * @throws ChainUnavailableError
   */
  async amountOf(id: string, account: Account): Promise<bigint | undefined> {
    const unexplained = await this.of(account);
    return unexplained && shareOf(id, unexplained);
  }

  private async ledgerSide(account: Account): Promise<{ ledger: LedgerBalance; unresolved: Unresolved[] }> {
    const [ledger = { net: 0n, held: 0n, balance: 0n }] = await this.balances.of([account.id]);
    const found = await Promise.all(this.finders.map((finder) => finder.unresolved(account)));
    return { ledger, unresolved: found.flat() };
  }
}

/**
 * The part of one among several: certain if it is the only one whose amount is open, or if all moved their most, or their least. If less is
 * missing than the least of all, money arrived that no record has: then each moved its most. Undefined if more is missing than the most of all.
 */
export function shareOf(id: string, { microUsdc, unresolved }: Pick<Unexplained, 'microUsdc' | 'unresolved'>): bigint | undefined {
  const one = unresolved.find((each) => each.id === id);
  const [least, most] = [unresolved.reduce((sum, each) => sum + each.least, 0n), unresolved.reduce((sum, each) => sum + each.most, 0n)];
  if (!one || microUsdc > most) return undefined;
  if (microUsdc === most || microUsdc < least || one.least === one.most) return one.most;
  if (microUsdc === least) return one.least;
  const isOnlyOpen = unresolved.every((each) => each.id === id || each.least === each.most);
  return isOnlyOpen ? microUsdc - (least - one.least) : undefined;
}
