import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { JobsService } from '../../jobs/jobs.service';
import { AuthenticationService } from '../../keys';
import { notificationOf } from './notification';
import { PushMessagesStore, type ClaimedMessage } from './push-messages.store';
import { PushSender, type Answer } from './push-sender';
import { PushSubscriptionsService } from '../push-subscriptions.service';

const EVERY_MS = 2_000;
/** The delays before a message is sent again. Then it has failed: the order still waits on the page. */
const RETRY_SECONDS = [30, 120, 600, 1_800];
/** The longest delay that a push service may ask for. */
const MAX_RETRY_SECONDS = 60 * 60;

/** Notifies the browsers of operators of each order that waits for approval. */
@Injectable()
export class PushJob implements OnModuleInit {
  private readonly logger = new Logger('Push');

  constructor(
    private readonly jobs: JobsService,
    private readonly messages: PushMessagesStore,
    private readonly subscriptions: PushSubscriptionsService,
    private readonly authentication: AuthenticationService,
    private readonly sender: PushSender,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'push-notifications', everyMs: EVERY_MS, run: () => this.run() });
  }

  async run(): Promise<void> {
    await this.messages.create();
    const claimed = await this.messages.claim();
    await Promise.all(claimed.map((message) => this.notify(message)));
  }

  private async notify(message: ClaimedMessage): Promise<void> {
    // A revoked or expired key ends what was turned on with it.
    if (!(await this.authentication.identifyKey(message.keyId, null))) return this.subscriptions.remove(message.subscriptionId);
    const answer = await this.sender.send(message, notificationOf(message.eventId, message.accountName, message.data));
    await this.record(message, answer);
  }

  private async record(message: ClaimedMessage, answer: Answer): Promise<void> {
    if (answer.is === 'taken') return this.messages.end(message, 'sent');
    if (answer.is === 'ended') return this.subscriptions.remove(message.subscriptionId);
    const seconds = answer.is === 'failed' ? RETRY_SECONDS[message.attempt - 1] : undefined;
    if (answer.is === 'failed' && seconds !== undefined) {
      const delay = Math.max(seconds, Math.min(answer.retryAfterSeconds, MAX_RETRY_SECONDS));
      return this.messages.retry(message, delay * 1000);
    }
    this.logger.warn(`A browser was not notified of ${message.eventId}: ${answer.why}.`);
    return this.messages.end(message, 'failed');
  }
}
