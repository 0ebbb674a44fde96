import { ChainRefusedError, type Signer } from '#chain';
import type { Account, AccountsService } from '../accounts';
import type { Signed } from '../signatures';

/** How often an action is tried: the operator's key may be rotated between reading and landing. */
const MAX_TRIES = 3;

/**
 * Acts with the operator key that the account on chain names, and again with the new one if it was rotated meanwhile. `signed`: what the
 * operator has signed, if it holds its key itself.
 */
export async function asOperator<T>(
  accounts: AccountsService,
  { account, signed }: { account: Account; signed: Signed | null },
  act: (operator: Signer) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act(await accounts.operatorOf(account, signed));
    } catch (error) {
      if (!(error instanceof ChainRefusedError && error.reason === 'wrong_operator') || tries >= MAX_TRIES) throw error;
    }
  }
}
