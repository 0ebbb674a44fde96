/** Token accounts and mints, decoded from their bytes. */
import { fromBase58, keyOf, toBase58 } from './bytes';
import type { AccountState } from '../machine';

export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const TOKEN_PROGRAMS = new Map([TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((id) => [keyOf(fromBase58(id)), id]));
const NATIVE_MINT = 'So11111111111111111111111111111111111111112';
const ACCOUNT_BYTES = 165;
const MINT_BYTES = 82;
/** Offset at which an account longer than the plain one has its type: mint (1) or token account (2). */
const TYPE_OFFSET = 165;
const STATES = ['uninitialized', 'initialized', 'frozen'];

export interface TokenAmount {
  amount: string;
  decimals: number;
  uiAmount: number | null;
  uiAmountString: string;
}

export interface TokenAccount {
  mint: Buffer;
  owner: Buffer;
  amount: bigint;
  delegate: Buffer | null;
  state: string;
  rentExemptReserve: bigint | null;
  delegatedAmount: bigint;
  closeAuthority: Buffer | null;
}

export interface Mint {
  mintAuthority: Buffer | null;
  supply: bigint;
  decimals: number;
  isInitialized: boolean;
  freezeAuthority: Buffer | null;
}

/** One entry of `preTokenBalances` and `postTokenBalances`. */
export interface TokenBalance {
  accountIndex: number;
  mint: string;
  owner: string;
  programId: string;
  uiTokenAmount: TokenAmount;
}

/** The token program that owns the account; undefined if none does. */
export function tokenProgramOf(account: AccountState): string | undefined {
  return TOKEN_PROGRAMS.get(keyOf(account.owner));
}

export function isTokenProgram(id: string): boolean {
  return id === TOKEN_PROGRAM || id === TOKEN_2022_PROGRAM;
}

/** Decodes a token account; undefined if these bytes are none. */
export function tokenAccountOf(account: AccountState): TokenAccount | undefined {
  const { data } = account;
  const isAccount = data.length === ACCOUNT_BYTES || (data.length > ACCOUNT_BYTES && data[TYPE_OFFSET] === 2);
  const state = STATES[data[108] ?? 0];
  if (!tokenProgramOf(account) || !isAccount || !state || state === 'uninitialized') return undefined;
  return {
    mint: data.subarray(0, 32),
    owner: data.subarray(32, 64),
    amount: data.readBigUInt64LE(64),
    delegate: optionalKey(data, 72),
    state,
    rentExemptReserve: data.readUInt32LE(109) === 1 ? data.readBigUInt64LE(113) : null,
    delegatedAmount: data.readBigUInt64LE(121),
    closeAuthority: optionalKey(data, 129),
  };
}

/** Decodes a mint; undefined if these bytes are none. */
export function mintOf(account: AccountState): Mint | undefined {
  const { data } = account;
  const isMint = data.length === MINT_BYTES || (data.length > ACCOUNT_BYTES && data[TYPE_OFFSET] === 1);
  if (!tokenProgramOf(account) || !isMint || data[45] !== 1) return undefined;
  return {
    mintAuthority: optionalKey(data, 0),
    supply: data.readBigUInt64LE(36),
    decimals: data[44]!,
    isInitialized: true,
    freezeAuthority: optionalKey(data, 46),
  };
}

/** An amount as RPC nodes return it: in base units, and with the mint's decimals. */
export function tokenAmount(amount: bigint, decimals: number): TokenAmount {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const text = fraction ? `${whole}.${fraction}` : whole;
  return { amount: amount.toString(), decimals, uiAmount: Number(text), uiAmountString: text };
}

/** The token balances of these accounts. */
export function tokenBalances(accounts: (AccountState | null)[], accountAt: (address: Buffer) => AccountState | null): TokenBalance[] {
  return accounts.flatMap((account, accountIndex) => {
    const held = account && tokenAccountOf(account);
    const mintAccount = held && accountAt(held.mint);
    const mint = mintAccount && mintOf(mintAccount);
    if (!held || !mint) return [];
    const uiTokenAmount = tokenAmount(held.amount, mint.decimals);
    // In transactions, and only there, agave writes an empty balance as null.
    if (held.amount === 0n) uiTokenAmount.uiAmount = null;
    const [mintId, owner] = [toBase58(held.mint), toBase58(held.owner)];
    return [{ accountIndex, mint: mintId, owner, programId: tokenProgramOf(account)!, uiTokenAmount }];
  });
}

/** `data.parsed` of a token account or mint, as `jsonParsed` returns it; undefined for any other account. */
export function parsedTokenData(
  account: AccountState,
  accountAt: (address: Buffer) => AccountState | null,
): { type: string; info: Record<string, unknown> } | undefined {
  const mint = mintOf(account);
  if (mint) return { type: 'mint', info: mintInfo(mint) };
  const held = tokenAccountOf(account);
  const mintAccount = held && accountAt(held.mint);
  const decimals = mintAccount && mintOf(mintAccount)?.decimals;
  if (!held || typeof decimals !== 'number') return undefined;
  return { type: 'account', info: accountInfo(held, decimals) };
}

function mintInfo(mint: Mint): Record<string, unknown> {
  return {
    mintAuthority: mint.mintAuthority && toBase58(mint.mintAuthority),
    supply: mint.supply.toString(),
    decimals: mint.decimals,
    isInitialized: mint.isInitialized,
    freezeAuthority: mint.freezeAuthority && toBase58(mint.freezeAuthority),
  };
}

function accountInfo(held: TokenAccount, decimals: number): Record<string, unknown> {
  const mint = toBase58(held.mint);
  return {
    mint,
    owner: toBase58(held.owner),
    tokenAmount: tokenAmount(held.amount, decimals),
    ...(held.delegate && { delegate: toBase58(held.delegate) }),
    state: held.state,
    isNative: mint === NATIVE_MINT,
    ...(held.rentExemptReserve !== null && { rentExemptReserve: tokenAmount(held.rentExemptReserve, decimals) }),
    ...(held.delegate && { delegatedAmount: tokenAmount(held.delegatedAmount, decimals) }),
    ...(held.closeAuthority && { closeAuthority: toBase58(held.closeAuthority) }),
  };
}

function optionalKey(data: Buffer, offset: number): Buffer | null {
  return data.readUInt32LE(offset) === 1 ? data.subarray(offset + 4, offset + 36) : null;
}
