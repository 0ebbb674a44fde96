/** The client of the Agent Payment Service: `new AgentPayments({ apiKey, baseURL })`. */
export { AgentPayments, AgentPayments as default, type ClientOptions } from './client';
export type { SignatureRequestListParams } from './custody';
export * from './errors';
export { formatUsdc, parseUsdc, type Amount } from './money';
export { Page, PagePromise } from './pagination';
export type { PayingFetchOptions } from './paying-fetch';
export type { PolicyUpdateOptions, Schemas, WaitOptions } from './resource';
export type * from './resources/orders/allowances';
export type * from './resources/payments';
export type { Sandbox } from './resources/sandbox';
export type { TransactionListParams } from './resources/transactions';
export type * from './resources/orders/transfers';
export * from './signing/index';
export { retryAfter, type RequestOptions } from './transport';
export { verifyWebhook, type VerifyOptions, type WebhookEvent } from './webhooks';
