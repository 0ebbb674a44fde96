/** Which feature owns which table, and a search for SQL that names the tables of other features. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The tables of each feature. Only its own code reads and writes them; other features call its services and stores. */
export const TABLES: Record<string, readonly string[]> = {
  runtime: ['chain_identity'],
  secrets: ['order_tag_secret'],
  audit: ['audit_log'],
  keys: ['operators', 'api_keys', 'api_key_accounts', 'api_key_fleets', 'browser_sessions'],
  signatures: ['signature_requests'],
  events: ['events', 'event_counters', 'operator_event_counters', 'fleet_event_counters'],
  webhooks: ['events_to_fan_out', 'webhooks', 'webhook_accounts', 'webhook_fleets', 'webhook_deliveries', 'webhook_delivery_attempts'],
  ledger: [
    'ledger_entries',
    'ledger_sums',
    'ledger_account_sums',
    'ledger_account_nets',
    'unsummed_ledger_entries',
    'archived_months',
    'archived_transactions',
  ],
  fleets: ['fleets'],
  accounts: ['accounts', 'counterparty_names'],
  orders: ['orders', 'order_attempts', 'account_fees', 'examined_nonces', 'database_restores', 'finality_marks'],
  providers: ['providers'],
  sessions: ['sessions'],
  purses: ['purses'],
  channels: ['channels'],
  payments: ['payments', 'open_charges', 'decided_policies', 'seller_answers'],
  services: ['service_catalogues'],
  reconciliation: ['last_reconciliation'],
  'key-rotation': ['fee_payer_levels'],
  bulk: ['bulk_jobs', 'bulk_job_accounts', 'bulk_job_parts'],
  push: ['push_keys', 'push_subscriptions', 'push_messages'],
  dashboard: ['saved_views'],
};

/** A use of tables of other features that is allowed: the file, the tables, and why no service of their owners can take its place. */
export interface AllowedUse {
  file: string;
  tables: readonly string[];
  reason: string;
}

/** A table that the SQL in a file names. */
export interface TableUse {
  file: string;
  table: string;
}

/** The uses of other features' tables in a folder of features, each once, without specs and builders. */
export function foreignUses(source: string): TableUse[] {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => /(?<!spec|builder)\.ts$/.test(path));
  return files.toSorted().flatMap((path) => {
    const file = path.replaceAll('\\', '/');
    const feature = file.split('/')[0] ?? '';
    const foreign = tablesIn(readFileSync(join(source, path), 'utf8')).filter((table) => !TABLES[feature]?.includes(table));
    return foreign.map((table) => ({ file, table }));
  });
}

/** The known tables that a text names: in SQL, behind FROM, JOIN, INTO, UPDATE, TABLE or USING, or as an option `table`. */
export function tablesIn(text: string): string[] {
  const names = Object.values(TABLES).flat().join('|');
  const sql = new RegExp(`\\b(?:FROM|JOIN|INTO|UPDATE|TABLE|USING)\\s+(?:ONLY\\s+)?"?(${names})\\b`, 'g');
  const option = new RegExp(`\\btable: '(${names})'`, 'g');
  return [...new Set([...text.matchAll(sql), ...text.matchAll(option)].map((match) => match[1] ?? ''))].toSorted();
}
