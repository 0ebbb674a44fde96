import { firstIdAt, newId } from '#database';
import { listedAccounts } from '../../../../../test/support/caller';
import { accounts, at, caller, ListedRows, ROWS } from '../../../../../test/support/listed-rows';
import { Config } from '../../runtime/config';
import { EncryptionService } from '../../secrets';
import { EvidenceSeals } from '../evidence/evidence-seals';
import { Payment } from '../payment.entity';
import type { ListPaymentsQuery } from '../payments.dto';
import { ProviderAnswers } from '../provider/provider-answers';
import { PaymentListsService } from './payment-lists.service';

jest.setTimeout(60_000);

const INSERT = `
    INSERT INTO payments (id, operator_id, account_id, idempotency_key, request_hash, mode, max_micro_usdc, provider, status, rejection_reason,
                           created_at, final_at, lease_until)
     SELECT id, $2, CASE WHEN is_rare THEN $4 ELSE $3 END, id, '', 'pay', 1,
            CASE WHEN is_rare THEN 'https://rare.example.com' ELSE 'https://usual.example.com' END,
            CASE WHEN is_rare THEN 'rejected' ELSE 'free' END, CASE WHEN is_rare THEN 'max_amount' END, at, at, at`;

const config = Object.assign(new Config(), { KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1), OPERATOR_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 2) });
const encryption = new EncryptionService(config);
const answers = new ProviderAnswers(config, encryption, new EvidenceSeals(encryption), { keptBytes: () => Promise.resolve(0) } as never);

let rows: ListedRows;
let payments: PaymentListsService;
beforeAll(async () => {
  rows = await ListedRows.insert({ table: 'payments', entity: Payment, prefix: 'pay', insert: INSERT });
  payments = new PaymentListsService(rows.database, listedAccounts as never, {} as never, {} as never, answers);
});
afterAll(() => rows.drop());

test.each<[string, Partial<ListPaymentsQuery>, number]>([
  ['the first page', {}, 20],
  ['a rare provider', { provider: 'https://rare.example.com' }, 1],
  ['the host of a rare provider', { provider: 'rare.example.com' }, 1],
  ['an absent provider', { provider: 'absent.example.com' }, 0],
  ['a rare status', { status: 'rejected' }, 1],
  ['an absent status', { status: 'unknown' }, 0],
  ['an account with few', { account_id: accounts[1] }, 1],
  ['an absent session', { session_id: newId('sess') }, 0],
  ['an absent purse', { purse_id: newId('purse') }, 0],
  ['the oldest ones', { until: at(4).toISOString() }, 5],
  ['those between two moments', { since: at(4).toISOString(), until: at(10).toISOString() }, 6],
])('listing payments by %s reads fewer than 1,000 rows of 30,000', async (_what, query, count) => {
  expect((await payments.list(caller, { limit: 20, ...query })).data).toHaveLength(count);
  expect(await rows.read.ofLatest()).toBeLessThan(1_000);
});

test('a list of payments shows a provider’s answer of 16 KiB, and leaves a longer one out without reading it', async () => {
  const [one, other] = [firstIdAt('pay', at(ROWS - 1)), firstIdAt('pay', at(ROWS - 2))];
  for (const [id, length] of [
    [one, 16_384],
    [other, 16_385],
  ] as const) {
    const answer = { status: 200, headers: {}, body: Buffer.alloc(length, 'a'), truncated: false };
    const { sealed, bytes } = await answers.seal({ id, accountId: accounts[0] } as Payment, answer);
    await rows.database.query('UPDATE payments SET response_status = 200, response_sealed = $2, response_bytes = $3 WHERE id = $1', [
      id,
      sealed,
      bytes,
    ]);
  }
  const { data } = await payments.list(caller, { limit: 3 });
  expect(data.map(({ response }) => response?.body_base64.length ?? null)).toEqual([Math.ceil(16_384 / 3) * 4, null, null]);
  expect(rows.read.statements.at(-1)?.query).not.toContain('response_sealed');
});
