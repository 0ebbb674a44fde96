/** Shared by the slow tests of webhook deliveries: an application whose dispatchers a test starts and stops, webhooks, and their receivers. */
import { OutboxService } from '../../apps/api/src/events/outbox.service';
import { aTransferData } from '../../apps/api/src/events/event.builder';
import { ContinuousJobsService } from '../../apps/api/src/jobs/continuous/continuous-jobs.service';
import { DeliveryDispatcher } from '../../apps/api/src/webhooks/deliveries/delivery-dispatcher';
import { DeliveryQueue } from '../../apps/api/src/webhooks/deliveries/delivery-queue';
import { DeliverySender } from '../../apps/api/src/webhooks/deliveries/delivery-sender';
import { FanOut } from '../../apps/api/src/webhooks/deliveries/fan-out';
import type { Body } from './api';
import { startApp, type TestApp } from './app';
import { eventually } from './eventually';
import { startReceiver, type Receiver } from './receiver';

/** A webhook of one new account, so that tests do not affect each other. */
interface PrivateWebhook {
  webhook: Body;
  accountId: string;
}

export class DeliveryStage {
  private stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();
  private readonly receivers: Receiver[] = [];

  private constructor(readonly service: TestApp) {}

  /** Starts an application that retries at once, with two dispatchers. */
  static async start(): Promise<DeliveryStage> {
    const stage = new DeliveryStage(await startApp({ variables: { ALLOW_PRIVATE_URLS: 'true', WEBHOOK_RETRY_SECONDS: '0,0' } }));
    stage.run(2);
    return stage;
  }

  /** Starts the dispatchers of this many workers on one database. */
  run(workers: number): void {
    const { app } = this.service;
    this.stopping = new AbortController();
    const dispatchers = Array.from({ length: workers }, () => {
      const jobs = new ContinuousJobsService();
      new DeliveryDispatcher(jobs, app.get(FanOut), app.get(DeliveryQueue), app.get(DeliverySender)).onModuleInit();
      return jobs.all()[0]?.run(this.stopping.signal);
    });
    this.running = Promise.all(dispatchers);
  }

  /** Stops the dispatchers. */
  async halt(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  async stop(): Promise<void> {
    await this.halt();
    await this.service.close();
  }

  /** Closes receivers that hang, so that their 15 seconds are not waited for. */
  closeReceivers(): void {
    for (const receiver of this.receivers.splice(0)) receiver.close();
  }

  async aReceiver(answer?: Receiver['answer']): Promise<Receiver> {
    const receiver = await startReceiver(answer);
    this.receivers.push(receiver);
    return receiver;
  }

  async post(path: string, body: object, status: number): Promise<Body> {
    return (await this.service.send('post', path).send(body).expect(status)).body;
  }

  aWebhook({ url }: Pick<Receiver, 'url'>, more: object = {}): Promise<Body> {
    return this.post('/v1/webhooks', { url, ...more }, 201);
  }

  async aPrivateWebhook(receiver: Pick<Receiver, 'url'>, more: object = {}): Promise<PrivateWebhook> {
    const accountId = await this.service.insertAccount();
    return { webhook: await this.aWebhook(receiver, { account_ids: [accountId], ...more }), accountId };
  }

  /** A private webhook with a receiver of its own. */
  async aReceivedWebhook(answer?: Receiver['answer'], more: object = {}): Promise<PrivateWebhook & { receiver: Receiver }> {
    const receiver = await this.aReceiver(answer);
    return { receiver, ...(await this.aPrivateWebhook(receiver, more)) };
  }

  /** Records events of one account, by default a new one. Returns its id. */
  async recordEvents(
    count = 1,
    { accountId, type = 'transfer.settled' }: { accountId?: string; type?: 'transfer.settled' | 'transfer.rejected' } = {},
  ): Promise<string> {
    const { app, operatorId, database } = this.service;
    const of = accountId ?? (await this.service.insertAccount());
    const rows = Array.from({ length: count }, (_, index) =>
      app.get(OutboxService).row({ operatorId, accountId: of, type, data: aTransferData(of, `ünï¢ode "quoted" ${index}`) }),
    );
    await database.query('SELECT record_event(row) FROM jsonb_array_elements($1) row', [JSON.stringify(rows)]);
    return of;
  }

  async deliveriesOf({ webhook_id }: Body, query = ''): Promise<Body[]> {
    return (await this.service.send('get', `/v1/webhooks/${webhook_id}/deliveries?limit=100${query}`).expect(200)).body.data;
  }

  /** The deliveries once so many are no longer pending. */
  finalDeliveries(webhook: Body, count: number): Promise<Body[]> {
    return eventually(async () => {
      const deliveries = await this.deliveriesOf(webhook);
      expect(deliveries.filter(({ status }) => status !== 'pending')).toHaveLength(count);
      return deliveries;
    });
  }

  /** The only delivery once it was attempted so often. */
  attempted(webhook: Body, attempts = 1): Promise<Body> {
    return eventually(async () => {
      const [delivery] = await this.deliveriesOf(webhook);
      expect(delivery?.attempts.length).toBeGreaterThanOrEqual(attempts);
      return delivery;
    });
  }
}
