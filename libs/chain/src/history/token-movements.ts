/** What the token program moved in a transaction, by instruction: top-level and inner. */
import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import type { VersionedTransactionResponse } from '@solana/web3.js';
import bs58 from 'bs58';

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
export function tokenMovements({ transaction, meta }: VersionedTransactionResponse): TokenMovement[] {
  const { message } = transaction;
  const keys = message.getAccountKeys({ accountKeysFromLookups: meta?.loadedAddresses });
  const inner = (meta?.innerInstructions ?? []).flatMap(({ instructions }) =>
    instructions.map(({ programIdIndex, accounts, data }) => ({ programIdIndex, accounts, data: Buffer.from(bs58.decode(data)) })),
  );
  const top = message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
    programIdIndex,
    accounts: accountKeyIndexes,
    data: Buffer.from(data),
  }));
  return [...top, ...inner].flatMap(({ programIdIndex, accounts, data }) => {
    const move = MOVES[data[0] ?? -1];
    if (!move || !keys.get(programIdIndex)?.equals(TOKEN_PROGRAM_ID)) return [];
    const at = (index: number) => keys.get(accounts[index] ?? -1)?.toBase58();
    const [source, authority] = [at(0), at(move.authority)];
    if (source === undefined || authority === undefined) return [];
    return [
      {
        source,
        authority,
        destination: move.destination === null ? null : (at(move.destination) ?? null),
        microUsdc: data.readBigUInt64LE(1),
      },
    ];
  });
}
