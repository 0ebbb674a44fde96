/** Shared by the end-to-end tests of payments through sessions: a provider on the chain of the shared service, its payee, and accounts that pay. */
import { randomUUID } from 'node:crypto';
import type { Answer, Body } from './api';
import { anOutsider, type Outsider } from './outsider';
import { startRogueProvider, type RogueProvider } from './rogue-provider';
import { anAccount, bodyOf, operator, type TestAccount } from './world';

/** An account with an open session at the provider. */
export interface Payer extends TestAccount {
  session: string;
}

export class ProviderStage {
  private shared: Promise<Payer> | undefined;

  private constructor(
    readonly payee: Outsider,
    readonly provider: RogueProvider,
    private readonly price: bigint,
  ) {}

  /** Starts a provider with a price in micro-USDC. */
  static async start(price = 1_000n): Promise<ProviderStage> {
    const payee = await anOutsider();
    return new ProviderStage(payee, await startRogueProvider(payee.owner), price);
  }

  /** Makes the provider honest, at its price of the start. */
  reset(): void {
    this.provider.price = this.price;
    this.provider.behave();
  }

  stop(): void {
    this.provider.stop();
  }

  /** The body of the opening of a session. */
  opening({ id }: TestAccount, more: Body = {}): Body {
    const { provider, payee } = this;
    return { account_id: id, provider: provider.url, payee: payee.owner, cap: '1', idempotency_key: randomUUID(), ...more };
  }

  /** Opens a session. Returns its id. */
  async open(account: TestAccount, more: Body = {}): Promise<string> {
    return bodyOf(await operator().post('/v1/sessions', this.opening(account, more)), 201).session_id;
  }

  async aPayer({ usdc = '10', cap = '1', policy }: { usdc?: string; cap?: string; policy?: Body } = {}): Promise<Payer> {
    const account = await anAccount({ usdc, policy });
    return { ...account, session: await this.open(account, { cap }) };
  }

  /** One payer for all tests that neither change its policy nor read its totals. */
  sharedPayer(): Promise<Payer> {
    return (this.shared ??= this.aPayer());
  }

  /** The body of a payment, out of the session of a payer. */
  order(account: TestAccount | Payer, more: Body = {}): Body {
    return {
      account_id: account.id,
      idempotency_key: randomUUID(),
      max_amount: '0.01',
      ...('session' in account && { session_id: account.session }),
      request: { method: 'GET', url: `${this.provider.url}/data?q=1` },
      ...more,
    };
  }

  pay(account: TestAccount | Payer, more: Body = {}, by = operator()): Promise<Answer> {
    return by.post('/v1/payments', this.order(account, more));
  }

  async sessionOf({ session }: Payer): Promise<Body> {
    return bodyOf(await operator().get(`/v1/sessions/${session}`), 200);
  }
}
