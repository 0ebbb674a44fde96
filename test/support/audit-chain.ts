/** An audit log that a writer of the database has replaced: its entries are changed, and their hashes computed again. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '#mpp';
import type { Body } from './api';
import { query } from './world';

/** Replaces the entries of an operator, newest first as the API lists them, by another chain. */
export async function rewriteAuditLog(url: string, entries: Body[], change: (entry: Body, index: number) => Body): Promise<void> {
  await query('ALTER TABLE audit_log DISABLE TRIGGER audit_log_append_only', [], url);
  let previous: string | null = null;
  for (const [index, { hash: _hash, ...entry }] of entries.toReversed().entries()) {
    const { object, at, ...rest } = change(entry, index);
    const hash: string = createHash('sha256')
      .update(canonicalJson({ ...rest, object, at, previous_hash: previous }))
      .digest('hex');
    await query(
      'UPDATE audit_log SET object = $2, at = $3, previous_hash = $4, hash = $5 WHERE id = $1',
      [entry.id, object, at, previous, hash],
      url,
    );
    previous = hash;
  }
  await query('ALTER TABLE audit_log ENABLE TRIGGER audit_log_append_only', [], url);
}
