import { adviceAbout, type Decline } from './declines';

const PAY = ['url', 'max_amount', 'session_id', 'purse_id', 'open_session'];
const TRANSFER = ['to', 'amount', 'memo', 'category'];
const advice = (rejection_reason: string, takes: string[], { args = {}, ...more }: Decline & { args?: Record<string, unknown> } = {}) =>
  adviceAbout({ rejection_reason, ...more }, { args, takes: (name) => takes.includes(name) });

test.each([
  'paused',
  'valid_until',
  'max_single_transfer',
  'max_session_cap',
  'allowed_counterparties',
  'max_daily_spend',
  'max_monthly_spend',
  'max_lifetime_spend',
  'allowed_hosts',
  'denied',
])('a decline by %s is final', (reason) =>
  expect(advice(reason, PAY)).toEqual({ outcome: 'declined', next_step: expect.stringMatching(/^This is final\./) }),
);

test.each(['mint_mismatch', 'network_mismatch', 'challenge_expired', 'provider_refused', 'unsupported_method', 'recipient_mismatch'])(
  'a decline by %s lies with the provider: no argument changes it, and it is not final',
  (reason) => {
    const { outcome, next_step } = advice(reason, PAY);
    expect([outcome, next_step]).toEqual(['declined', expect.stringContaining('no argument changes that')]);
    expect(next_step).not.toMatch(/final/);
  },
);

test.each<[string, string[], Decline & { args?: Record<string, unknown> }, string]>([
  ['require_memo', TRANSFER, {}, 'memo, such as "invoice 17"'],
  ['categories', TRANSFER, { policy: { allowed: ['data', 'search'] } }, 'such as "data" or "search"'],
  ['valid_until', TRANSFER, { args: { expires_in_seconds: 3_600 } }, 'without expires_in_seconds'],
  ['max_amount', PAY, { policy: { attempted_usdc: '0.010000' } }, 'max_amount, such as "0.010000"'],
  ['charge_with_listed_recipients', PAY, {}, 'open_session, such as {"cap":"1"}'],
  ['escalation_threshold', PAY, {}, 'session_open, such as {"provider"'],
  ['approval_above_daily_sum', PAY, {}, 'session_id'],
  [
    'unsupported_method',
    PAY,
    { message: 'The provider takes solana/session. To pay it, add open_session to the request.' },
    'open_session, such as {"cap":"1"}',
  ],
  [
    'unsupported_method',
    PAY,
    { message: 'The provider takes solana/charge. To pay it, leave session_id and open_session out.' },
    'without session_id and open_session',
  ],
  ['session_cap', PAY, {}, 'a higher cap in open_session'],
  ['session_cap', PAY, { args: { session_id: 'sess_1' } }, 'without session_id, with open_session, such as {"cap":"1"}'],
  ['recipient_mismatch', PAY, { args: { session_id: 'sess_1' } }, 'without session_id'],
  ['purse_expires', PAY, { args: { purse_id: 'purse_1' } }, 'purse_open opened, such as {"kind":"channel","amount":"1"}'],
  ['purse_host', PAY, { args: { purse_id: 'purse_1' } }, 'without purse_id'],
])('a decline by %s of a tool with %j and %j needs a change, with an example', (reason, takes, call, example) => {
  const { outcome, next_step } = advice(reason, takes, call);
  expect([outcome, next_step]).toEqual(['needs_change', expect.stringContaining(example)]);
  expect(next_step).toMatch(/^Nothing was paid\. .* and a new idempotency_key\.$/);
});

test('a category that the policy does not list is final if the call named one', () =>
  expect(advice('categories', TRANSFER, { args: { category: 'games' }, policy: { allowed: ['data'] } }).outcome).toBe('declined'));

test('an amount that waited too long for a person may be asked for again, after the user was asked', () =>
  expect(advice('approval_expired', TRANSFER).next_step).toMatch(/Ask the user/));
