import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Schemas } from '#client';
import { Exit, ExitCode, UsageError } from '../../output/exit-codes';
import type { Register } from '../../context';

type Entry = Schemas['AuditEntry'];

const PAGE_SIZE = 100;
/** The beginning of a line with an entry in a file of `npm run archive`. */
const ARCHIVED_ENTRY = '{"table":"audit_log","row":';
/** The prefix of a public key of ed25519 in SPKI. */
const SPKI_PREFIX = '302a300506032b6570032100';
/** A line of the service's log: operator, position, entry, hash, time; then the public key and its signature of what stands before it. */
const HEAD = /(audit-head (op_\w+) (\d+) (aud_\w+) ([0-9a-f]{64}) \S+Z) ([0-9a-f]{64}) ([0-9a-f]{128})/g;

/** An entry that was the newest one, at its position from 1, as a line of the log says. */
interface Head {
  position: number;
  id: string;
  hash: string;
}

/** A row of the audit log in a file of `npm run archive`. */
interface ArchivedEntry extends Omit<Entry, 'actor'> {
  operator_id: string;
  position: number;
  actor_type: Entry['actor']['type'];
  key_id: string | null;
}

interface VerifyOptions {
  archive: string[];
  heads?: string;
  publicKey?: string;
}

/** `audit verify` */
export const audit: Register = (program, context) => {
  const group = program.command('audit').description('the audit log: who changed what');
  group
    .command('verify')
    .description('check that the audit log is one chain, and that it still has the entries whose heads were kept')
    .option('--archive <file...>', 'the files of “npm run archive” that have its archived entries', [])
    .option('--heads <file>', 'a kept log of the service, or a part of it with lines of “audit-head”')
    .option('--public-key <hex>', 'the key that must have signed them; default: the one that each line names')
    .action(async ({ archive, heads: file, publicKey }: VerifyOptions) => {
      const client = context.client();
      const { operator_id: operator } = await client.me();
      const heads = file === undefined ? [] : headsIn(readText(file), operator, publicKey);
      const listed: Entry[] = [];
      for await (const entry of client.auditLog.list({ limit: PAGE_SIZE })) listed.push(entry);
      const entries = joined(await archivedEntries(archive, operator), listed.toReversed());
      const problems = [...breaksIn(entries), ...heads.flatMap((head) => missing(head, entries))];
      const [id, hash] = [entries.at(-1)?.id ?? null, entries.at(-1)?.hash ?? null];
      const found = { entries: entries.length, heads: heads.length, head: { position: entries.length, id, hash }, problems };
      const sound = `The audit log is one chain of ${entries.length} entries, and has the ${heads.length} kept heads. It ends with ${hash}.`;
      context.print(found, problems.length === 0 ? sound : problems.join('\n'));
      if (problems.length > 0) throw new Exit(ExitCode.error);
    });
};

/** The archived entries and those that the API lists, both oldest first; a month that was restored is in both. */
function joined(archived: Entry[], listed: Entry[]): Entry[] {
  const ids = new Set(listed.map(({ id }) => id));
  return [...archived.filter(({ id }) => !ids.has(id)), ...listed];
}

/** An operator's entries in files of `npm run archive`, oldest first. @throws UsageError if a file cannot be read */
async function archivedEntries(files: string[], operator: string): Promise<Entry[]> {
  const entries: ArchivedEntry[] = [];
  const take = async (text: AsyncIterable<Buffer>): Promise<void> => {
    for await (const line of createInterface({ input: Readable.from(text) }))
      if (line.startsWith(ARCHIVED_ENTRY)) entries.push((JSON.parse(line) as { row: ArchivedEntry }).row);
  };
  for (const file of files)
    await pipeline(createReadStream(file), createGunzip(), take).catch((error: unknown) => {
      throw unreadable(file, error);
    });
  const own = entries.filter((entry) => entry.operator_id === operator);
  return own.toSorted((a, b) => a.position - b.position).map(viewOf);
}

function viewOf({ operator_id: _operator, position: _position, actor_type: type, key_id, at, ...entry }: ArchivedEntry): Entry {
  return { ...entry, at: new Date(at).toISOString(), actor: { type, key_id } };
}

/** Breaks in the hash chain of entries, oldest first, in sentences. */
function breaksIn(entries: Entry[]): string[] {
  return entries.flatMap((entry, index) => {
    const { hash, ...hashed } = entry;
    if (createHash('sha256').update(canonicalJson(hashed)).digest('hex') !== hash) return [`Entry ${index + 1}, ${entry.id}, was changed.`];
    const before = entries[index - 1]?.hash ?? null;
    if (index === 0 && entry.previous_hash !== null)
      return [`The entries before ${entry.id} are missing. If they were archived, name their files with --archive.`];
    return entry.previous_hash === before ? [] : [`Entry ${index + 1}, ${entry.id}, does not follow the one before it.`];
  });
}

function missing({ position, id, hash }: Head, entries: Entry[]): string[] {
  const entry = entries[position - 1];
  if (entry?.id === id && entry.hash === hash) return [];
  return [
    `The log was rewritten: entry ${position} was ${id} with the hash ${hash}, and is ${entry ? `${entry.id} with ${entry.hash}` : 'missing'}.`,
  ];
}

/** The heads of an operator in a log. @throws UsageError if there is none, or one is not signed */
function headsIn(text: string, operator: string, publicKey: string | undefined): Head[] {
  const lines = [...text.matchAll(HEAD)].filter(([, , of]) => of === operator);
  if (lines.length === 0) throw new UsageError(`The file has no audit-head of ${operator}.`);
  return lines.map(([, signed = '', , position, id = '', hash = '', key = '', signature = '']) => {
    const isSigned = (publicKey ?? key) === key && isSignature(signed, key, signature);
    if (!isSigned) throw new UsageError(`The audit-head of entry ${position} is not signed by ${publicKey ?? key}.`);
    return { position: Number(position), id, hash };
  });
}

function isSignature(text: string, key: string, signature: string): boolean {
  const publicKey = createPublicKey({ key: Buffer.from(SPKI_PREFIX + key, 'hex'), format: 'der', type: 'spki' });
  return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'hex'));
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): UsageError {
  return new UsageError(`${file} cannot be read: ${String(error)}`);
}

/** RFC 8785: members sorted by their UTF-16 code units, no space. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}
