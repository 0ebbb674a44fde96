import { randomUUID } from 'node:crypto';
import { idBytes } from '#database';
import { api, type Api, type Body } from '../support/api';
import { FAULTS } from '../chaos/faults';
import { ChainProxy } from '../support/chain-proxy';
import { eventually } from '../support/eventually';
import { forged, landedStatuses } from '../support/forged';
import { startApart } from '../support/operators';
import { RogueProvider } from '../support/rogue-provider';
import { startService, type Service } from '../support/service';
import { anAccount, chainBalance, eventsOf, everyRow, bodyOf, query, rpc, type TestAccount } from '../support/world';

jest.setTimeout(300_000);

const PRICE = 10_000n;
/** Longer than a blockhash is valid. */
const EXPIRY_SLOTS = 200;
/** How long a node misbehaves: longer than a request and its recovery take. */
const FAULT_MS = 1_000;

/** Has the chain and the database server; `service` pays on it, through the proxy. */
let ground: Service;
let service: Service;
let proxy: ChainProxy;
let by: Api;
let payee: TestAccount;
let provider: RogueProvider;
beforeAll(async () => {
  ground = await startService();
  proxy = await ChainProxy.start(ground.sandbox);
  service = await startApart(ground, {
    SOLANA_RPC_URL: proxy.url,
    SOLANA_WS_URL: proxy.webSocketUrl,
    ALLOW_PRIVATE_URLS: 'true',
    LEASE_MS: '1000',
    SETTLEMENT_WAIT_MS: '3000',
    RPC_TIMEOUT_MS: '500',
    LOG_LEVEL: 'fatal',
  });
  by = api(service.baseUrl, service.operatorKey);
  payee = await anAccount({ by });
  provider = new RogueProvider(payee.address, () => ground.sandbox);
  provider.price = PRICE;
  await provider.start();
});
afterEach(() => proxy.up());
afterAll(async () => {
  provider.stop();
  await service.stop();
  await proxy.down();
  await ground.stop();
});

const chainUrl = (): string => ground.sandbox.rpc_url;
const rows = (statement: string, values: unknown[] = []) => query(statement, values, service.sandbox.database_url);
const balance = ({ tokenAccount }: TestAccount): Promise<bigint> => chainBalance(tokenAccount, chainUrl());
const order = ({ id }: TestAccount, more: Body = {}): Body => ({
  account_id: id,
  idempotency_key: randomUUID(),
  max_amount: '0.01',
  request: { method: 'GET', url: provider.url },
  ...more,
});
const expire = () => rpc('sandbox_advanceSlots', [{ slots: EXPIRY_SLOTS }], chainUrl());
/** With a daily limit, so that the reserved amount is shown. */
const aPayer = (): Promise<TestAccount> => anAccount({ usdc: '1', policy: { max_daily_spend: 1 }, by });
const linesOf = async ({ id }: TestAccount): Promise<unknown[]> =>
  (await everyRow(`/v1/accounts/${id}/transactions`, by))
    .filter(({ type }) => type !== 'deposit')
    .map(({ type, amount_usdc, rejection_reason }) => [type, amount_usdc, rejection_reason]);
const nothingIsOpen = (): Promise<void> =>
  eventually(async () => expect(await rows('SELECT * FROM open_charges')).toEqual([]), { timeoutMs: 120_000 });
const ended = (id: string): Promise<Body> =>
  eventually(
    async () => {
      const { body } = await by.get(`/v1/payments/${id}`);
      expect(['paid', 'paid_unreceipted', 'rejected']).toContain(body.status);
      return body;
    },
    { timeoutMs: 30_000 },
  );

/** Submits its payment, and answers as given; `first` runs before. */
const takes = (then: 'serves' | 'cuts', first: () => unknown = () => undefined) => ({
  unpaid: provider.asks(() => provider.charge()),
  paid: (response: Parameters<typeof provider.serve>[0], paid: Parameters<typeof provider.serve>[1]) =>
    void (async () => {
      await first();
      await rpc('sendTransaction', [paid.transaction, { encoding: 'base64' }], chainUrl());
      if (then === 'serves') provider.serve(response, paid);
      else response.destroy();
    })(),
});

