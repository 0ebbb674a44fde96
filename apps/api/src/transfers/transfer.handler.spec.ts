import type { Chain } from '#chain';
import type { AccountsService } from '../accounts';
import { OrderHandlers } from '../orders';
import { anOrder } from '../orders/order.builder';
import { asTransfer } from './transfer';
import { settlementEntries, TransferHandler } from './transfer.handler';

const SETTLED_AT = new Date('2026-03-01T00:00:01.000Z');
const transfer = asTransfer(anOrder({ microUsdc: 1_500_000n, memo: 'Lunch', category: 'food', recipient: 'acct_payee' }));
/** The effects of a transfer need neither chain nor accounts. */
const handler = new TransferHandler({} as Chain, {} as AccountsService, new OrderHandlers());
const facts = { transfer_id: transfer.id, account_id: 'acct_payer', amount_usdc: '1.500000' };
const owner = { operatorId: 'op_1', accountId: 'acct_payer' };
const outgoing = {
  accountId: 'acct_payer',
  type: 'transfer',
  direction: 'out',
  microUsdc: 1_500_000n,
  counterparty: 'acct_payee',
  memo: 'Lunch',
  category: 'food',
  orderId: transfer.id,
  signature: 'Signature',
  settledAt: SETTLED_AT,
};

test('a settled transfer to a stranger is one outgoing ledger entry', () => {
  expect(settlementEntries(transfer, 'Signature', SETTLED_AT)).toEqual([outgoing]);
});

test('a settled transfer to an account of the service is an outgoing and an incoming ledger entry of the same amount', () => {
  expect(settlementEntries({ ...transfer, destinationAccountId: 'acct_payee' }, 'Signature', SETTLED_AT)).toEqual([
    outgoing,
    { ...outgoing, accountId: 'acct_payee', direction: 'in', counterparty: 'acct_payer' },
  ]);
});

test('transfer.initiated names recipient and transaction and writes no ledger entry', () => {
  expect(handler.initiated(transfer, 'Signature')).toEqual({
    event: { ...owner, type: 'transfer.initiated', data: { ...facts, to: 'acct_payee', tx_signature: 'Signature' } },
  });
});

test('transfer.settled comes with the ledger entries and the slot of the change', async () => {
  expect(await handler.settled(transfer, { signature: 'Signature', slot: 42 }, SETTLED_AT)).toEqual({
    event: {
      ...owner,
      type: 'transfer.settled',
      data: { ...facts, tx_signature: 'Signature', settled_at: '2026-03-01T00:00:01.000Z' },
    },
    entries: [outgoing],
    slot: 42,
  });
});

test('transfer.rejected comes with one rejection in the ledger, without signature and time of settlement', () => {
  const { signature: _signature, settledAt: _settledAt, ...entry } = outgoing;
  expect(handler.declined(transfer, 'paused')).toEqual({
    event: { ...owner, type: 'transfer.rejected', data: { ...facts, rejection_reason: 'paused' } },
    entries: [{ ...entry, type: 'rejection', rejectionReason: 'paused' }],
  });
});

test('escalation.required names recipient, memo, threshold and the end of the approval, and writes no ledger entry', () => {
  expect(handler.escalated(transfer, 1_000_000n, SETTLED_AT)).toEqual({
    event: {
      ...owner,
      type: 'escalation.required',
      data: { ...facts, to: 'acct_payee', memo: 'Lunch', threshold_usdc: '1.000000', expires_at: '2026-03-01T00:00:01.000Z' },
    },
  });
});
