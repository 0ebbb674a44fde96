/** Message authentication codes of rows: the service acts on a row only as it wrote it itself, even if others can write to the database. */
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { EncryptionService, type MacPurpose } from './encryption.service';

/** Refused rows that are remembered, so that each is logged once. */
const MAX_REFUSED = 1_000;

/** Writes the codes of all rows of a kind again. Returns how many were written. `areTrusted`: also of rows from before there were codes. */
export type RewriteMacs = (options: { areTrusted: boolean }) => Promise<number>;

@Injectable()
export class RowMacs {
  private readonly logger = new Logger('Rows');
  private readonly refused = new LRUCache<string, true>({ max: MAX_REFUSED });
  private readonly kinds: RewriteMacs[] = [];

  constructor(private readonly encryption: EncryptionService) {}

  /** The code of a row: over all that decides what the service does because of it. */
  of(purpose: MacPurpose, facts: readonly unknown[]): Buffer {
    return this.encryption.mac(purpose, facts.map(plain));
  }

  /** Whether the service wrote a row as it is. If it did not, the database was written to directly, and that is logged once a row. */
  isGenuine(purpose: MacPurpose, facts: readonly unknown[], mac: Buffer | null): boolean {
    if (mac !== null && this.encryption.isMac(purpose, facts.map(plain), mac)) return true;
    const row = `${purpose} ${String(facts[0])}`;
    if (!this.refused.has(row)) this.logger.error(`The ${row} was not written by this service as it is, and is refused.`);
    this.refused.set(row, true);
    return false;
  }

  /**
   * The code to write for a row under the present key: of one that is genuine under the previous key, and with `areTrusted` of one without any
   * code. Undefined for a row that has its code already, or is refused.
   */
  renewed(purpose: MacPurpose, facts: readonly unknown[], mac: Buffer | null, areTrusted: boolean): Buffer | undefined {
    if (mac === null ? !areTrusted : !this.isGenuine(purpose, facts, mac)) return undefined;
    const current = this.of(purpose, facts);
    return mac?.equals(current) ? undefined : current;
  }

  /** Names the rows of a kind that outlive a change of OPERATOR_KEY_ENCRYPTION_KEY. */
  register(rewrite: RewriteMacs): void {
    this.kinds.push(rewrite);
  }

  /** Writes the codes of genuine rows under the present key. Returns how many were written. */
  async rewrite({ areTrusted = false } = {}): Promise<number> {
    let written = 0;
    for (const rewrite of this.kinds) written += await rewrite({ areTrusted });
    return written;
  }
}

/** A fact in a form that JSON has: bytes as hexadecimal digits, large integers as decimal ones. */
function plain(fact: unknown): unknown {
  if (typeof fact === 'bigint') return String(fact);
  if (fact instanceof Uint8Array) return Buffer.from(fact).toString('hex');
  if (fact instanceof Date) return fact.toISOString();
  if (Array.isArray(fact)) return fact.map(plain);
  if (typeof fact === 'object' && fact !== null)
    return Object.entries(fact)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, plain(value)]);
  return fact ?? null;
}
