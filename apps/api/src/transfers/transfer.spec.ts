import { anOpening, anOrder } from '../orders/order.builder';
import { asTransfer } from './transfer';

test('an order of the kind transfer with all its columns is a transfer, and the same object', () => {
  const order = anOrder();
  expect(asTransfer(order)).toBe(order);
});

test('an order of another kind is no transfer', () => {
  const opening = anOpening({ recipient: 'A', destination: 'A' });
  expect(() => asTransfer(opening)).toThrow(`${opening.id} is no transfer`);
});

test.each(['recipient', 'destination'] as const)('an order without %s is no transfer', (column) => {
  expect(() => asTransfer(anOrder({ [column]: null }))).toThrow('is no transfer');
});
