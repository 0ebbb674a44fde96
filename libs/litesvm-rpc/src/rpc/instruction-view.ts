/** Instructions as RPC nodes return them: by index, or parsed for well-known programs. */
import { toBase58 } from '../wire/bytes';
import { u64 } from '../wire/json';
import type { InnerInstruction } from '../machine';
import { isMemoProgram } from '../wire/memo';
import { isTokenProgram, TOKEN_PROGRAM, tokenAmount } from '../wire/tokens';
import type { Message } from '../wire/transaction';

interface Parsed {
  type: string;
  info: Record<string, unknown>;
}

interface Compiled {
  programIndex: number;
  accounts: Iterable<number>;
  data: Buffer;
  stackHeight: number;
}

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';

/** `innerInstructions` of encoding `json`. */
export function showInnerInstructions(lists: InnerInstruction[][]): unknown[] {
  return withIndex(lists, (inner) => showInstruction(compiled(inner)));
}

/** `innerInstructions` of encoding `jsonParsed`. */
export function parseInnerInstructions(lists: InnerInstruction[][], message: Message): unknown[] {
  return withIndex(lists, (inner) => parseInstruction(compiled(inner), message));
}

export function showInstruction({ programIndex, accounts, data, stackHeight }: Compiled): Record<string, unknown> {
  return { programIdIndex: programIndex, accounts: [...accounts], data: toBase58(data), stackHeight };
}

export function parseInstruction(instruction: Compiled, { keys }: Message): Record<string, unknown> {
  const program = keys[instruction.programIndex]!;
  const programId = toBase58(program);
  const { stackHeight, data } = instruction;
  const accounts = [...instruction.accounts].map((index) => toBase58(keys[index]!));
  if (isMemoProgram(program)) return { program: 'spl-memo', programId, parsed: data.toString(), stackHeight };
  const known = parserOf(programId);
  const parsed = known && orNothing(() => known.parse(data, accounts));
  if (!parsed) return { programId, accounts, data: toBase58(data), stackHeight };
  return { program: known.program, programId, parsed, stackHeight };
}

function parserOf(programId: string): { program: string; parse: Parser } | undefined {
  if (programId === SYSTEM_PROGRAM) return { program: 'system', parse: parseSystem };
  if (programId === ASSOCIATED_TOKEN_PROGRAM) return { program: 'spl-associated-token-account', parse: parseAssociatedToken };
  if (!isTokenProgram(programId)) return undefined;
  return { program: programId === TOKEN_PROGRAM ? 'spl-token' : 'spl-token-2022', parse: parseToken };
}

type Parser = (data: Buffer, accounts: string[]) => Parsed | undefined;

function parseSystem(data: Buffer, [first, second]: string[]): Parsed | undefined {
  const key = (offset: number) => toBase58(data.subarray(offset, offset + 32));
  switch (data.readUInt32LE(0)) {
    case 0: {
      const [lamports, space] = [u64(data.readBigUInt64LE(4)), u64(data.readBigUInt64LE(12))];
      return { type: 'createAccount', info: { source: first, newAccount: second, lamports, space, owner: key(20) } };
    }
    case 1:
      return { type: 'assign', info: { account: first, owner: key(4) } };
    case 2:
      return { type: 'transfer', info: { source: first, destination: second, lamports: u64(data.readBigUInt64LE(4)) } };
    case 8:
      return { type: 'allocate', info: { account: first, space: u64(data.readBigUInt64LE(4)) } };
    default:
      return undefined;
  }
}

function parseAssociatedToken(data: Buffer, accounts: string[]): Parsed | undefined {
  const type = ['create', 'createIdempotent'][data[0] ?? 0];
  if (!type) return undefined;
  const [source, account, wallet, mint, systemProgram, tokenProgram] = accounts;
  return { type, info: { source, account, wallet, mint, systemProgram, tokenProgram } };
}

/** Each instruction of the token program: its name, its accounts, and its arguments. */
const TOKEN_INSTRUCTIONS: Record<number, { type: string; accounts: string[]; data: 'amount' | 'tokenAmount' | 'nothing' }> = {
  3: { type: 'transfer', accounts: ['source', 'destination', 'authority'], data: 'amount' },
  4: { type: 'approve', accounts: ['source', 'delegate', 'owner'], data: 'amount' },
  5: { type: 'revoke', accounts: ['source', 'owner'], data: 'nothing' },
  7: { type: 'mintTo', accounts: ['mint', 'account', 'mintAuthority'], data: 'amount' },
  8: { type: 'burn', accounts: ['account', 'mint', 'authority'], data: 'amount' },
  9: { type: 'closeAccount', accounts: ['account', 'destination', 'owner'], data: 'nothing' },
  10: { type: 'freezeAccount', accounts: ['account', 'mint', 'freezeAuthority'], data: 'nothing' },
  11: { type: 'thawAccount', accounts: ['account', 'mint', 'freezeAuthority'], data: 'nothing' },
  12: { type: 'transferChecked', accounts: ['source', 'mint', 'destination', 'authority'], data: 'tokenAmount' },
  13: { type: 'approveChecked', accounts: ['source', 'mint', 'delegate', 'owner'], data: 'tokenAmount' },
  14: { type: 'mintToChecked', accounts: ['mint', 'account', 'mintAuthority'], data: 'tokenAmount' },
  15: { type: 'burnChecked', accounts: ['account', 'mint', 'authority'], data: 'tokenAmount' },
  17: { type: 'syncNative', accounts: ['account'], data: 'nothing' },
  22: { type: 'initializeImmutableOwner', accounts: ['account'], data: 'nothing' },
};

function parseToken(data: Buffer, accounts: string[]): Parsed | undefined {
  const [first, second] = accounts;
  switch (data[0]) {
    case 18:
      return {
        type: 'initializeAccount3',
        info: { account: first, mint: second, owner: toBase58(data.subarray(1, 33)) },
      };
    case 20: {
      const freezeAuthority = data[34] === 1 ? { freezeAuthority: toBase58(data.subarray(35, 67)) } : {};
      const mintAuthority = toBase58(data.subarray(2, 34));
      return { type: 'initializeMint2', info: { mint: first, decimals: data[1], mintAuthority, ...freezeAuthority } };
    }
    case 21:
      return {
        type: 'getAccountDataSize',
        info: { mint: first, extensionTypes: data.length > 1 ? ['immutableOwner'] : [] },
      };
    default:
      return parseTabulated(data, accounts);
  }
}

function parseTabulated(data: Buffer, accounts: string[]): Parsed | undefined {
  const known = TOKEN_INSTRUCTIONS[data[0] ?? -1];
  if (!known) return undefined;
  const info: Record<string, unknown> = {};
  known.accounts.forEach((name, index) => (info[name] = accounts[index]));
  if (known.data === 'amount') info.amount = data.readBigUInt64LE(1).toString();
  if (known.data === 'tokenAmount') info.tokenAmount = tokenAmount(data.readBigUInt64LE(1), data.readUInt8(9));
  return { type: known.type, info };
}

function compiled({ data, ...rest }: InnerInstruction): Compiled {
  return { ...rest, data: Buffer.from(data, 'base64') };
}

function withIndex(lists: InnerInstruction[][], show: (inner: InnerInstruction) => unknown): unknown[] {
  return lists.flatMap((list, index) => (list.length > 0 ? [{ index, instructions: list.map(show) }] : []));
}

/** Data that is too short is returned unparsed. */
function orNothing<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
