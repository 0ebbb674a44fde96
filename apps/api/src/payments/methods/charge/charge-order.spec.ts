import { isId } from '#database';
import { aCharge, anOrder } from '../../../orders/order.builder';
import { asCharge, chargeIds, newChargeId, paidEffects } from './charge-order';

/** A digest of a request. */
const request = Buffer.alloc(32, 7);
const SETTLED_AT = new Date('2026-03-01T00:00:01.000Z');
const paid = {
  payment: { id: 'pay_1', provider: 'https://api.example.com', reference: 'r-1', metadata: { team: 'search' }, reversedAt: null },
  microUsdc: 1n,
  signature: 'Signature',
  settledAt: SETTLED_AT,
};

test('an order of the kind charge with payee and delegate is a charge, and the same object', () => {
  const order = aCharge();
  expect(asCharge(order)).toBe(order);
});

test.each([
  ['of another kind', anOrder({ payee: 'Payee', delegateKey: 'Delegate' })],
  ['without a payee', aCharge({ payee: null })],
  ['without a delegate', aCharge({ delegateKey: null })],
])('an order %s is no charge', (_what, order) => {
  expect(() => asCharge(order)).toThrow(`${order.id} is no charge`);
});

test('two charges of one payment have different ids, both within the bounds of its request', () => {
  const [lowest, highest] = chargeIds(request);
  const [one, other] = [newChargeId(request), newChargeId(request)];
  expect(one).not.toBe(other);
  for (const id of [one, other]) expect([isId('chg', id), id >= lowest, id <= highest]).toEqual([true, true, true]);
});

test('the bounds of a charge leave 32 bits to its attempts', () => {
  const [lowest, highest] = chargeIds(request);
  expect([lowest.slice(0, -7), lowest.slice(-6), highest.slice(-6)]).toEqual([highest.slice(0, -7), '000000', 'zzzzzz']);
});

test('the ids of charges of requests with different digests do not overlap', () => {
  const [lowest, highest] = chargeIds(request);
  const [otherLowest, otherHighest] = chargeIds(Buffer.alloc(32, 8));
  expect(otherHighest < lowest || otherLowest > highest).toBe(true);
});

test('the ids of charges of one digest are the same in every process and version, so that a restored database finds its charges', () => {
  expect(chargeIds(request)).toEqual(['chg_070w3ge1r70w3ge1r70w000000', 'chg_070w3ge1r70w3ge1r70zzzzzzz']);
});

test('a paid charge is one outgoing ledger entry and transfer.settled, both named by its payment', () => {
  const charge = asCharge(aCharge({ category: 'data' }));
  expect(paidEffects(charge, paid)).toEqual({
    entries: [
      {
        accountId: 'acct_payer',
        type: 'transfer',
        direction: 'out',
        microUsdc: 1n,
        counterparty: 'Payee',
        category: 'data',
        signature: 'Signature',
        orderId: charge.id,
        purseId: null,
        paymentId: 'pay_1',
        provider: 'https://api.example.com',
        reference: 'r-1',
        metadata: { team: 'search' },
        settledAt: SETTLED_AT,
      },
    ],
    event: {
      operatorId: 'op_1',
      accountId: 'acct_payer',
      type: 'transfer.settled',
      data: {
        transfer_id: 'pay_1',
        payment_id: 'pay_1',
        account_id: 'acct_payer',
        amount_usdc: '0.000001',
        tx_signature: 'Signature',
        reference: 'r-1',
        metadata: { team: 'search' },
        settled_at: '2026-03-01T00:00:01.000Z',
      },
    },
  });
});

test('a paid charge whose payment a restored database has lost is named by its own id', () => {
  const charge = asCharge(aCharge());
  const { entries, event } = paidEffects(charge, { ...paid, payment: null });
  expect(event.data).toMatchObject({ transfer_id: charge.id, payment_id: charge.id });
  expect(entries).toMatchObject([{ orderId: charge.id, paymentId: null, provider: null }]);
});