/** A node drops submissions, reports them as landed, and forges the program's events. */
function lieOfLanding(event: Awaited<ReturnType<typeof forged>>): void {
  proxy.cutWebSockets();
  proxy.fate = ({ method, params }) => {
    if (method === 'sendTransaction') return { result: String(params[0]).slice(0, 64) };
    if (method === 'getSignatureStatuses') return landedStatuses(params);
    return method === 'getTransaction' ? event : 'pass';
  };
}

describe('a node that reports transactions as landed that are not', () => {
  test('a forged end does not end a session; the session ends once, when the node is honest again', async () => {
    const account = await anAccount({ usdc: '1', by });
    provider.behave({ unpaid: provider.asks(() => provider.session({ methodDetails: { channelProgram: ground.sandbox.program_id } })) });
    const { session_id: id, tx_signature } = bodyOf(
      await by.post('/v1/sessions', {
        account_id: account.id,
        provider: provider.url,
        payee: payee.address,
        cap: '0.5',
        idempotency_key: randomUUID(),
      }),
      201,
    );
    bodyOf(await by.post('/v1/payments', order(account, { session_id: id })), 200);
    const [{ address } = {}] = await rows('SELECT address FROM sessions WHERE id = $1', [id]);
    lieOfLanding(await forged(chainUrl(), tx_signature, 'SessionClosed', { session: address, settled: 0n, returned: 500_000n }));
    expect(bodyOf(await by.post(`/v1/sessions/${id}/close`), 202)).toMatchObject({ status: 'closing', settled_usdc: '0.000000' });
    await eventually(
      async () =>
        expect(await rows(`SELECT state FROM sessions WHERE id = $1 AND lease_until < now()`, [id])).toEqual([{ state: 'closing' }]),
      { timeoutMs: 10_000 },
    );
    await proxy.up();
    await eventually(
      async () =>
        expect(bodyOf(await by.get(`/v1/sessions/${id}`), 200)).toMatchObject({
          status: 'settled',
          settled_usdc: '0.010000',
          returned_usdc: '0.490000',
        }),
      { timeoutMs: 20_000 },
    );
    expect((await eventsOf(account, service.sandbox.database_url)).filter(([type]) => type === 'session.settled')).toHaveLength(1);
    expect([await balance(account), await linesOf(account)]).toEqual([990_000n, [['session_settlement', '0.010000', null]]]);
  });

  test('a forged end does not end a charge; the charge ends as it really did, when the node is honest again', async () => {
    const account = await anAccount({ usdc: '1', by });
    provider.behave({ unpaid: provider.asks(() => provider.charge()), paid: (response) => void response.destroy() });
    const { payment_id: id } = bodyOf(await by.post('/v1/payments', order(account)), 202);
    const [{ charge, signature, seq } = {}] = await rows(`SELECT id AS charge, signature, seq FROM orders WHERE account_id = $1`, [
      account.id,
    ]);
    const [{ transaction_signature: paymentSignature } = {}] = await rows('SELECT transaction_signature FROM payments WHERE id = $1', [id]);
    const event = await forged(chainUrl(), signature, 'ChargeFinished', {
      account: account.address,
      charge_id: [...idBytes(charge)],
      seq: BigInt(seq),
      amount: PRICE,
    });
    lieOfLanding(event);
    const lie = proxy.fate;
    let finishes = 0;
    proxy.fate = (call) => {
      // The lookup of the payment itself found nothing, long ago.
      if (call.method === 'getEpochInfo') return { result: { absoluteSlot: 1, blockHeight: 1_000_000 } };
      if (call.method === 'getSignatureStatuses' && JSON.stringify(call.params).includes(paymentSignature))
        return { result: { context: { slot: 1 }, value: [null] } };
      finishes += Number(call.method === 'sendTransaction');
      return lie(call);
    };
    await eventually(() => expect(finishes).toBeGreaterThan(1), { timeoutMs: 120_000 });
    expect((await by.get(`/v1/payments/${id}`)).body.status).toBe('unknown');
    await proxy.up();
    await rpc('sendTransaction', [provider.payments[0]?.transaction, { encoding: 'base64' }], chainUrl());
    expect(await ended(id)).toMatchObject({ status: 'paid_unreceipted', tx_signature: paymentSignature });
    expect([await balance(account), await linesOf(account)]).toEqual([990_000n, [['transfer', '0.010000', null]]]);
  });
});

