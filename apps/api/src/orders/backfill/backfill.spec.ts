import type { LandedOrder } from '#chain';
import { idBytes, idOf } from '#database';
import { isOf } from './backfill';
import { aCharge, anOrder } from '../order.builder';
import { landed } from '../processing/order.processor.builder';

const order = anOrder();

test('a landed order of the same kind, id, amount and destination is the stored one', () => {
  expect(isOf(landed(), order)).toBe(true);
});

test('a landed order whose event shows no destination is matched by kind, id and amount', () => {
  const charge = aCharge();
  expect(isOf(landed({ kind: 'charge', id: idBytes(charge.id), destination: null }), charge)).toBe(true);
});

test.each<[string, Partial<LandedOrder>]>([
  ['another kind', { kind: 'top_up' }],
  ['another id', { id: idBytes(idOf('tr', Buffer.alloc(16, 9))) }],
  ['no id', { id: Buffer.alloc(0) }],
  ['one micro-USDC more', { microUsdc: order.microUsdc + 1n }],
  ['one micro-USDC less', { microUsdc: order.microUsdc - 1n }],
  ['another destination', { destination: 'OtherTokenAccount' }],
])('a landed order with %s is not the stored one', (_what, changes) => {
  expect(isOf(landed(changes), order)).toBe(false);
});
