/** Idempotency keys that agents of one operator guess of each other: a key must neither reveal another's order nor be blocked for free. */
import { randomUUID } from 'node:crypto';
import type { Answer, Api, Body } from '../support/api';
import { anOutsider, type Outsider } from '../support/outsider';
import { startRogueProvider, type RogueProvider } from '../support/rogue-provider';
import { anAccount, anAgent, bodyOf, fund, operator, setPolicy, isReplay, type TestAccount } from '../support/world';

jest.setTimeout(90_000);

let payee: Outsider;
let provider: RogueProvider;
beforeAll(async () => {
  payee = await anOutsider();
  provider = await startRogueProvider(payee.owner);
  provider.price = 1_000n;
});
afterAll(() => provider.stop());

interface Party {
  account: TestAccount;
  agent: Api;
  session: string;
}

/** A session of its own pays for payments and is topped up. */
async function aParty(usdc = '10'): Promise<Party> {
  const account = await anAccount({ usdc });
  const agent = await anAgent(account);
  const session = await openSession(agent, account, '1');
  return { account, agent, session: bodyOf(session, 201).session_id };
}

const openSession = (by: Api, { id }: TestAccount, cap: string, key: string = randomUUID()): Promise<Answer> =>
  by.post('/v1/sessions', { account_id: id, provider: provider.url, payee: payee.owner, cap, idempotency_key: key });

const NAMES = ['transfer_id', 'session_id', 'purse_id', 'payment_id'];

/** Spends of each kind, under a policy with a daily limit of 5. `fits` says which may pass. */
const KINDS: [string, (party: Party, key: string, fits: boolean, by?: Api) => Promise<Answer>][] = [
  [
    'transfer',
    ({ account, agent }, key, fits, by = agent) =>
      by.post('/v1/transfers', { from: account.id, to: payee.tokenAccount, amount: fits ? '0.1' : '6', idempotency_key: key }),
  ],
  ['session', ({ account, agent }, key, fits, by = agent) => openSession(by, account, fits ? '0.1' : '6', key)],
  [
    'top-up',
    ({ session, agent }, key, fits, by = agent) =>
      by.post(`/v1/sessions/${session}/top_up`, { amount: fits ? '0.1' : '6', idempotency_key: key }),
  ],
  [
    'purse',
    ({ account, agent }, key, fits, by = agent) =>
      by.post('/v1/purses', { account_id: account.id, amount: fits ? '0.1' : '6', idempotency_key: key }),
  ],
  [
    'payment',
    ({ account, session, agent }, key, fits, by = agent) =>
      by.post('/v1/payments', {
        account_id: account.id,
        session_id: session,
        idempotency_key: key,
        max_amount: fits ? '0.01' : '0.000001',
        request: { method: 'GET', url: `${provider.url}/data` },
      }),
  ],
];

async function twoParties(): Promise<[Party, Party]> {
  const parties = await Promise.all([aParty(), aParty()]);
  for (const { account } of parties) await setPolicy(account, { max_daily_spend: 5 });
  return parties;
}

const idsIn = (body: Body): string[] => Object.keys(body).filter((member) => NAMES.includes(member));

describe.each(KINDS)('an idempotency key of a %s', (_kind, spend) => {
  test('that an order of an account of another agent holds is 409 without ids, and with them for the operator', async () => {
    const [own, other] = await twoParties();
    const key = randomUUID();
    const spent = await spend(own, key, true);
    expect([200, 201]).toContain(spent.status);
    const refused = bodyOf(await spend(other, key, true), 409);
    expect([refused.error, idsIn(refused)]).toEqual(['idempotency_conflict', []]);
    expect(idsIn(bodyOf(await spend(other, key, true, operator()), 409))).toHaveLength(1);
    expect(idsIn(bodyOf(await spend(own, key, false), 409))).toHaveLength(1);
  });

  test('that a declined order of another account holds is free, and stays with the declined one for its account', async () => {
    const [attacker, victim] = await twoParties();
    const key = randomUUID();
    const declined = bodyOf(await spend(attacker, key, false), 402);
    const spent = await spend(victim, key, true);
    expect([[200, 201].includes(spent.status), isReplay(spent)]).toEqual([true, false]);
    const again = await spend(victim, key, true);
    expect([again.status, isReplay(again)]).toEqual([spent.status, true]);
    const repeated = await spend(attacker, key, false);
    expect([repeated.status, isReplay(repeated), repeated.body.rejection_reason]).toEqual([402, true, declined.rejection_reason]);
    expect(bodyOf(await spend(attacker, key, true), 409).error).toBe('idempotency_conflict');
  });
});

test('a transfer that lacked balance runs again under its key, unless an order of another account has taken the key', async () => {
  const [first, second] = await Promise.all([aParty('2'), aParty('2')]);
  const pay = ({ account, agent }: Party, key: string, amount: string) =>
    agent.post('/v1/transfers', { from: account.id, to: payee.tokenAccount, amount, idempotency_key: key });
  const [taken, contested] = [randomUUID(), randomUUID()];
  for (const key of [taken, contested]) {
    bodyOf(await pay(first, key, '3'), 402);
    bodyOf(await pay(second, key, '3'), 402);
  }
  bodyOf(await pay(second, taken, '3'), 402);
  await fund(second.account, '10');
  bodyOf(await pay(second, taken, '3'), 200);
  const refused = bodyOf(await pay(first, taken, '3'), 409);
  expect([refused.error, idsIn(refused)]).toEqual(['idempotency_conflict', []]);
  await fund(first.account, '10');
  bodyOf(await pay(first, contested, '3'), 200);
  bodyOf(await pay(second, contested, '3'), 409);
});
