/** Calls of accounts at a seller of MPP sessions or of x402 `batch-settlement`, and what has to agree once their purse is closed. */
import { randomUUID } from 'node:crypto';
import type { Failpoint } from '../../apps/api/src/runtime/failpoints';
import { api, type Answer, type Api, type Body } from './api';
import { eventually } from './eventually';
import { startBeside } from './operators';
import type { Service } from './service';
import { anAccount, bodyOf, chainBalance, everyRow, type TestAccount } from './world';

export const FUNDED = 1_000_000n;
/** Settings by which a service takes over soon what another one left. */
export const RUNNING = { LEASE_MS: '1000', SETTLEMENT_WAIT_MS: '3000' };

export class SessionCalls {
  constructor(
    private readonly service: Pick<Service, 'sandbox' | 'dataDir' | 'operatorKey'>,
    private readonly by: Api,
    private readonly seller: { url: string; payee: string },
  ) {}

  account(policy: Body = { max_daily_spend: 1 }): Promise<TestAccount> {
    return anAccount({ by: this.by, usdc: '1', policy });
  }

  order({ id }: TestAccount, more: Body = {}, path = '/quote'): Body {
    const request = { method: 'GET', url: `${this.seller.url}${path}` };
    return { account_id: id, idempotency_key: randomUUID(), max_amount: '0.01', request, ...more };
  }

  pay(body: Body): Promise<Answer> {
    return this.by.post('/v1/payments', body);
  }

  /** Pays at a process that dies at a failpoint, before it answers. */
  async payAndDie(point: Failpoint, body: Body): Promise<void> {
    const variables = { WORKER: 'apart', ALLOW_PRIVATE_URLS: 'true', ...RUNNING, CRASH_AT: point };
    const crashing = await startBeside(this.service, { variables });
    await expect(api(crashing.baseUrl, this.service.operatorKey).post('/v1/payments', body)).rejects.toThrow();
  }

  /** Pays its price of 0.001 USDC by a request that another process may have begun. */
  async payAgain(body: Body): Promise<void> {
    const payment = await eventually(async () => bodyOf(await this.pay(body), 200), { timeoutMs: 90_000 });
    expect(payment).toMatchObject({ amount_usdc: '0.001000' });
  }

  /** Opens a channel purse for any seller. */
  async purse({ id }: TestAccount, amount = '0.01'): Promise<unknown> {
    const body = { kind: 'channel', account_id: id, amount, idempotency_key: randomUUID() };
    return bodyOf(await this.by.post('/v1/purses', body), 201).purse_id;
  }

  /** Closes a purse, out of which so much was spent, by `records` channels. */
  async closesWith(agent: TestAccount, purseId: unknown, spent: string, records?: number): Promise<void> {
    await this.by.post(`/v1/purses/${purseId}/close`);
    await this.isSettled(agent, purseId, spent, records);
  }

  /** Nothing was lost to the treasury of payment-channels. */
  async lostNothing(): Promise<void> {
    expect(await chainBalance(String(this.service.sandbox.channels_treasury), this.service.sandbox.rpc_url)).toBe(0n);
  }

  balance({ tokenAccount }: { tokenAccount: string }): Promise<bigint> {
    return chainBalance(tokenAccount, this.service.sandbox.rpc_url);
  }

  async channels(purseId: unknown): Promise<Body[]> {
    return bodyOf(await this.by.get(`/v1/purses/${purseId}`), 200).channels as Body[];
  }

  async settlements({ id }: TestAccount): Promise<Body[]> {
    const rows = await everyRow(`/v1/accounts/${id}/transactions`, this.by);
    return rows.filter(({ type }) => type === 'session_settlement' || type === 'transfer');
  }

  /** The purse is closed, and records, limit and balance agree on what was spent, by `records` channels. */
  async isSettled(agent: TestAccount, purseId: unknown, spent: string, records = Number(spent) === 0 ? 0 : 1): Promise<void> {
    await eventually(
      async () => expect(bodyOf(await this.by.get(`/v1/purses/${purseId}`), 200)).toMatchObject({ status: 'closed', spent_usdc: spent }),
      { timeoutMs: 90_000 },
    );
    await eventually(async () => expect(await this.balance(agent)).toBe(FUNDED - micro(spent)), { timeoutMs: 60_000 });
    const settlements = await this.settlements(agent);
    expect(settlements).toHaveLength(records);
    for (const each of settlements)
      expect(each).toMatchObject({ type: 'session_settlement', purse_id: purseId, counterparty: this.seller.payee });
    expect(settlements.reduce((sum, { amount_usdc }) => sum + micro(amount_usdc), 0n)).toBe(micro(spent));
    await eventually(async () =>
      expect(bodyOf(await this.by.get(`/v1/accounts/${agent.id}/spending`), 200)).toMatchObject({
        spent_usdc: spent,
        reserved_usdc: '0.000000',
        held_usdc: '0.000000',
      }),
    );
  }
}

/** Micro-USDC of an amount as the API writes it. */
const micro = (usdc: unknown): bigint => BigInt(String(usdc).replace('.', ''));
