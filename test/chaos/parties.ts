/** The accounts, the shop and the sellers of a round, and its orders. */
import { randomUUID } from 'node:crypto';
import type { Api, Body } from '../support/api';
import { RogueProvider } from '../support/rogue-provider';
import { anAccount, setPolicy, type TestAccount } from '../support/world';
import { ChargeSeller } from './charge-seller';
import type { Site } from './site';
import { X402Customers } from './x402-customers';

export const PRICE = 10_000n;
export const FUNDS = '1000';

export interface Parties {
  /** Without limits, with a daily limit that is reached, and with an approval threshold. */
  payers: TestAccount[];
  payees: TestAccount[];
  /** Calls the shop's paid API through its session. */
  subscriber: TestAccount;
  sessionId: string;
  shop: TestAccount;
  provider: RogueProvider;
  chargeSeller: ChargeSeller;
  x402Customers: X402Customers;
}

export async function prepare(by: Api, site: Site): Promise<Parties> {
  const payers = await Promise.all([1, 2, 3].map(() => anAccount({ usdc: FUNDS, by })));
  const [, limited, watched] = payers;
  if (limited) await setPolicy(limited, { max_daily_spend: 20 }, by);
  if (watched) await setPolicy(watched, { escalation_threshold: 4 }, by);
  const [subscriber, shop, chargeSeller, x402Customers] = await Promise.all([
    anAccount({ usdc: FUNDS, by }),
    anAccount({ by }),
    ChargeSeller.open(by, site),
    X402Customers.open(by, site),
  ]);
  const provider = new RogueProvider(shop.address, () => site.money);
  provider.price = PRICE;
  await provider.start();
  const { body } = await by.post('/v1/sessions', {
    account_id: subscriber.id,
    provider: provider.url,
    payee: shop.address,
    cap: '1',
    idempotency_key: randomUUID(),
  });
  return {
    payers,
    payees: await Promise.all([1, 2].map(() => anAccount({ by }))),
    subscriber,
    sessionId: body.session_id,
    shop,
    provider,
    chargeSeller,
    x402Customers,
  };
}

/** Distinct amounts, so that a lost one and a doubled one never cancel out. */
export function aCall({ subscriber, sessionId, provider }: Parties): Body {
  return {
    account_id: subscriber.id,
    session_id: sessionId,
    idempotency_key: randomUUID(),
    max_amount: '0.01',
    request: { method: 'GET', url: provider.url },
  };
}

export function anOrder({ payers, payees }: Parties, random: () => number): Body {
  const one = <T>(of: T[]): T => of[Math.floor(random() * of.length)] as T;
  const amount = `${1 + Math.floor(random() * 5)}.${String(Math.floor(random() * 1e6)).padStart(6, '0')}`;
  return { from: one(payers).id, to: one(payees).id, amount, idempotency_key: randomUUID() };
}
