/** The amounts that the token program moved in a transaction, by instruction: top-level and inner. */
import { TOKEN_PROGRAM } from '../program/idl';
import type { LandedTransaction } from './landed-transaction';

/** One movement out of a token account. */
export interface TokenMovement {
  source: string;
  /** Null if the tokens were burnt. */
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

/** Tag of an instruction that holds others: for each the number of its accounts, the length of its data, and the data. */
const BATCH = 255;

interface TokenInstruction {
  accounts: string[];
  data: Buffer;
}

/** The movements of a transaction that succeeded, in no particular order. */
export function tokenMovements({ instructions }: LandedTransaction): TokenMovement[] {
  return instructions.filter(({ program }) => program === TOKEN_PROGRAM).flatMap((one) => unbatched(one).flatMap(movementOf));
}

function movementOf({ accounts, data }: TokenInstruction): TokenMovement[] {
  const move = MOVES[data[0] ?? -1];
  const [source, authority] = move ? [accounts[0], accounts[move.authority]] : [];
  if (!move || source === undefined || authority === undefined) return [];
  const destination = move.destination === null ? null : (accounts[move.destination] ?? null);
  return [{ source, authority, destination, microUsdc: data.readBigUInt64LE(1) }];
}

/** An instruction by itself, or those that it holds. The token program allows no batch in a batch. */
function unbatched({ accounts, data }: TokenInstruction): TokenInstruction[] {
  if (data[0] !== BATCH) return [{ accounts, data }];
  const held: TokenInstruction[] = [];
  for (let at = 1, account = 0; at + 1 < data.length; ) {
    const [count = 0, length = 0] = data.subarray(at, at + 2);
    held.push({ accounts: accounts.slice(account, account + count), data: data.subarray(at + 2, at + 2 + length) });
    at += 2 + length;
    account += count;
  }
  return held;
}
