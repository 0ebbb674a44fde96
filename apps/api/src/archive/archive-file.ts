/**
 * The file of an archived month: JSON Lines, compressed with gzip. The first line says what the file is, the last one how many rows it has,
 * each other line is a row: `{"table":"orders","row":{…}}`.
 */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

const FORMAT = 1;
const HEAD = /^\{"format":1,"month":"(\d{4}-\d{2})","archived_at":"([^"]+)"\}$/;
const ROW = /^\{"table":"([a-z_]+)","row":(\{.*\})\}$/s;

/** The first line of a file. */
export interface ArchiveHead {
  /** The month of UTC, such as `2026-03`. */
  month: string;
  /** When the file was made, as ISO 8601. */
  archived_at: string;
}

/** A row as PostgreSQL wrote it: a JSON text, which is never parsed here, because JavaScript would round its amounts. */
export interface ArchivedRow {
  table: string;
  text: string;
}

/** The content of a file: the number of rows of each table, and the SHA-256 of its bytes in hexadecimal. */
export interface ArchiveContent extends ArchiveHead {
  rows: Record<string, number>;
  sha256: string;
}

/** A file that is not a whole archive. */
export class BrokenArchive extends Error {}

/**
 * Writes a file and reads it back. It has its name only once it is whole and on the disk. `rows` are the rows' JSON texts by table.
 * @throws BrokenArchive if the disk returns something else
 */
export async function writeArchive(
  path: string,
  head: ArchiveHead,
  rows: AsyncIterable<{ table: string; texts: string[] }>,
): Promise<ArchiveContent> {
  const unfinished = `${path}.unfinished`;
  const counts: Record<string, number> = {};
  async function* lines(): AsyncGenerator<string> {
    yield `${JSON.stringify({ format: FORMAT, ...head })}\n`;
    for await (const { table, texts } of rows) {
      counts[table] = (counts[table] ?? 0) + texts.length;
      yield texts.map((text) => `{"table":"${table}","row":${text}}\n`).join('');
    }
    yield `${JSON.stringify({ rows: counts })}\n`;
  }
  await pipeline(Readable.from(lines()), createGzip(), createWriteStream(unfinished, { mode: 0o600, flush: true }));
  const content = await readArchive(unfinished);
  if (JSON.stringify(content.rows) !== JSON.stringify(counts)) throw new BrokenArchive(`${path} was not written completely.`);
  await rename(unfinished, path);
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
  return content;
}

/**
 * Reads a whole file, and hands its rows over one by one. Returns what it holds.
 * @throws BrokenArchive for a file that is not a whole archive
 */
export async function readArchive(
  path: string,
  take: (row: ArchivedRow) => Promise<void> | void = () => undefined,
): Promise<ArchiveContent> {
  const hash = createHash('sha256');
  const counts: Record<string, number> = {};
  let head: ArchiveHead | undefined;
  let isWhole = false;
  for await (const line of linesOf(path, hash)) {
    const [, table, text] = ROW.exec(line) ?? [];
    if (isWhole) throw new BrokenArchive(`${path} goes on after its last line.`);
    if (!head) head = headOf(line, path);
    else if (table !== undefined && text !== undefined) {
      counts[table] = (counts[table] ?? 0) + 1;
      await take({ table, text });
    } else isWhole = line === JSON.stringify({ rows: counts });
  }
  if (!head || !isWhole) throw new BrokenArchive(`${path} is not whole.`);
  return { ...head, rows: counts, sha256: hash.digest('hex') };
}

async function* linesOf(path: string, hash: Hash): AsyncGenerator<string> {
  const source = createReadStream(path).on('data', (chunk) => hash.update(chunk));
  const text = source.pipe(createGunzip()).setEncoding('utf8');
  source.on('error', (error) => text.destroy(error));
  let rest = '';
  try {
    for await (const chunk of text) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    throw error instanceof BrokenArchive ? error : new BrokenArchive(`${path} cannot be read: ${String(error)}`, { cause: error });
  }
  if (rest !== '') throw new BrokenArchive(`${path} is not whole.`);
}

function headOf(line: string, path: string): ArchiveHead {
  const [, month, archivedAt] = HEAD.exec(line) ?? [];
  if (month === undefined || archivedAt === undefined) throw new BrokenArchive(`${path} is no archive of this service.`);
  return { month, archived_at: archivedAt };
}
