import { setTimeout } from 'node:timers/promises';
import { Keypair } from '@solana/web3.js';
import { api } from '../../support/api';
import { startService, type Service } from '../../support/service';
import { anAccount, query } from '../../support/world';

jest.setTimeout(300_000);

const ACCOUNTS = 10_000;
const MEASURED_SECONDS = 30;

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Copies of an account that never move money, at addresses of their own. */
async function addIdleAccounts(id: string): Promise<void> {
  const keys = Array.from({ length: ACCOUNTS * 3 }, () => Keypair.generate().publicKey.toBase58());
  const some = (part: number): string[] => keys.slice(part * ACCOUNTS, (part + 1) * ACCOUNTS);
  await query(
    `INSERT INTO accounts SELECT copy.* FROM accounts original,
       unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS key (address, tokens, authority, n),
       LATERAL jsonb_populate_record(original, jsonb_build_object('id', substr(original.id, 1, 20) || lpad(n::text, 11, '0'), 'handle', 'idle-' || n,
         'chain_address', address, 'usdc_token_account', tokens, 'authority_key', authority, 'read_at', now() - interval '1 day')) AS copy
     WHERE original.id = $1`,
    [id, some(0), some(1), some(2)],
    service.sandbox.database_url,
  );
}

/** How many requests the service has made to nodes since its start. */
async function requests(): Promise<Map<string, number>> {
  const text = await fetch(new URL('/metrics', service.baseUrl)).then((answer) => answer.text());
  const counts = [...text.matchAll(/^rpc_request_duration_seconds_count\{.*method="(\w+)".*\} (\d+)$/gm)];
  return new Map(counts.map(([, method = '', count]) => [method, Number(count)]));
}

test('10,000 idle accounts cost fewer than five requests a second to nodes', async () => {
  const { id } = await anAccount({ by: api(service.baseUrl, service.operatorKey) });
  await addIdleAccounts(id);
  await setTimeout(5_000);
  const before = await requests();
  await setTimeout(MEASURED_SECONDS * 1_000);
  const after = await requests();
  const made = [...after].map(([method, count]) => [method, (count - (before.get(method) ?? 0)) / MEASURED_SECONDS] as const);
  expect(made.reduce((sum, [, perSecond]) => sum + perSecond, 0)).toBeLessThan(5);
});