/** One of the faults of the chaos test. */
const nothing = async (): Promise<void> => undefined;
const inert = { kill: nothing, stopDatabase: nothing, exhaustConnections: nothing, fillDisk: nothing };
const fault = (name: string) => () =>
  FAULTS.find((one) => one.name.startsWith(name))?.inflict({ proxy, chainUrl: chainUrl(), ...inert }, () => 0);

/** A node's misbehaviour, until the proxy is up again. */
const NODE_FAULTS: [string, () => unknown][] = [
  ['never answers', () => (proxy.fate = () => 'hang')],
  ['breaks every connection', () => (proxy.fate = () => 'break')],
  ['takes what is sent and answers never', fault('takes')],
  ['has seen nothing land', fault('landed')],
  ['is fifty slots behind', fault('lags')],
];

describe.each(NODE_FAULTS)('payments through a node that %s', (_what, startNodeFault) => {
  /** From now on, for a while. */
  const startFault = async (): Promise<void> => {
    await startNodeFault();
    setTimeout(() => void proxy.up(), FAULT_MS);
  };

  /** The account's charge has ended and was paid this often, by chain and ledger; and the next charge works. */
  async function expectEnded(account: TestAccount, times: 0 | 1, before: bigint): Promise<void> {
    await nothingIsOpen();
    expect((await balance(payee)) - before).toBe(PRICE * BigInt(times));
    provider.behave(takes('serves'));
    bodyOf(await by.post('/v1/payments', order(account)), 200);
    const paid = BigInt(times + 1);
    expect([await balance(account), (await linesOf(account)).filter((line) => (line as string[])[0] === 'transfer')]).toEqual([
      1_000_000n - PRICE * paid,
      Array(Number(paid)).fill(['transfer', '0.010000', null]),
    ]);
    expect(bodyOf(await by.get(`/v1/accounts/${account.id}/spending`), 200)).toMatchObject({ reserved_usdc: '0.000000' });
  }
  test('a fault during the approval of a charge: it is paid once, by the same key', async () => {
    const [account, before] = [await aPayer(), await balance(payee)];
    const asks = provider.asks(() => provider.charge());
    let asked = 0;
    provider.behave({
      ...takes('serves'),
      unpaid: (response, call) => void (async () => (asked++ === 0 && (await startFault()), asks(response, call)))(),
    });
    const given = order(account);
    const { status, body } = await by.post('/v1/payments', given);
    expect([[200, 503].includes(status), body.payment_id]).toEqual([true, expect.stringMatching(/^pay_/)]);
    await eventually(async () => expect((await by.post('/v1/payments', given)).status).toBe(200), { timeoutMs: 30_000 });
    expect(provider.differentCredentials).toBe(1);
    await expectEnded(account, 1, before);
  });

  test('a fault while the provider submits, answered or not: the charge is found paid on chain', async () => {
    const [account, before] = [await aPayer(), await balance(payee)];
    provider.behave(takes('cuts', startFault));
    const { payment_id: id } = (await by.post('/v1/payments', order(account))).body;
    expect(await ended(id)).toMatchObject({ status: 'paid_unreceipted' });
    await expectEnded(account, 1, before);
  });

  test('a fault while nothing is submitted: money and limit are released', async () => {
    const [account, before] = [await aPayer(), await balance(payee)];
    provider.behave({
      ...takes('cuts'),
      paid: (response) => void (async () => (await startFault(), await expire(), response.destroy()))(),
    });
    const { payment_id: id } = (await by.post('/v1/payments', order(account))).body;
    expect(await ended(id)).toMatchObject({ status: 'rejected', rejection_reason: 'provider_refused' });
    await expectEnded(account, 0, before);
  });

  test('a fault during finish_charge: the charge ends once, with the amount paid', async () => {
    const [account, before] = [await aPayer(), await balance(payee)];
    provider.behave(takes('serves'));
    // The next transaction after the approval.
    let sent = 0;
    proxy.fate = ({ method }) => (method === 'sendTransaction' && ++sent === 2 ? (void startFault(), 'lose') : 'pass');
    const { payment_id: id } = (await by.post('/v1/payments', order(account))).body;
    expect(await ended(id)).toMatchObject({ status: 'paid_unreceipted' });
    await expectEnded(account, 1, before);
  });
});
