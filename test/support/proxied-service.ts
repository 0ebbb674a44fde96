/** Services whose node is behind a proxy, which misbehaves as a test says. */
import { randomUUID } from 'node:crypto';
import { api, type Api, type Body } from './api';
import { ChainProxy } from './chain-proxy';
import { startApart } from './operators';
import { startRogueProvider, type RogueProvider } from './rogue-provider';
import { startService, type Service } from './service';
import { anAccount, chainBalance, rpc, type TestAccount } from './world';

/** Longer than a blockhash is valid. */
const EXPIRY_SLOTS = 200;

export interface ProxiedService {
  proxy: ChainProxy;
  service: Service;
  by: Api;
  stop(): Promise<void>;
}

/** Starts a service with a database of its own on the chain of another one, `ground`. */
export async function startBehindProxy(
  ground: Pick<Service, 'sandbox' | 'dataDir'>,
  variables: Record<string, string>,
): Promise<ProxiedService> {
  const proxy = await ChainProxy.start(ground.sandbox);
  const service = await startApart(ground, { SOLANA_RPC_URL: proxy.url, SOLANA_WS_URL: proxy.webSocketUrl, ...variables });
  const stop = async (): Promise<void> => {
    await service.stop();
    await proxy.down();
  };
  return { proxy, service, by: api(service.baseUrl, service.operatorKey), stop };
}

/** A service that pays a provider through the proxy, and the ground that has the chain and the database server. */
export class ProxiedPayments {
  private constructor(
    private readonly ground: Service,
    private readonly behind: ProxiedService,
    readonly payee: TestAccount,
    readonly provider: RogueProvider,
  ) {}

  /** `price`: of the provider, in micro-USDC. */
  static async start(price: bigint, variables: Record<string, string> = {}): Promise<ProxiedPayments> {
    const ground = await startService();
    const settings = { ALLOW_PRIVATE_URLS: 'true', LEASE_MS: '1000', SETTLEMENT_WAIT_MS: '3000', ...variables };
    const behind = await startBehindProxy(ground, settings);
    const payee = await anAccount({ by: behind.by });
    const provider = await startRogueProvider(payee.address, () => ground.sandbox);
    provider.price = price;
    return new ProxiedPayments(ground, behind, payee, provider);
  }

  get service(): Service {
    return this.behind.service;
  }

  get proxy(): ChainProxy {
    return this.behind.proxy;
  }

  /** The service as it was last started. */
  get by(): Api {
    return api(this.service.baseUrl, this.service.operatorKey);
  }

  /** The node without the proxy. */
  get chainUrl(): string {
    return this.ground.sandbox.rpc_url;
  }

  get programId(): string {
    return this.ground.sandbox.program_id;
  }

  async stop(): Promise<void> {
    this.provider.stop();
    await this.behind.stop();
    await this.ground.stop();
  }

  balance({ tokenAccount }: TestAccount): Promise<bigint> {
    return chainBalance(tokenAccount, this.chainUrl);
  }

  /** The body of a payment. */
  order({ id }: TestAccount, more: Body = {}): Body {
    const request = { method: 'GET', url: this.provider.url };
    return { account_id: id, idempotency_key: randomUUID(), max_amount: '0.01', request, ...more };
  }

  /** The body of the opening of a session. */
  session({ id }: TestAccount): Body {
    return { account_id: id, provider: this.provider.url, payee: this.payee.address, cap: '0.5', idempotency_key: randomUUID() };
  }

  /** Makes every transaction that was signed so far expire. */
  async expireTransactions(): Promise<void> {
    await rpc('sandbox_advanceSlots', [{ slots: EXPIRY_SLOTS }], this.chainUrl);
  }
}
