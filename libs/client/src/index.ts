/** The client of the Agent Payment Service: `new AgentPayments({ apiKey, baseURL })`. */
export { AgentPayments, AgentPayments as default, type ClientOptions } from './client';
export type { SignatureRequestListParams } from './custody';
export * from './errors';
export type { PolicyUpdateOptions, TransactionListParams } from './managing';
export { formatUsdc, parseUsdc, type Amount } from './money';
export { Page, PagePromise } from './pagination';
export type { PayingFetchOptions } from './paying-fetch';
export type { Schemas, WaitOptions } from './resource';
export * from './signing/index';
export type * from './spending';
export { retryAfter, type RequestOptions } from './transport';
export { verifyWebhook, type VerifyOptions, type WebhookEvent } from './webhooks';
