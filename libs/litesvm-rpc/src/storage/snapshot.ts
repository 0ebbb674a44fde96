/** The chain's state at one position of its log, so that a start executes only what came after. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { ClockState } from '../clock';
import type { Position } from './log';
import type { SlotsState } from '../slots';

const MAGIC = Buffer.from('sandbox1');
const CHECKSUM_BYTES = 4;

export interface Snapshot {
  slots: SlotsState;
  clock: ClockState;
  /** The first record of the log that is not in `machine`. */
  position: Position;
  machine: Uint8Array;
}

/** Writes the snapshot beside the old one and replaces it atomically. */
export function writeSnapshot(file: string, snapshot: Snapshot): void {
  const { machine, ...rest } = snapshot;
  const text = Buffer.from(JSON.stringify(rest));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const content = Buffer.concat([MAGIC, length, text, machine]);
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(content));
  const unfinished = `${file}.unfinished`;
  const descriptor = openSync(unfinished, 'w');
  try {
    writeSync(descriptor, content);
    writeSync(descriptor, checksum);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(unfinished, file);
}

/** Reads the snapshot; undefined if none was ever written. */
export function readSnapshot(file: string): Snapshot | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  const content = bytes.subarray(0, -CHECKSUM_BYTES);
  const isWhole =
    bytes.length > MAGIC.length + 4 + CHECKSUM_BYTES &&
    content.subarray(0, MAGIC.length).equals(MAGIC) &&
    crc32(content) === bytes.readUInt32LE(content.length);
  if (!isWhole) throw new Error(`The chain's snapshot ${file} is damaged.`);
  const start = MAGIC.length + 4;
  const end = start + content.readUInt32LE(MAGIC.length);
  const rest = JSON.parse(content.subarray(start, end).toString()) as Omit<Snapshot, 'machine'>;
  return { ...rest, machine: content.subarray(end) };
}
