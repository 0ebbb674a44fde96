/** What webhooks offers to the features right of it. */
export { LowBalancesService, type BalanceStep } from './low-balances.service';
export { WebhooksModule } from './webhooks.module';
