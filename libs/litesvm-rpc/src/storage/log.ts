/** The chain's log: accepted transactions in order, written before they are acknowledged. */
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

const HEADER_BYTES = 8;
/** Records are much smaller: a length above it is damage. */
const MAX_RECORD_BYTES = 16 * 1024 * 1024;
const READ_BYTES = 4 * 1024 * 1024;

/** A position in the log. */
export interface Position {
  segment: number;
  offset: number;
}

export interface Location extends Position {
  length: number;
}

/**
 * Segment files of records, each preceded by its length and checksum. The newest segment is appended to; older ones are deleted
 * whole. A truncated record at the very end was never acknowledged and is cut off.
 */
export class Log {
  private readonly files = new Map<number, number>();
  private end: Position;

  /** Opens the log and calls `onRecord` for each record in it. */
  constructor(
    private readonly directory: string,
    onRecord: (payload: Buffer, location: Location) => void,
  ) {
    mkdirSync(directory, { recursive: true });
    const segments = segmentsIn(directory);
    for (const segment of segments) this.files.set(segment, openSync(this.pathOf(segment), 'r+'));
    this.end = { segment: segments.at(-1) ?? 0, offset: 0 };
    for (const segment of segments) this.scan(segment, onRecord);
    if (segments.length === 0) this.startSegment();
  }

  /** The position of the next record. */
  get position(): Position {
    return { ...this.end };
  }

  /** Appends a record. When this returns, a crash of the process cannot lose it. */
  append(payload: Buffer): Location {
    const frame = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
    frame.writeUInt32LE(payload.length, 0);
    frame.writeUInt32LE(crc32(payload), 4);
    payload.copy(frame, HEADER_BYTES);
    const location = { ...this.end, length: payload.length };
    const written = writeSync(this.fileOf(location.segment), frame, 0, frame.length, location.offset);
    if (written !== frame.length) throw new Error('The chain log could not be written: is the disk full?');
    this.end.offset += frame.length;
    return location;
  }

  read({ segment, offset, length }: Location): Buffer {
    const payload = Buffer.allocUnsafe(length);
    const count = readSync(this.fileOf(segment), payload, 0, length, offset + HEADER_BYTES);
    if (count !== length) throw new Error(`The chain log ${this.pathOf(segment)} lost a record.`);
    return payload;
  }

  /** Starts a new segment. */
  startSegment(): void {
    const segment = this.end.segment + 1;
    this.files.set(segment, openSync(this.pathOf(segment), 'wx+'));
    this.end = { segment, offset: 0 };
  }

  /** Deletes a segment and its records. */
  drop(segment: number): void {
    if (segment === this.end.segment) throw new Error('The newest segment of the chain log cannot be dropped.');
    closeSync(this.fileOf(segment));
    this.files.delete(segment);
    rmSync(this.pathOf(segment));
  }

  close(): void {
    for (const file of this.files.values()) closeSync(file);
    this.files.clear();
  }

  private scan(segment: number, onRecord: (payload: Buffer, location: Location) => void): void {
    const file = this.fileOf(segment);
    const size = fstatSync(file).size;
    let offset = 0;
    let window: Buffer = Buffer.alloc(0);
    while (offset < size) {
      if (window.length < HEADER_BYTES || window.length < HEADER_BYTES + window.readUInt32LE(0)) {
        const wanted = window.length < HEADER_BYTES ? READ_BYTES : Math.max(READ_BYTES, HEADER_BYTES + window.readUInt32LE(0));
        window = readAt(file, offset, Math.min(wanted, size - offset));
      }
      const length = window.length < HEADER_BYTES ? Infinity : window.readUInt32LE(0);
      const isTorn = length > MAX_RECORD_BYTES || HEADER_BYTES + length > size - offset;
      if (isTorn) return this.cutOff(segment, offset, size);
      if (window.length < HEADER_BYTES + length) continue;
      const payload = window.subarray(HEADER_BYTES, HEADER_BYTES + length);
      if (crc32(payload) !== window.readUInt32LE(4)) return this.cutOff(segment, offset, size);
      onRecord(payload, { segment, offset, length });
      offset += HEADER_BYTES + length;
      window = window.subarray(HEADER_BYTES + length);
    }
    if (segment === this.end.segment) this.end.offset = size;
  }

  /** Throws for damage in the middle: it is not from a crash, and continuing would lose records that were accepted after it. */
  private cutOff(segment: number, offset: number, size: number): void {
    const isLast = segment === this.end.segment;
    const rest = readAt(this.fileOf(segment), offset, Math.min(size - offset, MAX_RECORD_BYTES));
    const declared = rest.length < HEADER_BYTES ? Infinity : HEADER_BYTES + rest.readUInt32LE(0);
    if (!isLast || (declared < size - offset && declared <= MAX_RECORD_BYTES)) {
      throw new Error(`The chain log ${this.pathOf(segment)} is damaged at byte ${offset}.`);
    }
    ftruncateSync(this.fileOf(segment), offset);
    this.end.offset = offset;
  }

  private fileOf(segment: number): number {
    const file = this.files.get(segment);
    if (file === undefined) throw new Error(`The chain log has no segment ${segment}.`);
    return file;
  }

  private pathOf(segment: number): string {
    return join(this.directory, `log-${String(segment).padStart(8, '0')}.bin`);
  }
}

function segmentsIn(directory: string): number[] {
  return readdirSync(directory)
    .flatMap((name) => /^log-(\d+)\.bin$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

function readAt(file: number, offset: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  return buffer.subarray(0, readSync(file, buffer, 0, length, offset));
}
