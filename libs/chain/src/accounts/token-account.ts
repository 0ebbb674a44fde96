import type { AccountInfo, PublicKey } from '@solana/web3.js';
import { type Account, unpackAccount } from '@solana/spl-token';
import { ChainUnavailableError } from '../chain.errors';

/**
 * The token account of an agent account, from the data of a node. @throws ChainUnavailableError if the data is of no token account: its
 * address is derived, and nothing else can be there.
 */
export function readTokenAccount(address: PublicKey, info: AccountInfo<Buffer>): Account {
  try {
    return unpackAccount(address, info);
  } catch (error) {
    throw new ChainUnavailableError(`a node shows something else than a token account at ${address.toBase58()}`, { cause: error });
  }
}
