import type { Spending } from '#chain';
import { DEFAULT_POLICY } from '../policy';
import { anAccount } from './account.builder';
import { accountView, spendingView } from './accounts.dto';

const AS_OF = new Date('2026-03-01T00:00:05.000Z');

test('an account shows balance, policy and metadata', () => {
  const account = anAccount({ metadata: { team: 'search' } });
  expect(accountView(account, { balance: 1_500_000n, held: 250_000n, policy: DEFAULT_POLICY })).toEqual({
    account_id: account.id,
    name: 'Research agent',
    handle: 'research-agent-abc234',
    chain_address: 'ChainAddress',
    usdc_token_account: 'TokenAccount',
    balance_usdc: '1.500000',
    held_usdc: '0.250000',
    custody_mode: 'custodial',
    status: 'active',
    policy: DEFAULT_POLICY,
    fleet_id: null,
    metadata: { team: 'search' },
    labels: [],
    created_at: '2026-03-01T00:00:00.000Z',
  });
});

test('an account is paused where its policy is', () => {
  expect(accountView(anAccount(), { balance: 0n, held: 0n, policy: { ...DEFAULT_POLICY, paused: true } }).status).toBe('paused');
});

test('an account with a balance from earlier says when it was read', () => {
  expect(accountView(anAccount(), { balance: 0n, held: 0n, policy: DEFAULT_POLICY, asOf: AS_OF }).balance_as_of).toBe(
    '2026-03-01T00:00:05.000Z',
  );
});

const spending: Spending = {
  balance: 9_000_000n,
  limit: 5_000_000n,
  spent: 3_000_000n,
  reserved: 500_000n,
  remaining: 1_500_000n,
  monthly: { limit: null, spent: 3_000_000n },
  lifetime: { limit: null, spent: 3_000_000n },
  releases: [{ at: AS_OF, microUsdc: 3_000_000n }],
  policyVersion: 4n,
  asOf: AS_OF,
};

test('spending shows limit, spent, reserved and remaining amounts and their releases', () => {
  const account = anAccount();
  expect(spendingView(account, spending, { policy: DEFAULT_POLICY, held: 0n, fleet: undefined })).toEqual({
    account_id: account.id,
    balance_usdc: '9.000000',
    held_usdc: '0.000000',
    limit_usdc: '5.000000',
    spent_usdc: '3.000000',
    reserved_usdc: '0.500000',
    remaining_usdc: '1.500000',
    releases: [{ at: '2026-03-01T00:00:05.000Z', amount_usdc: '3.000000' }],
    monthly: { limit_usdc: null, spent_usdc: null, remaining_usdc: null },
    lifetime: { limit_usdc: null, spent_usdc: null, remaining_usdc: null },
    policy_version: 4,
    policy: DEFAULT_POLICY,
    as_of: '2026-03-01T00:00:05.000Z',
  });
});

test('spending under a limit of zero shows amounts', () => {
  expect(
    spendingView(anAccount(), { ...spending, limit: 0n, remaining: 0n }, { policy: DEFAULT_POLICY, held: 0n, fleet: undefined }),
  ).toMatchObject({
    limit_usdc: '0.000000',
    spent_usdc: '3.000000',
    remaining_usdc: '0.000000',
  });
});

test('spending without a limit shows null for what is counted against a limit', () => {
  expect(
    spendingView(
      anAccount(),
      { ...spending, limit: null, remaining: null, releases: [] },
      { policy: DEFAULT_POLICY, held: 0n, fleet: undefined },
    ),
  ).toMatchObject({
    balance_usdc: '9.000000',
    held_usdc: '0.000000',
    limit_usdc: null,
    spent_usdc: null,
    reserved_usdc: null,
    remaining_usdc: null,
    releases: [],
  });
});
