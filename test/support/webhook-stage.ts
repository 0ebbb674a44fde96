/** Shared by the end-to-end tests of webhooks: a service of their own, and a receiver whose deliveries must be as the contract says. */
import { api, type Api, type Body } from './api';
import { checkDelivery } from './contract';
import { receivedEvents, startReceiver, type Receiver } from './receiver';
import { startService, type Service } from './service';
import { anAccount, bodyOf, type TestAccount } from './world';

const SETTINGS = { ALLOW_PRIVATE_URLS: 'true', WEBHOOK_RETRY_SECONDS: '1,1,1,1', WEBHOOK_TIMEOUT_MS: '2000' };

export class WebhookStage {
  private constructor(
    readonly service: Service,
    readonly receiver: Receiver,
  ) {}

  static async start(): Promise<WebhookStage> {
    const receiver = await startReceiver();
    return new WebhookStage(await startService({ variables: SETTINGS }), receiver);
  }

  async stop(): Promise<void> {
    await this.service.stop();
    this.receiver.close();
    this.receiver.received.forEach(checkDelivery);
  }

  /** The operator at the service as it was last started. */
  get by(): Api {
    return api(this.service.baseUrl, this.service.operatorKey);
  }

  async webhook(body: Body): Promise<Body> {
    return bodyOf(await this.by.post('/v1/webhooks', { url: this.receiver.url, ...body }), 201);
  }

  account(more: { usdc?: string; policy?: Body } = {}): Promise<TestAccount> {
    return anAccount({ ...more, by: this.by });
  }

  /** The events of an account that the receiver got. */
  receivedBy({ id }: TestAccount, type?: string): Body[] {
    return receivedEvents(this.receiver, id, type);
  }
}
