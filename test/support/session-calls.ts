/** Calls of accounts at a seller of MPP sessions or of x402 `batch-settlement`, and what has to agree once their purse is closed. */
import { randomUUID } from 'node:crypto';
import type { Answer, Api, Body } from './api';
import { eventually } from './eventually';
import type { Service } from './service';
import { anAccount, bodyOf, chainBalance, everyRow, type TestAccount } from './world';

export const FUNDED = 1_000_000n;

export class SessionCalls {
  constructor(
    private readonly service: Pick<Service, 'sandbox'>,
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
