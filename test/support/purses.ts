/** Shared by the end-to-end tests of purses: a service, a stock seller and a seller that misbehaves. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { api, type Answer, type Api, type Body } from './api';
import { eventually } from './eventually';
import { Service, startService, type SharedService } from './service';
import { anAccount, chainBalance, eventsOf, everyRow, bodyOf, rpc, type TestAccount } from './world';
import { startX402Seller, type X402Seller, sellerTerms } from './x402-sellers/start';
import { listening } from './listening';

/** Micro-USDC that each call costs. */
export const PRICE = 10_000n;
/** More slots than a blockhash lives. */
const EXPIRY_SLOTS = 200;

/** Why an account's policy or balance declines the opening of a purse of 0.1 USDC: policy, members of the request, and reason. */
export const DECLINED_OPENINGS: [what: string, policy: Body, more: Body, reason: string][] = [
  ['above max_single_transfer', { max_single_transfer: 0.099999 }, {}, 'max_single_transfer'],
  ['above max_session_cap', { max_session_cap: 0.099999 }, {}, 'max_session_cap'],
  ['above max_daily_spend', { max_daily_spend: 0.099999 }, {}, 'max_daily_spend'],
  [
    'of an account that lists counterparties',
    { allowed_counterparties: ['11111111111111111111111111111112'] },
    {},
    'charge_with_listed_recipients',
  ],
  ['of another category than the policy lists', { categories: ['data'] }, { category: 'news' }, 'categories'],
  ['above the balance', {}, { amount: '2.000001' }, 'insufficient_balance'],
  ['of a paused account', { paused: true }, {}, 'paused'],
];

/** `Stage`: a service of its own, whose slots a test may advance, or the shared one. */
export class PurseStage<Stage extends Service | SharedService = Service> {
  private constructor(
    readonly service: Stage,
    readonly by: Api,
    readonly payee: TestAccount,
    readonly stock: X402Seller,
    readonly odd: OddSeller,
  ) {}

  /** On a service of its own. */
  static async start(): Promise<PurseStage> {
    return PurseStage.on(await startService({ variables: { LEASE_MS: '1000' } }));
  }

  /** On a service that runs. A stage on the shared one must not advance its slots. */
  static async on<Stage extends Service | SharedService>(service: Stage): Promise<PurseStage<Stage>> {
    const by = api(service.baseUrl, service.operatorKey);
    const payee = await anAccount({ by });
    const terms = await sellerTerms(service, payee);
    const stock = await startX402Seller('express-v2', { ...terms, price: PRICE });
    return new PurseStage(service, by, payee, stock, await OddSeller.start(terms));
  }

  /** A new account with 2 USDC, of this policy. */
  account(policy?: Body): Promise<TestAccount> {
    return anAccount({ usdc: '2', ...(policy && { policy }), by: this.by });
  }

  async stop(): Promise<void> {
    this.odd.stop();
    await this.stock.stop();
    if (this.service instanceof Service) await this.service.stop();
  }

  request({ id }: TestAccount, amount: string, more: Body = {}): Body {
    return { account_id: id, amount, idempotency_key: randomUUID(), ...more };
  }

  async open(account: TestAccount, amount: string, more: Body = {}): Promise<Body> {
    return bodyOf(await this.by.post('/v1/purses', this.request(account, amount, more)), 201);
  }

  async show(purse: Body): Promise<Body> {
    return bodyOf(await this.by.get(`/v1/purses/${purse.purse_id}`), 200);
  }

  /** The purse once it is closed. */
  closed(purse: Body): Promise<Body> {
    return eventually(
      async () => {
        const shown = await this.show(purse);
        expect(shown.status).toBe('closed');
        return shown;
      },
      { timeoutMs: 90_000 },
    );
  }

  order({ id }: TestAccount, { url = `${this.stock.url}/report`, ...more }: Body = {}): Body {
    return { account_id: id, idempotency_key: randomUUID(), max_amount: '1', request: { method: 'GET', url }, ...more };
  }

  pay(account: TestAccount, more: Body = {}, by = this.by): Promise<Answer> {
    return by.post('/v1/payments', this.order(account, more));
  }

  /** Pays once the service has a blockhash from after `expireCredentials`, which an account's payments may precede. */
  payAfterExpiry(account: TestAccount, more: Body = {}): Promise<Body> {
    return eventually(async () => bodyOf(await this.pay(account, more), 200), { timeoutMs: 60_000 });
  }

  received(): Promise<bigint> {
    return chainBalance(this.payee.tokenAccount, this.service.sandbox.rpc_url);
  }

  held({ tokenAccount }: TestAccount): Promise<bigint> {
    return chainBalance(tokenAccount, this.service.sandbox.rpc_url);
  }

  /** Credentials that are out can no longer land. */
  async expireCredentials(): Promise<void> {
    await rpc('sandbox_advanceSlots', [{ slots: EXPIRY_SLOTS }], this.service.sandbox.rpc_url);
  }

  async history({ id }: TestAccount, type = 'transfer'): Promise<Body[]> {
    return (await everyRow(`/v1/accounts/${id}/transactions?status=all`, this.by)).filter((row) => row.type === type);
  }

  async events(account: TestAccount, type: string): Promise<Body[]> {
    return (await eventsOf(account, this.service.sandbox.database_url)).filter(([each]) => each === type).map(([, data]) => data);
  }

  async spending({ id }: TestAccount): Promise<Body> {
    return bodyOf(await this.by.get(`/v1/accounts/${id}/spending`), 200);
  }
}

/** A seller that keeps the payments that it gets and submits none of them. */
export class OddSeller {
  /** Its offer differs from the usual one by this. */
  offer: Record<string, unknown> = {};
  readonly payments: string[] = [];
  url = '';
  private readonly server = createServer((request, response) => this.answer(request, response));

  private constructor(private readonly terms: { mint: string; payTo: string; network: string }) {}

  static async start(terms: { mint: string; payTo: string; network: string }): Promise<OddSeller> {
    const seller = new OddSeller(terms);
    seller.url = await listening(seller.server);
    return seller;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** `/refuses` answers a payment with 402, every other path breaks the connection. */
  private answer(request: IncomingMessage, response: ServerResponse): void {
    const payment = request.headers['payment-signature'];
    if (typeof payment === 'string') {
      this.payments.push(payment);
      if (request.url !== '/refuses') return void response.destroy();
    }
    const { mint: asset, payTo, network } = this.terms;
    const offer = {
      scheme: 'exact',
      network,
      amount: `${PRICE}`,
      asset,
      payTo,
      maxTimeoutSeconds: 60,
      extra: { feePayer: payTo },
      ...this.offer,
    };
    const required = { x402Version: 2, resource: { url: this.url }, accepts: [offer] };
    response.writeHead(402, { 'PAYMENT-REQUIRED': Buffer.from(JSON.stringify(required)).toString('base64') }).end('{}');
  }
}
