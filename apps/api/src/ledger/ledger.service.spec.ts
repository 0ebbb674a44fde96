import { DataSource } from 'typeorm';
import { isId } from '#database';
import { LedgerService, type NewLedgerEntry } from './ledger.service';

const NOW = new Date('2026-03-01T00:00:05.000Z');
const SETTLED_AT = new Date('2026-03-01T00:00:01.000Z');
const ledger = new LedgerService(new DataSource({ type: 'postgres' }), { now: () => NOW });
const deposit: NewLedgerEntry = { accountId: 'acct_1', type: 'deposit', direction: 'in', microUsdc: 2n ** 60n };

test('the row of a ledger entry has an id, the current time and null for what is left out', () => {
  const [row] = ledger.rows([deposit]) as { id: string }[];
  expect(row).toEqual({
    id: row?.id,
    account_id: 'acct_1',
    type: 'deposit',
    direction: 'in',
    micro_usdc: '1152921504606846976',
    counterparty: null,
    memo: null,
    category: null,
    signature: null,
    order_id: null,
    transfer_id: null,
    payment_id: null,
    provider: null,
    session_id: null,
    purse_id: null,
    rejection_reason: null,
    reference: null,
    metadata: {},
    created_at: NOW,
    settled_at: null,
  });
  expect(isId('txn', row?.id ?? '')).toBe(true);
});

test('the row of a ledger entry has what the entry says', () => {
  const entry: NewLedgerEntry = {
    ...deposit,
    counterparty: 'Sender',
    memo: '',
    category: 'data',
    signature: 'Signature',
    orderId: 'tr_1',
    paymentId: 'pay_1',
    provider: 'https://api.example.com',
    sessionId: 'sess_1',
    rejectionReason: 'paused',
    settledAt: SETTLED_AT,
  };
  expect(ledger.rows([entry])).toMatchObject([
    {
      counterparty: 'Sender',
      memo: '',
      category: 'data',
      signature: 'Signature',
      order_id: 'tr_1',
      payment_id: 'pay_1',
      provider: 'https://api.example.com',
      session_id: 'sess_1',
      rejection_reason: 'paused',
      settled_at: SETTLED_AT,
    },
  ]);
});

test('the rows of several entries have ids in the order of the entries', () => {
  const [one, other] = ledger.rows([deposit, { ...deposit, accountId: 'acct_2' }]) as { id: string; account_id: string }[];
  expect([one?.account_id, other?.account_id, (one?.id ?? '') < (other?.id ?? '')]).toEqual(['acct_1', 'acct_2', true]);
});

test('what settled in an earlier month is an entry of the present one', () => {
  const late = new Date('2026-02-28T23:59:59.999Z');
  expect(ledger.rows([{ ...deposit, settledAt: late }])).toMatchObject([{ settled_at: NOW }]);
  expect(ledger.rows([{ ...deposit, settledAt: new Date('2026-03-01T00:00:00.000Z') }])).toMatchObject([
    { settled_at: new Date('2026-03-01T00:00:00.000Z') },
  ]);
});
