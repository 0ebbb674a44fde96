import { Injectable } from '@nestjs/common';
import { Chain, ChainUnavailableError, type ChargeMovement, type FinishedCharge } from '#chain';
import { type Account, AccountsService } from '../accounts';
import type { Purse } from './purse.entity';

/** Ends purses on chain, and reads what their delegates moved. */
@Injectable()
export class PurseEndings {
  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
  ) {}

  /**
   * Ends the purse that the nonce `seq` opened. Idempotent; a pause may have ended it before. After its deadline it is ended also
   * where the account's keys are no longer ours. @throws ChainRefusedError, ChainOutcomeUnknownError, ChainUnavailableError
   */
  async finish(account: Account, seq: bigint): Promise<FinishedCharge> {
    const current = await this.accounts.withCurrentKeys(account);
    const finished = await this.chain.charges.finish(account.chainAddress, seq, current ? this.accounts.authority(current) : null);
    await this.accounts.noteChange(account.id, finished.slot);
    return finished;
  }

  /** The amount that the delegate of an ended purse moved. @throws ChainUnavailableError if the node's history is not complete. */
  async movements(
    { id, delegateKey, openSignature, microUsdc }: Purse,
    { usdcTokenAccount: tokenAccount }: Account,
    { signature: end, spent, isExact }: FinishedCharge,
  ): Promise<ChargeMovement[]> {
    const movements = await this.chain.charges.movements({ tokenAccount, delegate: delegateKey, approval: openSignature, end });
    const sum = movements.reduce((total, movement) => total + movement.microUsdc, 0n);
    if (sum > microUsdc) throw new Error(`the delegate of ${id} moved more than its allowance`);
    if (isExact && sum !== spent) throw new ChainUnavailableError(`a node does not show all movements of ${id} yet`);
    return movements;
  }
}
