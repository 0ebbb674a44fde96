import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Schemas } from '#client';
import { Exit, ExitCode, UsageError } from '../exit-codes';
import type { Register } from '../context';

type Entry = Schemas['AuditEntry'];

const PAGE_SIZE = 100;
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

interface VerifyOptions {
  heads?: string;
  publicKey?: string;
}

/** `audit verify` */
export const audit: Register = (program, context) => {
  const group = program.command('audit').description('the audit log: who changed what');
  group
    .command('verify')
    .description('check that the audit log is one chain, and that it still has the entries whose heads were kept')
    .option('--heads <file>', 'a kept log of the service, or a part of it with lines of “audit-head”')
    .option('--public-key <hex>', 'the key that must have signed them; default: the one that each line names')
    .action(async ({ heads: file, publicKey }: VerifyOptions) => {
      const client = context.client();
      const { operator_id: operator } = await client.me();
      const heads = file === undefined ? [] : headsIn(readText(file), operator, publicKey);
      const entries: Entry[] = [];
      for await (const entry of client.auditLog.list({ limit: PAGE_SIZE })) entries.push(entry);
      entries.reverse();
      const problems = [...breaksIn(entries), ...heads.flatMap((head) => missing(head, entries))];
      const [id, hash] = [entries.at(-1)?.id ?? null, entries.at(-1)?.hash ?? null];
      const found = { entries: entries.length, heads: heads.length, head: { position: entries.length, id, hash }, problems };
      const sound = `The audit log is one chain of ${entries.length} entries, and has the ${heads.length} kept heads. It ends with ${hash}.`;
      context.print(found, problems.length === 0 ? sound : problems.join('\n'));
      if (problems.length > 0) throw new Exit(ExitCode.error);
    });
};

/** Where the entries, oldest first, are no chain. */
function breaksIn(entries: Entry[]): string[] {
  return entries.flatMap((entry, index) => {
    const { hash, ...hashed } = entry;
    if (createHash('sha256').update(canonicalJson(hashed)).digest('hex') !== hash) return [`Entry ${index + 1}, ${entry.id}, was changed.`];
    const before = entries[index - 1]?.hash ?? null;
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

/** The heads of an operator in a log. @throws UsageError where there is none, or one is not signed */
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
    throw new UsageError(`${file} cannot be read: ${String(error)}`);
  }
}

/** RFC 8785: members sorted by their UTF-16 code units, no space. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}
