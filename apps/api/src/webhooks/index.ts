/** The public face of webhooks, for the features right of it. */
export { LowBalancesService, type BalanceStep } from './low-balances.service';
export { WebhookHealth } from './endpoints/webhook-health';
export { WebhooksModule } from './webhooks.module';
