/** Which charges are purses. The event of an approval does not say it; the instruction does. */
import type { PublicKey, VersionedTransactionResponse } from '@solana/web3.js';
import bs58 from 'bs58';
import { coder } from '../program/idl';

/** The ids, in hexadecimal, of the purses that a transaction approves: by its own instructions, and by those of programs it calls. */
export function approvedPurses({ transaction, meta }: VersionedTransactionResponse, programId: PublicKey): Set<string> {
  const { message } = transaction;
  const keys = message.getAccountKeys({ accountKeysFromLookups: meta?.loadedAddresses });
  const top = message.compiledInstructions.map(({ programIdIndex, data }) => ({ programIdIndex, data: Buffer.from(data) }));
  const inner = (meta?.innerInstructions ?? []).flatMap(({ instructions }) =>
    instructions.map(({ programIdIndex, data }) => ({ programIdIndex, data: Buffer.from(bs58.decode(data)) })),
  );
  const ids = [...top, ...inner]
    .filter(({ programIdIndex }) => keys.get(programIdIndex)?.equals(programId))
    .map(({ data }) => purseId(coder.instruction.decode(data)));
  return new Set(ids.filter((id) => id !== null));
}

function purseId(decoded: { name: string; data: object } | null): string | null {
  if (decoded?.name !== 'approve_charge' || !('args' in decoded.data)) return null;
  const { args } = decoded.data;
  if (typeof args !== 'object' || args === null || !('purse' in args) || args.purse !== true || !('charge_id' in args)) return null;
  return Array.isArray(args.charge_id) ? Buffer.from(args.charge_id).toString('hex') : null;
}
