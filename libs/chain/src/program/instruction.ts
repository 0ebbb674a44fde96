/** Builds the program's instructions by the names of its IDL. */
import type { Idl } from '@coral-xyz/anchor';
import { ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey, SystemProgram, TransactionInstruction, type AccountMeta } from '@solana/web3.js';
import type { LandedInstruction } from '../history/landed-transaction';
import { coder, idl } from './idl';
import type { StructFields } from './idl-types';

const WELL_KNOWN: Record<string, (programId: PublicKey) => PublicKey> = {
  system_program: () => SystemProgram.programId,
  token_program: () => TOKEN_PROGRAM_ID,
  associated_token_program: () => ASSOCIATED_TOKEN_PROGRAM_ID,
  program: (programId) => programId,
  event_authority: eventAuthority,
};

/** The address that signs for the events of a program; Anchor's own seed. */
function eventAuthority(programId: PublicKey): PublicKey {
  return PublicKey.findProgramAddressSync([Buffer.from('__event_authority')], programId)[0];
}

interface IdlAccountMeta {
  name: string;
  writable?: boolean;
  signer?: boolean;
  optional?: boolean;
}

/** The IDL groups accounts that several instructions share; a transaction has a flat list. */
function flat(accounts: Idl['instructions'][number]['accounts']): IdlAccountMeta[] {
  return accounts.flatMap((one) => ('accounts' in one ? flat(one.accounts) : [one]));
}

/** One instruction of the program; accounts by their IDL names. An optional account that is left out is passed as the program's id. */
export function instruction(
  programId: PublicKey,
  name: string,
  accounts: Record<string, PublicKey | undefined>,
  args: object,
): TransactionInstruction {
  const definition = idl.instructions.find((one) => one.name === name);
  if (!definition) throw new Error(`the program has no instruction ${name}`);
  const keys = flat(definition.accounts).map((meta): AccountMeta => {
    const pubkey = accounts[meta.name] ?? WELL_KNOWN[meta.name]?.(programId);
    if (pubkey) return { pubkey, isSigner: meta.signer ?? false, isWritable: meta.writable ?? false };
    if (!meta.optional) throw new Error(`${name} needs the account ${meta.name}`);
    return { pubkey: programId, isSigner: false, isWritable: false };
  });
  return new TransactionInstruction({ programId, keys, data: coder.instruction.encode(name, args) });
}

/** The names of an instruction's accounts, in their order. */
export const accountNames = (name: string): string[] =>
  flat(idl.instructions.find((one) => one.name === name)?.accounts ?? []).map((account) => account.name);

/** Makes a key sign an instruction whose interface does not declare its signature. */
export function signsToo({ keys }: TransactionInstruction, signer: PublicKey): void {
  for (const key of keys) if (key.pubkey.equals(signer)) key.isSigner = true;
}

/** An instruction that a transaction has, with its accounts by their IDL names. Those of the orders have typed arguments. */
export type OrderInstruction = { accounts: Record<string, string> } & (
  | { name: 'transfer'; args: StructFields['TransferArgs'] }
  | { name: 'open_session'; args: StructFields['OpenSessionArgs'] }
  | { name: 'top_up_session'; args: StructFields['TopUpSessionArgs'] }
  | { name: 'approve_charge'; args: StructFields['ApproveChargeArgs'] }
  | { name: 'fund_channel'; args: StructFields['FundChannelArgs'] }
  | { name: 'other' }
);
const ORDERS = ['transfer', 'open_session', 'top_up_session', 'approve_charge', 'fund_channel'];

/** Reads an instruction of the program; null if it has none that starts so, as the calls by which it emits events. */
export function readInstruction({ data, accounts }: LandedInstruction): OrderInstruction | null {
  const decoded = coder.instruction.decode(data) as { name: string; data: { args?: object } } | null;
  const definition = idl.instructions.find(({ name }) => name === decoded?.name);
  if (!decoded || !definition) return null;
  const named = Object.fromEntries(flat(definition.accounts).map(({ name }, index) => [name, accounts[index] ?? '']));
  if (!ORDERS.includes(decoded.name)) return { name: 'other', accounts: named };
  return { name: decoded.name, accounts: named, args: decoded.data.args } as OrderInstruction;
}
