import { aPurse } from './purse.builder';
import type { OpeningFacts } from '../allowances';
import { purseView } from './purses.dto';

const opening = (changes: Partial<OpeningFacts>): OpeningFacts => ({
  status: 'settled',
  approvalExpiresAt: null,
  rejectionReason: null,
  ...changes,
});
const ordered = aPurse({ status: 'ordered', seq: null, openSignature: null, openedAt: null, expiresAt: null });

test('the view of an open purse has its amounts in USDC and the signature of its opening', () => {
  const purse = aPurse({ committedMicroUsdc: 30_000n, spentMicroUsdc: 20_000n, category: 'data', host: 'api.example.com' });
  expect(purseView(purse, opening({}))).toEqual({
    purse_id: purse.id,
    account_id: 'acct_payer',
    kind: 'allowance',
    payment_id: null,
    amount_usdc: '1.000000',
    spent_usdc: '0.020000',
    returned_usdc: '0.000000',
    category: 'data',
    host: 'api.example.com',
    reference: null,
    metadata: {},
    status: 'open',
    opened_at: '2026-03-01T00:00:02.000Z',
    expires_at: '2026-03-01T00:15:02.000Z',
    closed_at: null,
    tx_signature: 'OpenSignature',
    created_at: '2026-03-01T00:00:00.000Z',
  });
});

test('the view of a closed purse has the signature of its end, and its amounts add up', () => {
  const closedAt = new Date('2026-03-01T00:10:00.000Z');
  const purse = aPurse({ status: 'closed', spentMicroUsdc: 1n, returnedMicroUsdc: 999_999n, endSignature: 'EndSignature', closedAt });
  expect(purseView(purse, opening({}))).toMatchObject({
    status: 'closed',
    spent_usdc: '0.000001',
    returned_usdc: '0.999999',
    tx_signature: 'EndSignature',
    closed_at: '2026-03-01T00:10:00.000Z',
  });
});

test.each([
  ['created', 'opening'],
  ['submitted', 'opening'],
  ['pending_approval', 'pending_approval'],
  ['rejected', 'rejected'],
  ['failed', 'failed'],
] as const)('a purse whose opening order is %s is shown as %s', (status, shown) => {
  expect(purseView(ordered, opening({ status })).status).toBe(shown);
});

test('the view of a purse that waits for an operator says until when', () => {
  const approvalExpiresAt = new Date('2026-03-02T00:00:00.000Z');
  expect(purseView(ordered, opening({ status: 'pending_approval', approvalExpiresAt }))).toMatchObject({
    approval: { required_by: 'operator', expires_at: '2026-03-02T00:00:00.000Z' },
  });
});

test('the view of a rejected purse has the reason', () => {
  expect(purseView(ordered, opening({ status: 'rejected', rejectionReason: 'denied' }))).toMatchObject({ rejection_reason: 'denied' });
});
