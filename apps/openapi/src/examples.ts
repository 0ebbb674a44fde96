/**
 * Example bodies of requests, by operation. test/e2e/reference/examples sends each to a running service, with real objects in place of the
 * values of EXAMPLE_VALUES.
 */
export interface Example {
  body?: Record<string, unknown>;
}

/** Values that stand for objects of the reader. */
export const EXAMPLE_VALUES = {
  account: 'acct_01JNB7Q8X3V5T2M4K6H8G0F1D2',
  otherAccount: 'acct_01JNB7Q8X3V5T2M4K6H8G0F1D3',
  payee: '7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2',
  provider: 'https://api.example.com',
  challenge: 'Payment id="c1", realm="api.example.com", method="solana", intent="charge", request="eyJhbW91bnQiOiIxMDAwMCJ9"',
  receipt: 'eyJzdGF0dXMiOiJzdWNjZXNzIn0',
  chainKey: 'FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z',
  signature: 'vCsBfAe1CRBNJ0xvdKcqf5iB4W4YmRLL0rmHFJpGLlBhnlrJVjQM2kLtVQKVGVrDGVxMTe0C5eqSbSVCk9uLAQ==',
  transaction: 'AgAAAAAAAAAA',
};

const { account, otherAccount, payee, provider, challenge, receipt, chainKey, signature, transaction } = EXAMPLE_VALUES;

export const EXAMPLES: Record<string, Example> = {
  'accounts.create': { body: { name: 'Research agent', metadata: { team: 'research' } } },
  'accounts.change': { body: { name: 'Research agent, second floor' } },
  'accounts.bulk': { body: { action: 'set_policy', account_ids: [account, otherAccount], policy: { max_daily_spend: 100 } } },
  'accounts.setFleet': { body: { fleet_id: null } },
  'fleets.create': {
    body: { name: 'Crawlers', policy: { max_single_transfer: 5, max_daily_spend: 50 }, limits: { max_daily_spend: 500 } },
  },
  'fleets.change': { body: { name: 'Crawlers, night shift' } },
  'fleets.setPolicy': { body: { max_daily_spend: 25, approval_above_daily_sum: 20 } },
  'fleets.setLimits': { body: { max_daily_spend: 400, max_monthly_spend: 5_000 } },
  'sandbox.faucet': { body: { account_id: account, amount: '100' } },
  'sandbox.clock': { body: { advance_seconds: 3600 } },
  'accounts.setPolicy': {
    body: { max_single_transfer: 25, max_daily_spend: 100, escalation_threshold: 20, require_memo: false },
  },
  'accounts.setHosts': { body: { hosts: ['api.example.com', '*.example.org'] } },
  'operators.setChainKey': { body: { chain_key: chainKey, signature } },
  'signature_requests.submit': { body: { transaction } },
  'api_keys.create': { body: { type: 'agent', name: 'Research agent, laptop', account_ids: [account] } },
  'transfers.create': { body: { from: account, to: otherAccount, amount: '12.50', idempotency_key: 'invoice-1042', memo: 'Invoice 1042' } },
  'transfers.deny': { body: { reason: 'Not in the budget.' } },
  'providers.put': { body: { payee, categories: ['data'], wallet_programs: true, max_seconds: 120, max_bytes: 8_388_608 } },
  'operators.setCatalogues': { body: { urls: ['https://facilitator.example.com/discovery/resources'] } },
  'sessions.open': { body: { account_id: account, provider, payee, cap: '5', idempotency_key: 'session-1', expires_in_seconds: 3600 } },
  'sessions.topUp': { body: { amount: '2.5', idempotency_key: 'top-up-1' } },
  'sessions.deny': { body: { reason: 'Not in the budget.' } },
  'purses.open': { body: { account_id: account, amount: '5', idempotency_key: 'purse-1', host: 'api.example.com' } },
  'purses.deny': { body: { reason: 'Not in the budget.' } },
  'payments.pay': {
    body: {
      account_id: account,
      idempotency_key: 'call-1',
      max_amount: '0.05',
      request: { method: 'GET', url: `${provider}/forecast?city=Lisbon` },
    },
  },
  'payments.authorize': {
    body: {
      account_id: account,
      idempotency_key: 'call-2',
      max_amount: '0.05',
      url: `${provider}/report`,
      challenges: [challenge],
    },
  },
  'payments.receipt': { body: { receipt } },
  'webhooks.create': {
    body: { url: 'https://example.com/hook', events: ['transfer.settled', 'balance.low_threshold'], low_balance_threshold_usdc: 10 },
  },
  'webhooks.change': { body: { status: 'paused' } },
  'webhooks.replay': { body: { since: '2026-03-01T00:00:00Z' } },
  'accounts.close': { body: { destination: otherAccount } },
  'accounts.sweep': { body: { destination: otherAccount } },
};
