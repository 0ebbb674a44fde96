import { ChainRefusedError, type Signer } from '#chain';
import type { Account, AccountsService } from '../accounts';

/** The operator's key may be changed between reading and landing so often. */
const MAX_TRIES = 3;

/** Acts as the operator that the chain names, and again as the next one when it was changed meanwhile. */
export async function asOperator<T>(accounts: AccountsService, account: Account, act: (operator: Signer) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act(await accounts.operatorOf(account));
    } catch (error) {
      if (!(error instanceof ChainRefusedError && error.reason === 'wrong_operator') || tries >= MAX_TRIES) throw error;
    }
  }
}
