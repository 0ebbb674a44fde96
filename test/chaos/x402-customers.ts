/** Customers of a stock x402 seller: one pays out of a purse, the other by charges. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Api, Body } from '../support/api';
import { anAccount, chainBalance, landedSignatures, micro, query, type TestAccount } from '../support/world';
import { SHOP_PRICE, type Shop, type Site } from './site';

const BY_PURSE = 6;
const BY_CHARGE = 2;
const FUNDS = '10.000000';
const AMOUNT = '1';
/** The end of a purse waits for the last credential to expire. */
const CLOSE_TIMEOUT_MS = 60_000;

export class X402Customers {
  readonly orders: Body[];

  private constructor(
    private readonly site: Site,
    private readonly shop: Shop,
    private readonly accounts: { purse: TestAccount; charges: TestAccount },
    private readonly purseId: string,
    private readonly before: { balance: bigint; transactions: number },
  ) {
    const order = ({ id }: TestAccount, more: Body = {}): Body => ({
      account_id: id,
      idempotency_key: randomUUID(),
      max_amount: '1',
      request: { method: 'GET', url: `${shop.url}/report` },
      ...more,
    });
    this.orders = [
      ...Array.from({ length: BY_PURSE }, () => order(accounts.purse, { purse_id: purseId })),
      ...Array.from({ length: BY_CHARGE }, () => order(accounts.charges)),
    ];
  }

  static async open(by: Api, site: Site): Promise<X402Customers> {
    const shop = await site.shop(by);
    const [purse, charges] = await Promise.all([anAccount({ usdc: FUNDS, by }), anAccount({ usdc: FUNDS, by })]);
    const { body } = await by.post('/v1/purses', {
      account_id: purse.id,
      amount: AMOUNT,
      idempotency_key: randomUUID(),
      // The clock steps by up to two hours.
      expires_in_seconds: 3_600,
    });
    const { tokenAccount } = shop.payee;
    const before = {
      balance: await chainBalance(tokenAccount, site.chainUrl),
      transactions: (await landedSignatures(tokenAccount, site.chainUrl)).length,
    };
    return new X402Customers(site, shop, { purse, charges }, body.purse_id, before);
  }

  /** Whether the response is final. A purse that has ended conflicts with payments that name it. */
  static isFinal(answer: Answer | undefined): boolean {
    return answer !== undefined && [200, 402, 409].includes(answer.status);
  }

  /** Every payment was made once or not at all, and the purse ends with what the chain shows. `finals` answer repeated requests. */
  async audit(by: Api, finals: (Answer | undefined)[]): Promise<string[]> {
    const { chainUrl } = this.site;
    const complaints = finals
      .filter((answer) => !X402Customers.isFinal(answer))
      .map((answer) => `lost: an x402 payment ended in ${answer?.status} ${JSON.stringify(answer?.body)}`);
    const purse = await this.closed(by);
    const paid = finals.map((answer) => answer?.status === 200);
    const [byPurse, byCharge] = [paid.slice(0, BY_PURSE), paid.slice(BY_PURSE)].map(
      (some) => SHOP_PRICE * BigInt(some.filter(Boolean).length),
    ) as [bigint, bigint];
    const { tokenAccount } = this.shop.payee;
    const earned = (await chainBalance(tokenAccount, chainUrl)) - this.before.balance;
    const transactions = (await landedSignatures(tokenAccount, chainUrl)).length - this.before.transactions;
    if (earned !== byPurse + byCharge || transactions !== paid.filter(Boolean).length)
      complaints.push(
        `${earned > byPurse + byCharge ? 'doubled' : 'lost'}: the x402 shop earned ${earned} by ${transactions} transactions, and ${byPurse + byCharge} are paid`,
      );
    if (purse?.status !== 'closed' || micro(purse.spent_usdc) !== byPurse)
      complaints.push(`drift: ${byPurse} are paid out of the purse, which is ${JSON.stringify(purse)}`);
    for (const [account, spent] of [
      [this.accounts.purse, byPurse],
      [this.accounts.charges, byCharge],
    ] as const) {
      const held = await chainBalance(account.tokenAccount, chainUrl);
      const ledger = await this.ledgerSum(account);
      if (micro(FUNDS) - held !== spent || ledger !== spent)
        complaints.push(`drift: ${account.id} holds ${held} after spending ${spent} by x402, its ledger says ${ledger}`);
    }
    return complaints;
  }

  private async closed(by: Api): Promise<Body | undefined> {
    for (const until = performance.now() + CLOSE_TIMEOUT_MS; performance.now() < until; await pause(200)) {
      const { status, body } = await by.post(`/v1/purses/${this.purseId}/close`).catch(() => ({ status: 0, body: {} }));
      if (status === 200 && body.status === 'closed') return body;
    }
    return (await by.get(`/v1/purses/${this.purseId}`)).body;
  }

  private async ledgerSum({ id }: TestAccount): Promise<bigint> {
    const [row] = await query(
      `SELECT coalesce(sum(micro_usdc), 0)::text AS sum FROM ledger_entries WHERE account_id = $1 AND type = 'transfer'`,
      [id],
      this.site.databaseUrl,
    );
    return BigInt(row?.sum);
  }
}
