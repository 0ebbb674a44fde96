/** The amounts that the token program moved in a transaction, by instruction: top-level and inner. */
import { TOKEN_PROGRAM } from '../program/idl';
import type { LandedTransaction } from './landed-transaction';

/** One movement out of a token account. */
export interface TokenMovement {
  source: string;
  /** Null where the tokens were burnt. */
  destination: string | null;
  /** The signer: the owner, or a delegate. */
  authority: string;
  microUsdc: bigint;
}

/** Tags of `spl_token::instruction::TokenInstruction` that take tokens out of an account, and the positions of their accounts. */
const MOVES: Record<number, { destination: number | null; authority: number }> = {
  3: { destination: 1, authority: 2 }, // Transfer: source, destination, authority
  8: { destination: null, authority: 2 }, // Burn: source, mint, authority
  12: { destination: 2, authority: 3 }, // TransferChecked: source, mint, destination, authority
  15: { destination: null, authority: 2 }, // BurnChecked: source, mint, authority
};

/** The movements of a transaction that succeeded, in no particular order. */
export function tokenMovements({ instructions }: LandedTransaction): TokenMovement[] {
  return instructions.flatMap(({ program, accounts, data }) => {
    const move = program === TOKEN_PROGRAM ? MOVES[data[0] ?? -1] : undefined;
    const [source, authority] = move ? [accounts[0], accounts[move.authority]] : [];
    if (!move || source === undefined || authority === undefined) return [];
    const destination = move.destination === null ? null : (accounts[move.destination] ?? null);
    return [{ source, authority, destination, microUsdc: data.readBigUInt64LE(1) }];
  });
}
