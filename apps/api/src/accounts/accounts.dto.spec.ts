import type { Spending } from '#chain';
import type { LedgerEntry } from '../ledger';
import { DEFAULT_POLICY } from '../policy';
import { anAccount } from './account.builder';
import { accountView, recordView, spendingView } from './accounts.dto';

const AS_OF = new Date('2026-03-01T00:00:05.000Z');

test('an account shows balance, policy and metadata', () => {
  const account = anAccount({ metadata: { team: 'search' } });
  expect(accountView(account, { balance: 1_500_000n, policy: DEFAULT_POLICY })).toEqual({
    account_id: account.id,
    name: 'Research agent',
    handle: 'research-agent-abc234',
    chain_address: 'ChainAddress',
    usdc_token_account: 'TokenAccount',
    balance_usdc: '1.500000',
    custody_mode: 'custodial',
    status: 'active',
    policy: DEFAULT_POLICY,
    metadata: { team: 'search' },
    created_at: '2026-03-01T00:00:00.000Z',
  });
});

test('an account is paused where its policy is', () => {
  expect(accountView(anAccount(), { balance: 0n, policy: { ...DEFAULT_POLICY, paused: true } }).status).toBe('paused');
});

test('an account with a balance from earlier says when it was read', () => {
  expect(accountView(anAccount(), { balance: 0n, policy: DEFAULT_POLICY, asOf: AS_OF }).balance_as_of).toBe('2026-03-01T00:00:05.000Z');
});

const spending: Spending = {
  balance: 9_000_000n,
  limit: 5_000_000n,
  spent: 3_000_000n,
  reserved: 500_000n,
  remaining: 1_500_000n,
  releases: [{ at: AS_OF, microUsdc: 3_000_000n }],
  policyVersion: 4n,
  asOf: AS_OF,
};

test('spending shows limit, spent, reserved and remaining amounts and their releases', () => {
  const account = anAccount();
  expect(spendingView(account, spending, DEFAULT_POLICY)).toEqual({
    account_id: account.id,
    balance_usdc: '9.000000',
    limit_usdc: '5.000000',
    spent_usdc: '3.000000',
    reserved_usdc: '0.500000',
    remaining_usdc: '1.500000',
    releases: [{ at: '2026-03-01T00:00:05.000Z', amount_usdc: '3.000000' }],
    policy_version: 4,
    policy: DEFAULT_POLICY,
    as_of: '2026-03-01T00:00:05.000Z',
  });
});

test('spending under a limit of zero shows amounts', () => {
  expect(spendingView(anAccount(), { ...spending, limit: 0n, remaining: 0n }, DEFAULT_POLICY)).toMatchObject({
    limit_usdc: '0.000000',
    spent_usdc: '3.000000',
    remaining_usdc: '0.000000',
  });
});

test('spending without a limit shows null for what is counted against a limit', () => {
  expect(spendingView(anAccount(), { ...spending, limit: null, remaining: null, releases: [] }, DEFAULT_POLICY)).toMatchObject({
    balance_usdc: '9.000000',
    limit_usdc: null,
    spent_usdc: null,
    reserved_usdc: null,
    remaining_usdc: null,
    releases: [],
  });
});

const entry: LedgerEntry = {
  id: 'txn_1',
  accountId: 'acct_payer',
  type: 'transfer',
  direction: 'out',
  microUsdc: 25n,
  counterparty: 'Payee',
  memo: 'Lunch',
  category: 'food',
  signature: 'Signature',
  orderId: 'tr_1',
  paymentId: null,
  provider: null,
  sessionId: null,
  rejectionReason: null,
  createdAt: new Date('2026-03-01T00:00:00.000Z'),
  settledAt: AS_OF,
};
const record = (changes: Partial<LedgerEntry> = {}) => recordView({ ...entry, ...changes }, (signature) => `https://explorer/${signature}`);

test('a record of the history shows amount, direction, counterparty and an explorer link', () => {
  expect(record()).toEqual({
    id: 'txn_1',
    type: 'transfer',
    status: 'settled',
    amount_usdc: '0.000025',
    direction: 'out',
    counterparty: 'Payee',
    memo: 'Lunch',
    category: 'food',
    tx_signature: 'Signature',
    chain_explorer_url: 'https://explorer/Signature',
    rejection_reason: null,
    session_id: null,
    created_at: '2026-03-01T00:00:00.000Z',
    settled_at: '2026-03-01T00:00:05.000Z',
  });
});

test('a rejection in the history has a reason, and neither link nor time of settlement', () => {
  expect(record({ type: 'rejection', signature: null, rejectionReason: 'paused', settledAt: null })).toMatchObject({
    status: 'rejected',
    tx_signature: null,
    chain_explorer_url: null,
    rejection_reason: 'paused',
    settled_at: null,
  });
});

test.each(['transfer', 'session_settlement', 'deposit'] as const)('a record of the type %s is settled', (type) => {
  expect(record({ type, sessionId: 'sess_1' })).toMatchObject({ type, status: 'settled', session_id: 'sess_1' });
});
