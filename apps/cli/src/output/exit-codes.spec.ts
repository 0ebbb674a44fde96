import { CommanderError } from 'commander';
import { APIConnectionError, APITimeoutError, APIUserAbortError, ApprovalRequired, errorOf, SignatureRequired } from '#client';
import { Exit, exitCodeOf, RefusedError, UsageError } from './exit-codes';
import { errorBody, explain } from './explain';

const answered = (status: number, body: Record<string, unknown>, headers = {}) => errorOf({ status, body, headers: new Headers(headers) });

test.each([
  [new Error('a bug'), 1],
  [answered(404, { error: 'not_found' }), 1],
  [answered(401, { error: 'unauthorized' }), 1],
  [answered(500, { error: 'internal_error' }), 1],
  [new UsageError('wrong'), 2],
  [new CommanderError(1, 'commander.unknownOption', 'unknown option'), 2],
  [answered(400, { error: 'invalid_request' }), 2],
  [answered(402, { error: 'policy_violation' }), 3],
  [answered(402, { error: 'account_paused' }), 3],
  [answered(402, { error: 'insufficient_balance' }), 3],
  [new APIConnectionError('away'), 5],
  [new APITimeoutError('late'), 5],
  [answered(503, { error: 'chain_unavailable' }), 5],
  [answered(429, { error: 'rate_limited' }), 5],
  [new APIUserAbortError('stop'), 130],
  [new Exit(6), 6],
  [new RefusedError('It takes your SOL. Nothing was signed.', 'unsafe_transaction'), 8],
  [new CommanderError(0, 'commander.help', 'help'), 0],
])('%p has the exit code %i', (error, code) => {
  expect(exitCodeOf(error)).toBe(code);
});

test('an error of an order that waits for an approval has the exit code 4', () => {
  const waiting = { status: 'pending_approval', approval: { required_by: 'operator', expires_at: '2026-01-01T00:00:00.000Z' } };
  expect(exitCodeOf(new ApprovalRequired(waiting as ConstructorParameters<typeof ApprovalRequired>[0]))).toBe(4);
});

test('an action that needs a signature has the exit code 7, and says what is signed and how', () => {
  const request = {
    status: 'signature_required' as const,
    signature_request_id: 'sig_1',
    transaction: 'AQ==',
    summary: ['The policy of \u001b[2Jone is changed.'],
    expires_at: '2026-01-01T00:00:00.000Z',
    message: 'Sign it.',
  };
  const error = new SignatureRequired(request);
  expect([exitCodeOf(error), errorBody(error)]).toEqual([7, request]);
  expect(explain(error)).toEqual([
    'Nothing was changed yet. The chain key that you hold must sign this:',
    '  The policy of  [2Jone is changed.',
    'Sign it: aps signatures sign sig_1',
    '  expires:    2026-01-01T00:00:00.000Z; signed later, it is renewed first',
  ]);
});

test('a refused transaction is explained by its reason, and has a code of its own in JSON', () => {
  const error = new RefusedError('It takes your SOL. Nothing was signed.', 'unsafe_transaction');
  expect(explain(error)).toEqual(['It takes your SOL. Nothing was signed.']);
  expect(errorBody(error)).toEqual({ error: 'unsafe_transaction', message: 'It takes your SOL. Nothing was signed.' });
});

test('a decline is explained by its message, rule, numbers, time and request', () => {
  const policy = { rule: 'max_daily_spend', limit_usdc: '8.000000', remaining_usdc: '0.500000', available_at: '2026-01-01T00:00:00.000Z' };
  const body = { error: 'policy_violation', message: 'Too much.', rejection_reason: 'max_daily_spend', policy, request_id: 'r1' };
  expect(explain(answered(402, body))).toEqual([
    'Too much.',
    '  rule:       max_daily_spend',
    '  limit:      8.000000 USDC',
    '  remaining:  0.500000 USDC',
    '  try again:  2026-01-01T00:00:00.000Z',
    '  request:    r1',
  ]);
});

test('an error with Retry-After says when to try again', () => {
  expect(explain(answered(503, { error: 'chain_unavailable', message: 'Away.' }, { 'Retry-After': '7' }))).toEqual([
    'Away.',
    'Try again in 7 s.',
  ]);
});
