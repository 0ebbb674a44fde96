/** The outcome of a transaction on the test chain: the error's name, events, inner instructions and compute units. */
import { BN } from '@coral-xyz/anchor';
import { PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import {
  FailedTransactionMetadata,
  InstructionErrorCustom,
  type LiteSvm,
  TransactionErrorInstructionError,
} from '../../../../libs/litesvm-rpc/src/litesvm';
import { calledEvents, loggedEvents } from '../../../../libs/chain/src/program/events';
import { PROGRAM_ID } from '../../../../libs/chain/src/program/idl';

/** The outcome of a transaction. */
export interface Outcome {
  /** The error's name; undefined if the transaction succeeded. */
  error: string | undefined;
  /** The index of the instruction that failed. */
  failedAt: number | undefined;
  logs: string[];
  /** Inner instructions. */
  called: { programIdIndex: number; accounts: number[]; data: string }[];
  /** The transaction's accounts, which instructions refer to by index. */
  accounts: PublicKey[];
  /** The program's events, as plain values. */
  events: { name: string; data: Record<string, unknown> }[];
  computeUnits: number;
  /** Bytes of the transaction. */
  bytes: number;
  returned: Buffer;
}

/** The outcome of a transaction of this length that named these accounts. */
export function outcomeOf(result: ReturnType<LiteSvm['sendVersionedTransaction']>, accounts: PublicKey[], bytes: number): Outcome {
  const failed = result instanceof FailedTransactionMetadata;
  const meta = failed ? result.meta() : result;
  const logs = meta.logs();
  const called = meta
    .innerInstructions()
    .flat()
    .map((inner) => {
      const instruction = inner.instruction();
      return { programIdIndex: instruction.programIdIndex(), accounts: [...instruction.accounts()], data: bs58.encode(instruction.data()) };
    });
  const error = failed ? result.err() : undefined;
  return {
    error: error === undefined ? undefined : nameOf(error, logs),
    failedAt: error instanceof TransactionErrorInstructionError ? error.index : undefined,
    logs,
    called,
    accounts,
    get events() {
      const calls = called.map(({ programIdIndex, data }) => ({
        program: accounts[programIdIndex]?.toBase58() ?? '',
        data: Buffer.from(bs58.decode(data)),
      }));
      const all = [...calledEvents(PROGRAM_ID, calls), ...loggedEvents(PROGRAM_ID, logs)];
      return all.map(({ name, data }) => ({ name, data: plain(data) as Record<string, unknown> }));
    },
    bytes,
    computeUnits: Number(meta.computeUnitsConsumed()),
    returned: Buffer.from(meta.returnData().data()),
  };
}

/** Anchor logs the names of its errors and ours. Errors of other programs have a number only. */
function nameOf(error: ReturnType<FailedTransactionMetadata['err']>, logs: string[]): string {
  if (!(error instanceof TransactionErrorInstructionError)) return `transaction error ${String(error)}`;
  const cause = error.err();
  if (!(cause instanceof InstructionErrorCustom)) return INSTRUCTION_ERRORS[Number(cause)] ?? `instruction error ${String(cause)}`;
  const logged = logs.map((line) => /Error Code: (\w+)\. Error Number: (\d+)\./.exec(line)).find((match) => match !== null);
  return logged && Number(logged[2]) === cause.code ? String(logged[1]) : `Custom(${cause.code})`;
}

/** Names of LiteSVM's numbered errors, as far as tests expect them. */
const INSTRUCTION_ERRORS: Record<number, string> = {
  2: 'InvalidInstructionData',
  3: 'InvalidAccountData',
  5: 'InsufficientFunds',
  7: 'MissingRequiredSignature',
  14: 'ReadonlyLamportChange',
  22: 'AccountBorrowFailed',
  31: 'MissingAccount',
  34: 'InvalidSeeds',
  35: 'InvalidRealloc',
  36: 'ComputationalBudgetExceeded',
  37: 'PrivilegeEscalation',
  39: 'ProgramFailedToComplete',
};

/** Converts 64-bit numbers to bigint, keys to base58, bytes to hex. */
export function plain(value: unknown): unknown {
  if (BN.isBN(value)) return BigInt(String(value));
  if (value instanceof PublicKey) return value.toBase58();
  if (Array.isArray(value)) return value.every((item) => typeof item === 'number') ? Buffer.from(value).toString('hex') : value.map(plain);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
  return value;
}
