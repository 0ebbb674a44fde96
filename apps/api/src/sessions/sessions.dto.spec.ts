import type { OrderStatus } from '../orders';
import { aSession } from './session.builder';
import { OPENED, type OpeningFacts } from '../allowances';
import { type SessionStatus, sessionView } from './sessions.dto';

const EXPIRES_AT = new Date('2026-03-01T01:00:00.000Z');

test('an open session shows amounts in USDC, times and the signature of its opening', () => {
  const session = aSession({ category: 'data', acceptedMicroUsdc: 3n, settledMicroUsdc: 2n, returnedMicroUsdc: 1n, graceSeconds: 60 });
  expect(sessionView(session, OPENED)).toEqual({
    session_id: session.id,
    account_id: 'acct_payer',
    provider: 'https://api.example.com',
    payee: 'Payee',
    category: 'data',
    reference: null,
    metadata: {},
    cap_usdc: '10.000000',
    running_total_usdc: '0.000003',
    settled_usdc: '0.000002',
    returned_usdc: '0.000001',
    status: 'open',
    grace_seconds: 60,
    opened_at: '2026-03-01T00:00:02.000Z',
    expires_at: '2026-03-02T00:00:02.000Z',
    closed_at: null,
    tx_signature: 'OpenSignature',
    created_at: '2026-03-01T00:00:00.000Z',
    channel_id: 'SessionAddress',
  });
});

test('a settled session shows the signature of its end and when it was closed', () => {
  const session = aSession({ state: 'settled', endSignature: 'EndSignature', closedAt: EXPIRES_AT });
  expect(sessionView(session, OPENED)).toMatchObject({
    status: 'settled',
    tx_signature: 'EndSignature',
    closed_at: EXPIRES_AT.toISOString(),
  });
});

test.each<[OrderStatus, SessionStatus]>([
  ['created', 'opening'],
  ['submitted', 'opening'],
  ['pending_approval', 'pending_approval'],
  ['rejected', 'rejected'],
  ['failed', 'failed'],
  ['settled', 'open'],
])('an ordered session whose opening is %s is shown as %s', (status, shown) => {
  expect(sessionView(aSession({ state: 'ordered' }), { ...OPENED, status }).status).toBe(shown);
});

test.each(['open', 'closing', 'settled'] as const)('a session that is %s is shown so, whatever its opening says', (state) => {
  expect(sessionView(aSession({ state }), { ...OPENED, status: 'failed' }).status).toBe(state);
});

test('a session that was ordered and not opened has null for address, times and signature', () => {
  const session = aSession({ state: 'ordered', address: null, openSignature: null, openedAt: null, expiresAt: null });
  expect(sessionView(session, { ...OPENED, status: 'submitted' })).toMatchObject({
    channel_id: null,
    tx_signature: null,
    opened_at: null,
    expires_at: null,
    closed_at: null,
    message: expect.stringContaining('outcome is not known yet'),
  });
});

test('an opening shows until when it can be approved, only while it waits', () => {
  const ordered = aSession({ state: 'ordered' });
  const waiting: OpeningFacts = { status: 'pending_approval', approvalExpiresAt: EXPIRES_AT, rejectionReason: null };
  expect(sessionView(ordered, waiting).approval).toEqual({ required_by: 'operator', expires_at: EXPIRES_AT.toISOString() });
  expect(sessionView(ordered, { ...waiting, status: 'submitted' })).not.toHaveProperty('approval');
});

test('an opening shows why it was rejected, only if it was', () => {
  const ordered = aSession({ state: 'ordered' });
  const rejected: OpeningFacts = { status: 'rejected', approvalExpiresAt: null, rejectionReason: 'paused' };
  expect(sessionView(ordered, rejected).rejection_reason).toBe('paused');
  expect(sessionView(ordered, { ...rejected, rejectionReason: null })).not.toHaveProperty('rejection_reason');
  expect(sessionView(ordered, { ...rejected, status: 'failed' })).not.toHaveProperty('rejection_reason');
});
