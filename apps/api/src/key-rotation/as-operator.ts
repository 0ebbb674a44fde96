import { ChainRefusedError, type Signer } from '#chain';
import type { Account, AccountsService } from '../accounts';

/** How often an action is tried: the operator's key may be rotated between reading and landing. */
const MAX_TRIES = 3;

/** Acts with the operator key that the account on chain names, and again with the new one where it was rotated meanwhile. */
export async function asOperator<T>(accounts: AccountsService, account: Account, act: (operator: Signer) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act(await accounts.operatorOf(account));
    } catch (error) {
      if (!(error instanceof ChainRefusedError && error.reason === 'wrong_operator') || tries >= MAX_TRIES) throw error;
    }
  }
}
