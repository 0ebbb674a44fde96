import type { ChainPolicy } from '#chain';
import { asGiven, DEFAULT_POLICY, policyFields } from './policy.dto';
import { NO_POLICY, toPolicyChange } from './policy.service';

const unlimited: ChainPolicy = { ...NO_POLICY, version: 1n, updatedAt: new Date('2026-03-01T00:00:00.000Z') };
const given = asGiven([
  { address: 'Other', given: 'Other' },
  { address: 'Address', given: 'acct_1' },
]);

test('a policy without limits is shown as the default policy', () => {
  expect(policyFields(unlimited, given)).toEqual(DEFAULT_POLICY);
});

test('a policy shows limits in USDC and counterparties as and in the order they were given', () => {
  const policy: ChainPolicy = {
    ...unlimited,
    maxSingleTransfer: 1n,
    maxDailySpend: 1_500_000n,
    maxSessionCap: 0n,
    escalationThreshold: 10n ** 15n,
    allowedCounterparties: ['Address', 'Unnamed', 'Other'],
    categories: ['data'],
    requireMemo: true,
    paused: true,
  };
  expect(policyFields(policy, given)).toEqual({
    max_single_transfer: 0.000001,
    max_daily_spend: 1.5,
    max_session_cap: 0,
    escalation_threshold: 1_000_000_000,
    allowed_counterparties: ['Other', 'acct_1', 'Unnamed'],
    categories: ['data'],
    require_memo: true,
    paused: true,
  });
});

test('a policy change names only the fields that the request names', () => {
  expect(toPolicyChange({}, undefined)).toEqual({});
  expect(toPolicyChange({ paused: true }, undefined)).toEqual({ paused: true });
});

test('a policy change has limits in micro-USDC, and null for no limit', () => {
  const limits = { max_single_transfer: 0.000001, max_daily_spend: null, max_session_cap: 0, escalation_threshold: 1.5 };
  expect(toPolicyChange(limits, undefined)).toEqual({
    maxSingleTransfer: 1n,
    maxDailySpend: null,
    maxSessionCap: 0n,
    escalationThreshold: 1_500_000n,
  });
});

test('a policy change takes null for a flag as false and null for a list as no list', () => {
  expect(toPolicyChange({ require_memo: null, paused: null, categories: null }, null)).toEqual({
    requireMemo: false,
    paused: false,
    categories: null,
    allowedCounterparties: null,
  });
});

test('a policy change takes the resolved counterparties and not those of the request', () => {
  expect(toPolicyChange({ allowed_counterparties: ['acct_1'], categories: [] }, ['Address'])).toEqual({
    allowedCounterparties: ['Address'],
    categories: [],
  });
});
