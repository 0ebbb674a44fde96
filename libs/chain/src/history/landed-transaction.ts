/** A landed transaction of any version, from the JSON of a node. */
import { PublicKey, type TransactionError } from '@solana/web3.js';
import bs58 from 'bs58';
import type { Addresses } from '../program/addresses';

export interface LandedInstruction {
  program: string;
  accounts: string[];
  data: Buffer;
  /** Whether the transaction has it itself, and no program calls it. */
  isTopLevel: boolean;
}

/** The balance of a token account of the service's mint before and after the transaction, in micro-USDC. */
export interface BalanceSpan {
  before: bigint;
  after: bigint;
}

export interface LandedTransaction {
  slot: number;
  /** Unix seconds; null if the node does not know it. */
  blockTime: number | null;
  error: TransactionError | null;
  /** Base58, by the address of the signer. */
  signatures: Map<string, string>;
  /** Top-level instructions, then those of programs that they call. Empty if the version of the message cannot be read. */
  instructions: LandedInstruction[];
  /** Nodes truncate logs after 10 KB. */
  logs: string[];
  balances: Map<string, BalanceSpan>;
}

/** The answer of a node to `getTransaction` in the encoding `json`, as far as it is read. */
interface TransactionJson {
  slot: number;
  blockTime?: number | null;
  transaction: { signatures: string[]; message: Partial<MessageJson> };
  meta: {
    err: TransactionError | null;
    logMessages?: string[] | null;
    loadedAddresses?: { writable: string[]; readonly: string[] } | null;
    innerInstructions?: { instructions: InstructionJson[] }[] | null;
    preTokenBalances?: TokenBalanceJson[] | null;
    postTokenBalances?: TokenBalanceJson[] | null;
  } | null;
}

interface MessageJson {
  accountKeys: string[];
  instructions: InstructionJson[];
}

interface InstructionJson {
  programIdIndex: number;
  accounts: number[];
  /** Base58. */
  data: string;
}

interface TokenBalanceJson {
  accountIndex: number;
  mint: string;
  owner?: string;
  uiTokenAmount: { amount: string };
}

/** Reads a node's answer; null if it has no such transaction. @throws Error if the answer is not a transaction. */
export function readTransaction(answer: unknown, addresses: Addresses): LandedTransaction | null {
  if (answer === null) return null;
  if (!isTransaction(answer)) throw new Error('the answer of the node is not a transaction');
  const { slot, blockTime = null, transaction, meta } = answer;
  const { signatures, message } = transaction;
  const keys = [...(message.accountKeys ?? []), ...(meta?.loadedAddresses?.writable ?? []), ...(meta?.loadedAddresses?.readonly ?? [])];
  const read =
    (isTopLevel: boolean) =>
    ({ programIdIndex, accounts, data }: InstructionJson): LandedInstruction => ({
      program: keys[programIdIndex] ?? '',
      accounts: accounts.map((index) => keys[index] ?? ''),
      data: Buffer.from(bs58.decode(data)),
      isTopLevel,
    });
  return {
    slot,
    blockTime,
    error: meta?.err ?? null,
    signatures: new Map(signatures.map((signature, index) => [keys[index] ?? '', signature])),
    instructions: [
      ...(message.instructions ?? []).map(read(true)),
      ...(meta?.innerInstructions ?? []).flatMap(({ instructions }) => instructions).map(read(false)),
    ],
    logs: meta?.logMessages ?? [],
    balances: balancesOf(meta, keys, addresses),
  };
}

function isTransaction(answer: unknown): answer is TransactionJson {
  if (typeof answer !== 'object' || answer === null || !('slot' in answer) || !('transaction' in answer)) return false;
  const { transaction } = answer;
  return typeof transaction === 'object' && transaction !== null && 'message' in transaction && 'signatures' in transaction;
}

/**
 * Balances by token account. The message of a version that is not known yet may have no list of accounts: then a balance is that of its
 * owner's associated token account.
 */
function balancesOf(meta: TransactionJson['meta'], keys: string[], addresses: Addresses): Map<string, BalanceSpan> {
  const balances = new Map<string, BalanceSpan>();
  const mint = addresses.mint.toBase58();
  const note = (which: keyof BalanceSpan) => (balance: TokenBalanceJson) => {
    if (balance.mint !== mint) return;
    const address = keys[balance.accountIndex] ?? (balance.owner && addresses.tokenAccount(new PublicKey(balance.owner)).toBase58());
    if (address === undefined) return;
    const span = balances.get(address) ?? { before: 0n, after: 0n };
    balances.set(address, { ...span, [which]: BigInt(balance.uiTokenAmount.amount) });
  };
  meta?.preTokenBalances?.forEach(note('before'));
  meta?.postTokenBalances?.forEach(note('after'));
  return balances;
}
