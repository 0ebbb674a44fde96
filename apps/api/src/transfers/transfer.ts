import type { Order } from '../orders';

/** An order of the kind `transfer`: the columns that the database requires of that kind are not null. */
export type Transfer = Order & { kind: 'transfer'; recipient: string; destination: string };

/** @throws Error for an order of another kind. */
export function asTransfer(order: Order): Transfer {
  const { kind, recipient, destination } = order;
  if (kind !== 'transfer' || recipient === null || destination === null) throw new Error(`${order.id} is no transfer`);
  return Object.assign(order, { kind, recipient, destination });
}
