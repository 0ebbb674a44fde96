import type { LedgerEntry } from '../../ledger';
import { recordView } from './records.dto';

const entry: LedgerEntry = {
  id: 'txn_1',
  operatorId: 'op_1',
  accountId: 'acct_payer',
  type: 'transfer',
  direction: 'out',
  microUsdc: 25n,
  counterparty: 'Payee',
  memo: 'Lunch',
  category: 'food',
  signature: 'Signature',
  orderId: 'tr_1',
  transferId: 'tr_1',
  paymentId: null,
  provider: null,
  sessionId: null,
  purseId: null,
  reference: 'invoice 7',
  metadata: { team: 'search' },
  rejectionReason: null,
  createdAt: new Date('2026-03-01T00:00:00.000Z'),
  settledAt: new Date('2026-03-01T00:00:05.000Z'),
};
const record = (changes: Partial<LedgerEntry> = {}) => recordView({ ...entry, ...changes }, (signature) => `https://explorer/${signature}`);

test('a record of the history shows amount, direction, counterparty and an explorer link', () => {
  expect(record()).toEqual({
    id: 'txn_1',
    account_id: 'acct_payer',
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
    transfer_id: 'tr_1',
    payment_id: null,
    session_id: null,
    purse_id: null,
    provider: null,
    reference: 'invoice 7',
    metadata: { team: 'search' },
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
