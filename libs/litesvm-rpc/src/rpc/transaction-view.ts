/** A landed transaction as RPC nodes return it. */
import { toBase58 } from '../wire/bytes';
import type { Receipt, TransactionRecord } from '../storage/record';
import { isWritable, parseTransaction, type Message } from '../wire/transaction';
import { invalidParams, unsupportedVersion } from './errors';
import { parseInnerInstructions, parseInstruction, showInnerInstructions, showInstruction } from './instruction-view';
import { unknownVariant, type Params } from './params';

const ENCODINGS = ['json', 'jsonParsed', 'base64', 'base58'] as const;
const TOP_LEVEL = 1;

export interface TransactionView {
  encoding: (typeof ENCODINGS)[number];
  maxVersion: number | undefined;
}

/** Reads the encoding from the request: a configuration object, or the legacy form with the encoding alone. */
export function transactionView(params: Params, index: number): TransactionView {
  if (!params.has(index)) return { encoding: 'json', maxVersion: undefined };
  if (params.isString(index)) return { encoding: encodingOf(params.string(index)), maxVersion: undefined };
  const config = params.config(index);
  if (config.string('commitment') === 'processed') {
    throw invalidParams('Method does not support commitment below `confirmed`');
  }
  return {
    encoding: encodingOf(config.string('encoding') ?? 'json'),
    maxVersion: config.number('maxSupportedTransactionVersion'),
  };
}

export function showTransaction(record: TransactionRecord, view: TransactionView): Record<string, unknown> {
  return { slot: record.slot, blockTime: record.unixSeconds, ...showInBlock(record, view) };
}

/** The transaction without the fields of its block. */
export function showInBlock({ bytes, receipt }: TransactionRecord, view: TransactionView): Record<string, unknown> {
  const { message, signatures } = parseTransaction(bytes);
  if (view.maxVersion === undefined && message.version !== 'legacy') throw unsupportedVersion(message.version);
  const isText = view.encoding === 'base64' || view.encoding === 'base58';
  const text = view.encoding === 'base64' ? bytes.toString('base64') : toBase58(bytes);
  const shown = { signatures: signatures.map(toBase58), message: showMessage(message, view.encoding === 'jsonParsed') };
  return {
    meta: showReceipt(receipt, message, view),
    transaction: isText ? [text, view.encoding] : shown,
    ...(view.maxVersion !== undefined && { version: message.version }),
  };
}

function showReceipt(receipt: Receipt, message: Message, { encoding }: TransactionView): Record<string, unknown> {
  const { error, innerInstructions: inner } = receipt;
  return {
    err: error,
    status: error ? { Err: error } : { Ok: null },
    fee: receipt.fee,
    preBalances: receipt.preBalances,
    postBalances: receipt.postBalances,
    innerInstructions: inner && (encoding === 'jsonParsed' ? parseInnerInstructions(inner, message) : showInnerInstructions(inner)),
    logMessages: receipt.logs,
    preTokenBalances: receipt.preTokenBalances,
    postTokenBalances: receipt.postTokenBalances,
    rewards: [],
    ...(encoding !== 'jsonParsed' && { loadedAddresses: { writable: [], readonly: [] } }),
    ...(receipt.returnData && { returnData: receipt.returnData }),
    computeUnitsConsumed: receipt.unitsConsumed,
  };
}

function showMessage(message: Message, parsed: boolean): Record<string, unknown> {
  const { keys, blockhash, instructions, signerCount, readonlySignerCount, readonlyOtherCount, version } = message;
  const compiled = instructions.map((instruction) => ({ ...instruction, stackHeight: TOP_LEVEL }));
  const lookups = version === 'legacy' ? {} : { addressTableLookups: [] };
  if (parsed) {
    const accountKeys = keys.map((key, index) => ({
      pubkey: toBase58(key),
      signer: index < signerCount,
      source: 'transaction',
      writable: isWritable(message, index),
    }));
    const shown = compiled.map((instruction) => parseInstruction(instruction, message));
    return { accountKeys, recentBlockhash: blockhash, instructions: shown, ...lookups };
  }
  return {
    header: {
      numRequiredSignatures: signerCount,
      numReadonlySignedAccounts: readonlySignerCount,
      numReadonlyUnsignedAccounts: readonlyOtherCount,
    },
    accountKeys: keys.map(toBase58),
    recentBlockhash: blockhash,
    instructions: compiled.map(showInstruction),
    ...lookups,
  };
}

function encodingOf(name: string): (typeof ENCODINGS)[number] {
  const found = ENCODINGS.find((encoding) => encoding === name);
  if (!found) throw unknownVariant(name, ENCODINGS);
  return found;
}
