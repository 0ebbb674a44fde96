import { operationsOf, readTransaction, type Schemas } from '#client';
import { PublicKey } from '@solana/web3.js';
import { accounts, operation, policyChange as inBytes, transactionOf } from '../../../../libs/client/test/operator-transactions';
import { policyChange } from './policy-change';

type Change = Parameters<typeof inBytes>[0];
const [one, other] = [PublicKey.unique().toBase58(), PublicKey.unique().toBase58()];

/** The effects of the bytes that the command did not ask for. */
function objections(body: Schemas['UpdatePolicy'], instruction: ReturnType<typeof inBytes>): (string | undefined)[] {
  return operationsOf(readTransaction(transactionOf(instruction))).map((each) => policyChange(body).objection?.(each));
}

test.each<[Schemas['UpdatePolicy'], Change]>([
  [
    { max_daily_spend: 25.5, paused: false },
    { maxDailySpend: 25_500_000n, paused: false },
  ],
  [
    { max_single_transfer: 0.000001, escalation_threshold: null },
    { maxSingleTransfer: 1n, escalationThreshold: null },
  ],
  [{ max_session_cap: 9_999_999.999999 }, { maxSessionCap: 9_999_999_999_999n }],
  [
    { max_monthly_spend: 5, valid_until: '2030-01-31T12:00:00Z' },
    { maxMonthlySpend: 5_000_000n, validUntil: new Date('2030-01-31T12:00:00Z') },
  ],
  [{ max_daily_spend: 5, paused: true }, { paused: true }],
  [
    { allowed_counterparties: [one, other], categories: ['food'] },
    { allowedCounterparties: [one, other], categories: ['food'] },
  ],
  [
    { allowed_counterparties: ['acct_1', one], categories: [] },
    { allowedCounterparties: [other, one], categories: [] },
  ],
  [
    { allowed_counterparties: null, categories: null },
    { allowedCounterparties: null, categories: null },
  ],
])('the bytes may do what the command %j asked for, and less', (body, change) => {
  expect(objections(body, inBytes(change))).toEqual([undefined]);
});

test.each<[Schemas['UpdatePolicy'], Change, string]>([
  [{ max_daily_spend: 50 }, { maxDailySpend: null }, 'it sets max_daily_spend to no limit'],
  [{ max_daily_spend: 50 }, { maxDailySpend: 50_000_001n }, 'it sets max_daily_spend to 50.000001 USDC'],
  [{ max_daily_spend: 50 }, { maxDailySpend: 50_000_000n, maxSingleTransfer: null }, 'it sets max_single_transfer to no limit'],
  [{ max_daily_spend: null }, { maxDailySpend: 1n }, 'it sets max_daily_spend to 0.000001 USDC'],
  [{ valid_until: '2030-01-31T12:00:00Z' }, { validUntil: null }, 'it sets valid_until to no end'],
  [{ paused: true }, { maxLifetimeSpend: null }, 'it sets max_lifetime_spend to no limit'],
  [{ paused: true }, { paused: false }, 'it sets paused to false'],
  [{ paused: true }, { paused: true, requireMemo: false }, 'it sets require_memo to false'],
  [{ paused: true }, { paused: true, categories: null }, 'it changes categories'],
  [{ allowed_counterparties: [one] }, { allowedCounterparties: null }, 'it sets allowed_counterparties to any'],
  [{ allowed_counterparties: null }, { allowedCounterparties: [one] }, 'it sets allowed_counterparties to a list'],
  [{ allowed_counterparties: [one] }, { allowedCounterparties: [one, other] }, `it has the entry ${other} in allowed_counterparties`],
  [{ categories: ['food'] }, { categories: ['food', 'fuel'] }, 'in categories, which you did not name'],
])('of the command %j, the bytes may not do %j', (body, change, words) => {
  expect(objections(body, inBytes(change))).toEqual([expect.stringContaining(words)]);
});

test('a draft is written with the named entries alone', () => {
  const food = Buffer.from('food'.padEnd(32, '\0'));
  const write = (...entries: Uint8Array[]) =>
    operation('write_policy_draft', { offset: 0, content: Buffer.concat(entries) }, { draft: accounts.draft });
  const body = { allowed_counterparties: [one], categories: ['food'] };
  const [named, unnamed] = [new PublicKey(one).toBytes(), new PublicKey(other).toBytes()];
  expect(objections(body, write(named, food))).toEqual([undefined]);
  expect(objections(body, write(named, unnamed, food))).toEqual([expect.stringContaining(other)]);
});
