import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Chain, ChainUnavailableError, type ChargeMovement, type ChargeMovements, type FinishedCharge } from '#chain';
import { idBytes } from '#database';
import { type Account, AccountsService, DepositsService, UnexplainedAmounts, type Unresolved, type UnresolvedFinder } from '../../accounts';
import type { Purse } from '../purse.entity';
import { PurseStore } from '../store/purse.store';

/** Ends purses on chain, and finds what their delegates moved. */
@Injectable()
export class PurseEndings implements OnModuleInit, UnresolvedFinder {
  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly deposits: DepositsService,
    private readonly amounts: UnexplainedAmounts,
    private readonly store: PurseStore,
  ) {}

  onModuleInit(): void {
    this.amounts.register(this);
  }

  /**
   * Ends the purse that the nonce `seq` opened. Idempotent; a pause may have ended it before. After its deadline it is ended also
   * if the account's keys are no longer ours. @throws ChainRefusedError, ChainOutcomeUnknownError, ChainUnavailableError
   */
  async finish(account: Account, seq: bigint): Promise<FinishedCharge> {
    const current = await this.accounts.withCurrentKeys(account);
    const finished = await this.chain.charges.finish(account.chainAddress, seq, current ? this.accounts.authority(current) : null);
    await this.accounts.noteChange(account.id, finished.slot);
    return finished;
  }

  /** Like `finish`, of a stored purse; by the state of the chain if no node has its opening, or its end, any more. */
  async end({ id, seq, openSignature }: Purse, account: Account): Promise<FinishedCharge> {
    if (seq === null) throw new Error(`${id} cannot be ended`);
    try {
      return await this.finish(account, seq);
    } catch (error) {
      if (!(error instanceof ChainUnavailableError)) throw error;
      const isPruned = openSignature === null || (await this.chain.orders.finalities([openSignature]))[0] === 'missing';
      const shown = isPruned ? await this.chain.charges.shownEnd(account.chainAddress, seq, idBytes(id)) : null;
      if (!shown) throw error;
      return shown;
    }
  }

  /** The movements of the delegate of an ended purse. @throws ChainUnavailableError if the node's history is not complete yet. */
  async movements(
    { id, delegateKey, openSignature, microUsdc }: Purse,
    { usdcTokenAccount: tokenAccount }: Account,
    { signature: end, spent, isExact }: FinishedCharge,
  ): Promise<ChargeMovements> {
    const found = await this.chain.charges.movements({ tokenAccount, delegate: delegateKey, approval: openSignature, end });
    const sum = sumOf(found.movements);
    if (sum > microUsdc) throw new Error(`the delegate of ${id} moved more than its allowance`);
    if (found.isComplete && isExact && sum !== spent) throw new ChainUnavailableError(`a node does not show all movements of ${id} yet`);
    return found;
  }

  /**
   * Micro-USDC that the delegate of an ended purse moved and the ledger does not have, if the history is not complete: by the event of its
   * end, else by the balance of its account. @throws ChainUnavailableError while neither shows it
   */
  async unrecorded({ id, spentMicroUsdc }: Purse, account: Account, { spent, isExact }: FinishedCharge): Promise<bigint> {
    if (isExact && spent !== null) return spent - spentMicroUsdc;
    await this.deposits.readToEnd(account.id);
    const amount = await this.amounts.amountOf(id, account);
    if (amount === undefined)
      throw new ChainUnavailableError(`no node has the movements of ${id} any more, and the balance does not show them`);
    return amount;
  }

  /** The open and closing purses of an account: their delegates may have moved what is left of them. */
  async unresolved({ id }: Account): Promise<Unresolved[]> {
    const purses = await this.store.unended(id);
    return purses.map((purse) => ({ id: purse.id, least: 0n, most: purse.microUsdc - purse.spentMicroUsdc, held: 0n }));
  }
}

/** Micro-USDC that movements moved together. */
export function sumOf(movements: Pick<ChargeMovement, 'microUsdc'>[]): bigint {
  return movements.reduce((sum, { microUsdc }) => sum + microUsdc, 0n);
}
