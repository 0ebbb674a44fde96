import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHANNEL_TRANSITIONS } from '../../apps/api/src/channels/channel.states';
import { ORDER_TRANSITIONS } from '../../apps/api/src/orders/order.states';
import { PAYMENT_TRANSITIONS } from '../../apps/api/src/payments/payment.states';
import { PURSE_TRANSITIONS } from '../../apps/api/src/purses/purse.states';
import { DELIVERY_TRANSITIONS } from '../../apps/api/src/webhooks/deliveries/delivery.states';
import { SESSION_TRANSITIONS } from '../../apps/api/src/sessions/session.states';

const PAGE = readFileSync(join(__dirname, '..', '..', 'docs', 'architecture.md'), 'utf8');

/** The edges of a state diagram: `created --> settled`. Edges from a state to itself that are not transitions are left out. */
function drawn(heading: string): Set<string> {
  const [, section = ''] = PAGE.split(`### ${heading}\n`);
  const [, diagram = ''] = section.split('```mermaid\nstateDiagram-v2\n');
  const edges = [...(diagram.split('```')[0] ?? '').matchAll(/^ {2}(\w+) --> (\w+)/gm)];
  return new Set(edges.map(([, from, to]) => `${from} --> ${to}`));
}

function inTable(transitions: Record<string, { from: readonly string[]; to: string }>): Set<string> {
  return new Set(Object.values(transitions).flatMap(({ from, to }) => from.map((state) => `${state} --> ${to}`)));
}

test.each([
  ['Channel', CHANNEL_TRANSITIONS, []],
  ['Delivery', DELIVERY_TRANSITIONS, []],
  ['Order', ORDER_TRANSITIONS, []],
  ['Payment', PAYMENT_TRANSITIONS, []],
  ['Purse', PURSE_TRANSITIONS, []],
  ['Session', SESSION_TRANSITIONS, ['open --> open', 'closing --> closing']],
] as const)('docs/architecture.md draws the states of %s as their table has them', (heading, transitions, unguarded) => {
  expect(drawn(heading)).toEqual(new Set([...inTable(transitions), ...unguarded]));
});
