/** A provider of single payments, each a plain transfer that it submits itself, and its customers. */
import { randomUUID } from 'node:crypto';
import type { Answer, Api, Body } from '../support/api';
import { RogueProvider } from '../support/rogue-provider';
import { anAccount, chainBalance, landedSignatures, micro, query, rpc, type TestAccount } from '../support/world';
import type { Site } from './site';

const CHARGES = 4;
/** The prices are this plus a power of two: their sum identifies which were paid. */
const PRICE = 10_000n;
const FUNDS = '10.000000';

export class ChargeSeller {
  readonly orders: Body[];

  private constructor(
    private readonly site: Site,
    private readonly seller: TestAccount,
    private readonly customers: TestAccount[],
    private readonly provider: RogueProvider,
  ) {
    this.orders = Array.from({ length: CHARGES }, (_, index) => ({
      account_id: customers[index % customers.length]?.id,
      idempotency_key: randomUUID(),
      max_amount: '0.02',
      request: { method: 'GET', url: `${provider.url}/${PRICE + 2n ** BigInt(index)}` },
    }));
  }

  static async open(by: Api, site: Site): Promise<ChargeSeller> {
    const [seller, ...customers] = await Promise.all([anAccount({ by }), ...[1, 2].map(() => anAccount({ usdc: FUNDS, by }))]);
    const provider = new RogueProvider(seller.address, () => site.money);
    await provider.start();
    provider.behave({
      unpaid: provider.asks(({ path }) => provider.charge({ price: BigInt(path.slice(1)) })),
      // A seller that cannot reach the chain serves nothing.
      paid: (response, paid) =>
        void rpc('sendTransaction', [paid.transaction, { encoding: 'base64' }], site.chainUrl).then(
          () => provider.serve(response, paid),
          () => response.destroy(),
        ),
    });
    return new ChargeSeller(site, seller, customers, provider);
  }

  /** Each charge was paid once or not at all, and no delegate has an allowance left. `finals` are the responses to repeated requests. */
  async audit(finals: (Answer | undefined)[]): Promise<string[]> {
    this.provider.stop();
    const { chainUrl, databaseUrl } = this.site;
    const complaints: string[] = [];
    const paid = finals.map((answer, index) => (answer?.status === 200 ? PRICE + 2n ** BigInt(index) : 0n));
    for (const [index, answer] of finals.entries()) {
      if (answer?.status !== 200 && answer?.body.rejection_reason !== 'provider_refused')
        complaints.push(`lost: a charge ended in ${answer?.status} ${JSON.stringify(answer?.body)}`);
      if (answer?.status === 200 && answer.body.amount_usdc !== `0.0${paid[index]}`)
        complaints.push(`drift: a charge of ${paid[index]} says ${answer.body.amount_usdc}`);
    }
    const total = paid.reduce((sum, amount) => sum + amount, 0n);
    const [earned, transactions] = [
      await chainBalance(this.seller.tokenAccount, chainUrl),
      await landedSignatures(this.seller.tokenAccount, chainUrl),
    ];
    if (earned !== total)
      complaints.push(`${earned > total ? 'doubled' : 'lost'}: the seller has ${earned}, and ${total} of charges are paid`);
    // The account's creation is also in its history.
    if (transactions.length - 1 !== paid.filter((amount) => amount > 0n).length)
      complaints.push(`doubled: ${transactions.length - 1} transactions paid the seller`);
    for (const [which, { id, tokenAccount }] of this.customers.entries()) {
      const spent = paid.reduce((sum, amount, index) => (index % this.customers.length === which ? sum + amount : sum), 0n);
      const [row] = await query(
        `SELECT coalesce(sum(micro_usdc), 0)::text AS sum FROM ledger_entries WHERE account_id = $1 AND type = 'transfer'`,
        [id],
        databaseUrl,
      );
      if (micro(FUNDS) - (await chainBalance(tokenAccount, chainUrl)) !== spent || BigInt(row?.sum) !== spent)
        complaints.push(`drift: ${id} spent ${spent} in charges, its ledger says ${row?.sum}`);
      const { value } = await rpc('getAccountInfo', [tokenAccount, { encoding: 'jsonParsed' }], chainUrl);
      if (value.data.parsed.info.delegate !== undefined) complaints.push(`drift: a charge of ${id} is still open`);
    }
    return complaints;
  }
}
