import type { Schemas } from '#client';
import { UsageError } from '../output/exit-codes';
import { given, listLimit, several } from '../options';
import type { Register } from '../context';
import { timeOf } from '../output/output';

type Webhook = Schemas['Webhook'];
type Delivery = Schemas['Delivery'];
type EventTypes = NonNullable<Schemas['CreateWebhook']['events']>;
type CreateOptions = { event?: EventTypes; account?: string[] };

const COLUMNS = {
  url: ({ url }: Webhook) => url,
  status: ({ status }: Webhook) => status,
  events: ({ events }: Webhook) => events.join(', ') || 'all',
  webhook: ({ webhook_id }: Webhook) => webhook_id,
};
const DELIVERY_COLUMNS = {
  event: ({ event_type }: Delivery) => event_type,
  status: ({ status }: Delivery) => status,
  attempts: ({ attempts }: Delivery) => attempts.length,
  'last answer': ({ attempts }: Delivery) => attempts.at(-1)?.status_code ?? attempts.at(-1)?.error,
  'next attempt': ({ next_attempt_at }: Delivery) => timeOf(next_attempt_at),
  delivery: ({ delivery_id }: Delivery) => delivery_id,
};

/** `webhooks list | create | test | deliveries | replay` */
export const webhooks: Register = (program, context) => {
  const group = program.command('webhooks').description('webhooks and their deliveries');
  group
    .command('list')
    .description('list webhooks, without their secrets')
    .option('--limit <number>', 'how many', listLimit)
    .action(async ({ limit }: { limit?: number }) => context.list(context.client().webhooks.list(), limit, COLUMNS));
  group
    .command('create')
    .description('register a URL and print its signing secret, once')
    .argument('<url>')
    .option('--event <type>', 'a type of event; repeat it for more (default: all)', several)
    .option('--account <id>', 'only events of this account; repeat it for more', several)
    .action(async (url: string, { event, account }: CreateOptions) => {
      const created = await context.client().webhooks.create({ url, ...given({ events: event, account_ids: account }) });
      context.note('The secret is shown only now.');
      context.show(created, { webhook_id: created.webhook_id, url: created.url, status: created.status, secret: created.secret });
    });
  group
    .command('test')
    .description('send a webhook.test event')
    .argument('<webhook>', 'its id, wh_…')
    .action(async (id: string) => {
      const event = await context.client().webhooks.test(id);
      context.print(event, `Event ${event.id} is on its way: aps webhooks deliveries ${id}`);
    });
  group
    .command('deliveries')
    .description('list deliveries, newest first')
    .argument('<webhook>', 'its id, wh_…')
    .option('--status <status>', 'pending, delivered or undelivered')
    .option('--limit <number>', 'how many', listLimit)
    .action(async (id: string, { status, limit }: { status?: Delivery['status']; limit?: number }) =>
      context.list(context.client().webhooks.deliveries(id, given({ status })), limit, DELIVERY_COLUMNS),
    );
  group
    .command('replay')
    .description('send a delivery again, or all undelivered ones of a webhook')
    .argument('<id>', 'dlv_… or wh_…')
    .option('--since <time>', 'of a webhook: only events later than this (ISO 8601)')
    .action(async (id: string, { since }: { since?: string }) => {
      const calls = context.client().webhooks;
      if (id.startsWith('wh_')) {
        const { replayed } = await calls.replay(id, given({ since }));
        context.print({ replayed }, `${replayed} deliveries are sent again.`);
      } else if (id.startsWith('dlv_')) {
        const delivery = await calls.replayDelivery(id);
        context.print(delivery, `${id} is sent again.`);
      } else throw new UsageError('The id must begin with dlv_ or wh_.');
    });
};
