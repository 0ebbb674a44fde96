import type { Order } from '../orders';
import { anOrder, CREATED_AT } from '../orders/order.builder';
import { asTransfer } from './transfer';
import { transferView } from './transfers.dto';

const view = (changes: Partial<Order> = {}) => transferView(asTransfer(anOrder(changes)), (signature) => `https://explorer/${signature}`);
const SETTLED_AT = new Date('2026-03-01T00:00:01.000Z');

test('a settled transfer shows signature, explorer link and time, and nothing that does not apply', () => {
  expect(view({ status: 'settled', signature: 'Signature', settledAt: SETTLED_AT, microUsdc: 1n })).toEqual({
    transfer_id: anOrder().id,
    status: 'settled',
    from: 'acct_payer',
    to: 'TokenAccount',
    amount_usdc: '0.000001',
    idempotency_key: 'key-1',
    tx_signature: 'Signature',
    chain_explorer_url: 'https://explorer/Signature',
    created_at: CREATED_AT.toISOString(),
    settled_at: SETTLED_AT.toISOString(),
  });
});

test.each(['created', 'submitted'] as const)('a transfer that is %s is shown as submitted, with what to do', (status) => {
  expect(view({ status })).toMatchObject({ status: 'submitted', message: expect.stringContaining('outcome is not known yet') });
});

test('a transfer that waits for approval says to poll it, or to repeat the request', () => {
  expect(view({ status: 'pending_approval' }).message).toMatch(/approve.* poll it, or repeat the same request/);
});

test.each(['settled', 'rejected', 'failed'] as const)('a transfer that is %s has no message', (status) => {
  expect(view({ status })).not.toHaveProperty('message');
});

test('a transfer shows its memo and category, also an empty memo', () => {
  expect(view({ memo: '', category: 'food' })).toMatchObject({ memo: '', category: 'food' });
});

test('a transfer shows until when it can be approved, only while it waits', () => {
  const approval = { required_by: 'operator', expires_at: SETTLED_AT.toISOString() };
  expect(view({ status: 'pending_approval', approvalExpiresAt: SETTLED_AT }).approval).toEqual(approval);
  expect(view({ status: 'rejected', approvalExpiresAt: SETTLED_AT })).not.toHaveProperty('approval');
});

test('a rejected transfer shows reason, denial and the numbers of the violation', () => {
  const violation = { rule: 'paused', message: 'The account is paused.', attempted_usdc: '1.000000' };
  expect(view({ status: 'rejected', rejectionReason: 'paused', denialReason: 'No.', violation })).toMatchObject({
    rejection_reason: 'paused',
    denial_reason: 'No.',
    policy: { rule: 'paused', attempted_usdc: '1.000000' },
  });
});

test('a failed transfer says why', () => {
  expect(view({ status: 'failed', failure: { code: 'conflict', message: 'The account is frozen.' } })).toMatchObject({
    status: 'failed',
    failure_reason: 'The account is frozen.',
  });
});
