/** Records of the log: a landed transaction, or a skip of time or slots. */
import { bytesOf, KEY_BYTES, keyOf } from '../wire/bytes';
import type { InnerInstruction } from '../machine';
import type { TokenBalance } from '../wire/tokens';
import type { TransactionError } from '../wire/transaction-error';

const HEADER_BYTES = 20;
const ID_BYTES = 64;
const KINDS = ['transaction', 'clock', 'slots'] as const;
const FAILED = 1;
const HAS_MEMO = 2;

/** The result of a transaction, returned for as long as the transaction is kept. */
export interface Receipt {
  error: TransactionError | null;
  fee: number;
  /** Null if no instruction ran. */
  logs: string[] | null;
  innerInstructions: InnerInstruction[][] | null;
  unitsConsumed: number;
  returnData: { programId: string; data: [string, 'base64'] } | null;
  preBalances: number[];
  postBalances: number[];
  preTokenBalances: TokenBalance[];
  postTokenBalances: TokenBalance[];
  memo: string | null;
}

interface Moment {
  slot: number;
  unixSeconds: number;
}

export interface TransactionRecord extends Moment {
  kind: 'transaction';
  id: string;
  /** The addresses of the transaction, each as a `keyOf`. */
  addresses: string[];
  bytes: Buffer;
  receipt: Receipt;
}

export interface SkipRecord extends Moment {
  kind: 'clock' | 'slots';
  /** Seconds, or slots. */
  amount: number;
}

/** The part of a transaction's record that the index needs. Cheap to decode. */
export interface RecordHead extends Moment {
  kind: (typeof KINDS)[number];
  id: string;
  addresses: string[];
  error: TransactionError | null;
  memo: string | null;
}

export function encodeTransaction(record: Omit<TransactionRecord, 'kind'>): Buffer {
  const { error, memo } = record.receipt;
  const header = headerOf({ ...record, kind: 'transaction', flags: (error ? FAILED : 0) | (memo ? HAS_MEMO : 0) });
  header[2] = record.addresses.length;
  const length = Buffer.allocUnsafe(2);
  length.writeUInt16LE(record.bytes.length);
  const addresses = Buffer.from(record.addresses.join(''), 'latin1');
  return Buffer.concat([header, bytesOf(record.id), addresses, length, record.bytes, Buffer.from(JSON.stringify(record.receipt))]);
}

export function encodeSkip(record: SkipRecord): Buffer {
  return Buffer.concat([headerOf({ ...record, flags: 0 }), Buffer.from(JSON.stringify(record.amount))]);
}

export function decodeHead(payload: Buffer): RecordHead {
  const head = {
    ...momentOf(payload),
    kind: kindOf(payload),
    id: '',
    addresses: [] as string[],
    error: null,
    memo: null,
  };
  if (head.kind !== 'transaction') return head;
  head.id = keyOf(payload.subarray(HEADER_BYTES, HEADER_BYTES + ID_BYTES));
  for (let n = 0, at = HEADER_BYTES + ID_BYTES; n < payload[2]!; n++, at += KEY_BYTES) {
    head.addresses.push(keyOf(payload.subarray(at, at + KEY_BYTES)));
  }
  if (payload[1] === 0) return head;
  const { error, memo } = decodeTransaction(payload).receipt;
  return { ...head, error, memo };
}

export function decodeTransaction(payload: Buffer): TransactionRecord {
  const addressesAt = HEADER_BYTES + ID_BYTES;
  const lengthAt = addressesAt + payload[2]! * KEY_BYTES;
  const bytesAt = lengthAt + 2;
  const receiptAt = bytesAt + payload.readUInt16LE(lengthAt);
  const addresses: string[] = [];
  for (let at = addressesAt; at < lengthAt; at += KEY_BYTES) addresses.push(keyOf(payload.subarray(at, at + KEY_BYTES)));
  return {
    kind: 'transaction',
    ...momentOf(payload),
    id: keyOf(payload.subarray(HEADER_BYTES, addressesAt)),
    addresses,
    bytes: payload.subarray(bytesAt, receiptAt),
    receipt: JSON.parse(payload.subarray(receiptAt).toString()) as Receipt,
  };
}

export function decodeSkip(payload: Buffer): SkipRecord {
  const kind = kindOf(payload);
  if (kind === 'transaction') throw new Error('A transaction stands in the chain log where a skip was expected.');
  return { kind, ...momentOf(payload), amount: JSON.parse(payload.subarray(HEADER_BYTES).toString()) as number };
}

function headerOf(options: Moment & { kind: (typeof KINDS)[number]; flags: number }): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header[0] = KINDS.indexOf(options.kind);
  header[1] = options.flags;
  header.writeDoubleLE(options.slot, 4);
  header.writeDoubleLE(options.unixSeconds, 12);
  return header;
}

function momentOf(payload: Buffer): Moment {
  return { slot: payload.readDoubleLE(4), unixSeconds: payload.readDoubleLE(12) };
}

function kindOf(payload: Buffer): (typeof KINDS)[number] {
  const kind = KINDS[payload[0]!];
  if (!kind) throw new Error('The chain log holds a record of a kind that is not known.');
  return kind;
}
