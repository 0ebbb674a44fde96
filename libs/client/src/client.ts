/** The client of the Agent Payment Service. */
import { Operator, SignatureRequests } from './custody';
import { AgentPaymentsError } from './errors';
import { payingFetch, type PayingFetchOptions } from './paying-fetch';
import { bodyOf, Connection, type Query, type Schemas } from './resource';
import { Accounts } from './resources/accounts';
import { Purses, Sessions } from './resources/orders/allowances';
import { ApiKeys } from './resources/api-keys';
import { AuditLog, Events } from './resources/events';
import { Fleets } from './resources/fleets';
import { Jobs } from './resources/jobs';
import { Payments } from './resources/payments';
import { Providers, Services } from './resources/providers';
import { Sandbox } from './resources/sandbox';
import { Transactions } from './resources/transactions';
import { Transfers } from './resources/orders/transfers';
import { Webhooks } from './resources/webhooks';
import { Transport, type RequestOptions } from './transport';

type UsageParams = Query<'usage.show'>;

export interface ClientOptions {
  /** An operator key or an agent key. Default: the environment's `AGENT_PAYMENTS_API_KEY`. */
  apiKey?: string;
  /** The URL of the service. Default: the environment's `AGENT_PAYMENTS_BASE_URL`. */
  baseURL?: string;
  /** For one attempt, in milliseconds. Default: a minute, which is longer than the service waits for a settlement. */
  timeout?: number;
  /** How often a failed attempt is repeated. Default: 2. */
  maxRetries?: number;
  /** Default: the global one. */
  fetch?: typeof globalThis.fetch;
}

const TIMEOUT_MS = 60_000;
const MAX_RETRIES = 2;

export class AgentPayments {
  readonly accounts: Accounts;
  readonly fleets: Fleets;
  readonly jobs: Jobs;
  readonly transfers: Transfers;
  readonly payments: Payments;
  readonly sessions: Sessions;
  readonly purses: Purses;
  readonly providers: Providers;
  readonly services: Services;
  readonly auditLog: AuditLog;
  readonly apiKeys: ApiKeys;
  readonly webhooks: Webhooks;
  readonly events: Events;
  readonly sandbox: Sandbox;
  readonly transactions: Transactions;
  readonly signatureRequests: SignatureRequests;
  readonly operator: Operator;
  private readonly connection: Connection;

  /** @throws AgentPaymentsError without a key or a base URL. */
  constructor({
    apiKey = fromEnvironment('AGENT_PAYMENTS_API_KEY'),
    baseURL = fromEnvironment('AGENT_PAYMENTS_BASE_URL'),
    timeout = TIMEOUT_MS,
    maxRetries = MAX_RETRIES,
    fetch = (input, init) => globalThis.fetch(input, init),
  }: ClientOptions = {}) {
    if (!apiKey) throw new AgentPaymentsError('Give apiKey, or set AGENT_PAYMENTS_API_KEY.');
    if (!baseURL) throw new AgentPaymentsError('Give baseURL, or set AGENT_PAYMENTS_BASE_URL.');
    const connection = new Connection(baseURL, apiKey, new Transport({ fetch, timeout, maxRetries }));
    this.connection = connection;
    this.transactions = new Transactions(connection);
    this.accounts = new Accounts(connection);
    this.fleets = new Fleets(connection);
    this.jobs = new Jobs(connection);
    this.transfers = new Transfers(connection);
    this.payments = new Payments(connection);
    this.sessions = new Sessions(connection);
    this.purses = new Purses(connection);
    this.providers = new Providers(connection);
    this.services = new Services(connection);
    this.auditLog = new AuditLog(connection);
    this.apiKeys = new ApiKeys(connection);
    this.webhooks = new Webhooks(connection);
    this.events = new Events(connection);
    this.sandbox = new Sandbox(connection);
    this.signatureRequests = new SignatureRequests(connection);
    this.operator = new Operator(connection);
  }

  /** The key of this client, its operator, and the accounts that an agent key may use. */
  me(options?: RequestOptions): Promise<Schemas['Me']> {
    return bodyOf(this.connection.http.GET('/v1/me', this.connection.repeatable(options)));
  }

  /** The spent and declined amounts, by account, provider, category, day or reason. */
  usage(query: UsageParams, options?: RequestOptions) {
    return bodyOf(this.connection.http.GET('/v1/usage', { params: { query }, ...this.connection.repeatable(options) }));
  }

  /**
   * A `fetch` that pays for what it calls: it meets a 402 (MPP or x402) once, with a credential of the service. Your process calls the
   * provider, and the service judges and signs. @throws PolicyViolation and what else `payments.authorize` throws.
   */
  payingFetch(options: PayingFetchOptions): typeof globalThis.fetch {
    return payingFetch(this.payments, options);
  }
}

/** A variable of the environment. Browsers have none. */
function fromEnvironment(name: string): string | undefined {
  return typeof process === 'undefined' ? undefined : process.env?.[name];
}
