import { idBytes } from '#database';
import type { Body } from '../support/api';
import { FAULTS } from '../chaos/faults';
import { eventually } from '../support/eventually';
import { forged, landedStatuses } from '../support/forged';
import { ProxiedPayments } from '../support/proxied-service';
import type { RogueProvider } from '../support/rogue-provider';
import { anAccount, eventsOf, bodyOf, query, rpc, linesOf, type TestAccount } from '../support/world';

jest.setTimeout(300_000);

const PRICE = 10_000n;
/** How long a node misbehaves: longer than a request and its recovery take. */
const FAULT_MS = 1_000;

let ground: ProxiedPayments;
beforeAll(async () => void (ground = await ProxiedPayments.start(PRICE, { RPC_TIMEOUT_MS: '500', LOG_LEVEL: 'fatal' })));
afterEach(() => ground.proxy.up());
afterAll(() => ground.stop());

const rows = (statement: string, values: unknown[] = []) => query(statement, values, ground.service.sandbox.database_url);
/** With a daily limit, so that the reserved amount is shown. */
const aPayer = (): Promise<TestAccount> => anAccount({ usdc: '1', policy: { max_daily_spend: 1 }, by: ground.by });
const nothingIsOpen = (): Promise<void> =>
  eventually(async () => expect(await rows('SELECT * FROM open_charges')).toEqual([]), { timeoutMs: 120_000 });
const ended = (id: string): Promise<Body> =>
  eventually(
    async () => {
      const { body } = await ground.by.get(`/v1/payments/${id}`);
      expect(['paid', 'paid_unreceipted', 'rejected']).toContain(body.status);
      return body;
    },
    { timeoutMs: 30_000 },
  );

/** Submits its payment, and answers as given; `first` runs before. */
const takes = (then: 'serves' | 'cuts', first: () => unknown = () => undefined) => ({
  unpaid: ground.provider.asks(() => ground.provider.charge()),
  paid: (response: Parameters<RogueProvider['serve']>[0], paid: Parameters<RogueProvider['serve']>[1]) =>
    void (async () => {
      await first();
      await rpc('sendTransaction', [paid.transaction, { encoding: 'base64' }], ground.chainUrl);
      if (then === 'serves') ground.provider.serve(response, paid);
      else response.destroy();
    })(),
});

/** A node drops submissions, reports them as landed, and forges the program's events. */
function lieOfLanding(event: Awaited<ReturnType<typeof forged>>): void {
  ground.proxy.cutWebSockets();
  ground.proxy.fate = ({ method, params }) => {
    if (method === 'sendTransaction') return { result: String(params[0]).slice(0, 64) };
    if (method === 'getSignatureStatuses') return landedStatuses(params);
    return method === 'getTransaction' ? event : 'pass';
  };
}

describe('a node that reports transactions as landed that are not', () => {
  test('a forged end does not end a session; the session ends once, when the node is honest again', async () => {
    const account = await anAccount({ usdc: '1', by: ground.by });
    ground.provider.behave({
      unpaid: ground.provider.asks(() => ground.provider.session({ methodDetails: { channelProgram: ground.programId } })),
    });
    const { session_id: id, tx_signature } = bodyOf(await ground.by.post('/v1/sessions', ground.session(account)), 201);
    bodyOf(await ground.by.post('/v1/payments', ground.order(account, { session_id: id })), 200);
    const [{ address } = {}] = await rows('SELECT address FROM sessions WHERE id = $1', [id]);
    lieOfLanding(await forged(ground.chainUrl, tx_signature, 'SessionClosed', { session: address, settled: 0n, returned: 500_000n }));
    expect(bodyOf(await ground.by.post(`/v1/sessions/${id}/close`), 202)).toMatchObject({ status: 'closing', settled_usdc: '0.000000' });
    await eventually(
      async () =>
        expect(await rows(`SELECT state FROM sessions WHERE id = $1 AND lease_until < now()`, [id])).toEqual([{ state: 'closing' }]),
      { timeoutMs: 10_000 },
    );
    await ground.proxy.up();
    await eventually(
      async () =>
        expect(bodyOf(await ground.by.get(`/v1/sessions/${id}`), 200)).toMatchObject({
          status: 'settled',
          settled_usdc: '0.010000',
          returned_usdc: '0.490000',
        }),
      { timeoutMs: 20_000 },
    );
    expect((await eventsOf(account, ground.service.sandbox.database_url)).filter(([type]) => type === 'session.settled')).toHaveLength(1);
    expect([await ground.balance(account), await linesOf(account, ground.by)]).toEqual([
      990_000n,
      [['session_settlement', '0.010000', null]],
    ]);
  });

  test('a forged end does not end a charge; the charge ends as it really did, when the node is honest again', async () => {
    const account = await anAccount({ usdc: '1', by: ground.by });
    ground.provider.behave({ unpaid: ground.provider.asks(() => ground.provider.charge()), paid: (response) => void response.destroy() });
    const { payment_id: id } = bodyOf(await ground.by.post('/v1/payments', ground.order(account)), 202);
    const [{ charge, signature, seq } = {}] = await rows(`SELECT id AS charge, signature, seq FROM orders WHERE account_id = $1`, [
      account.id,
    ]);
    const [{ transaction_signature: paymentSignature } = {}] = await rows('SELECT transaction_signature FROM payments WHERE id = $1', [id]);
    const event = await forged(ground.chainUrl, signature, 'ChargeFinished', {
      account: account.address,
      charge_id: [...idBytes(charge)],
      seq: BigInt(seq),
      amount: PRICE,
    });
    lieOfLanding(event);
    const lie = ground.proxy.fate;
    let finishes = 0;
    ground.proxy.fate = (call) => {
      // The lookup of the payment itself found nothing, long ago.
      if (call.method === 'getEpochInfo') return { result: { absoluteSlot: 1, blockHeight: 1_000_000 } };
      if (call.method === 'getSignatureStatuses' && JSON.stringify(call.params).includes(paymentSignature))
        return { result: { context: { slot: 1 }, value: [null] } };
      finishes += Number(call.method === 'sendTransaction');
      return lie(call);
    };
    await eventually(() => expect(finishes).toBeGreaterThan(1), { timeoutMs: 120_000 });
    expect((await ground.by.get(`/v1/payments/${id}`)).body.status).toBe('unknown');
    await ground.proxy.up();
    await rpc('sendTransaction', [ground.provider.payments[0]?.transaction, { encoding: 'base64' }], ground.chainUrl);
    expect(await ended(id)).toMatchObject({ status: 'paid_unreceipted', tx_signature: paymentSignature });
    expect([await ground.balance(account), await linesOf(account, ground.by)]).toEqual([990_000n, [['transfer', '0.010000', null]]]);
  });
});

/** One of the faults of the chaos test. */
const nothing = async (): Promise<void> => undefined;
const inert = { kill: nothing, stopDatabase: nothing, exhaustConnections: nothing, fillDisk: nothing };
const fault = (name: string) => () =>
  FAULTS.find((one) => one.name.startsWith(name))?.inflict({ proxy: ground.proxy, chainUrl: ground.chainUrl, ...inert }, () => 0);

/** A node's misbehaviour, until the proxy is up again. */
const NODE_FAULTS: [string, () => unknown][] = [
  ['never answers', () => (ground.proxy.fate = () => 'hang')],
  ['breaks every connection', () => (ground.proxy.fate = () => 'break')],
  ['takes what is sent and answers never', fault('takes')],
  ['has seen nothing land', fault('landed')],
  ['is fifty slots behind', fault('lags')],
];

describe.each(NODE_FAULTS)('payments through a node that %s', (_what, startNodeFault) => {
  /** From now on, for a while. */
  const startFault = async (): Promise<void> => {
    await startNodeFault();
    setTimeout(() => void ground.proxy.up(), FAULT_MS);
  };

  /** The account's charge has ended and was paid this often, by chain and ledger; and the next charge works. */
  async function expectEnded(account: TestAccount, times: 0 | 1, before: bigint): Promise<void> {
    await nothingIsOpen();
    expect((await ground.balance(ground.payee)) - before).toBe(PRICE * BigInt(times));
    ground.provider.behave(takes('serves'));
    bodyOf(await ground.by.post('/v1/payments', ground.order(account)), 200);
    const paid = BigInt(times + 1);
    expect([
      await ground.balance(account),
      (await linesOf(account, ground.by)).filter((line) => (line as string[])[0] === 'transfer'),
    ]).toEqual([1_000_000n - PRICE * paid, Array(Number(paid)).fill(['transfer', '0.010000', null])]);
    expect(bodyOf(await ground.by.get(`/v1/accounts/${account.id}/spending`), 200)).toMatchObject({ reserved_usdc: '0.000000' });
  }
  test('a fault during the approval of a charge: it is paid once, by the same key', async () => {
    const [account, before] = [await aPayer(), await ground.balance(ground.payee)];
    const asks = ground.provider.asks(() => ground.provider.charge());
    let asked = 0;
    ground.provider.behave({
      ...takes('serves'),
      unpaid: (response, call) => void (async () => (asked++ === 0 && (await startFault()), asks(response, call)))(),
    });
    const given = ground.order(account);
    const { status, body } = await ground.by.post('/v1/payments', given);
    expect([[200, 503].includes(status), body.payment_id]).toEqual([true, expect.stringMatching(/^pay_/)]);
    await eventually(async () => expect((await ground.by.post('/v1/payments', given)).status).toBe(200), { timeoutMs: 30_000 });
    expect(ground.provider.differentCredentials).toBe(1);
    await expectEnded(account, 1, before);
  });

  test('a fault while the provider submits, answered or not: the charge is found paid on chain', async () => {
    const [account, before] = [await aPayer(), await ground.balance(ground.payee)];
    ground.provider.behave(takes('cuts', startFault));
    const { payment_id: id } = (await ground.by.post('/v1/payments', ground.order(account))).body;
    expect(await ended(id)).toMatchObject({ status: 'paid_unreceipted' });
    await expectEnded(account, 1, before);
  });

  test('a fault while nothing is submitted: money and limit are released', async () => {
    const [account, before] = [await aPayer(), await ground.balance(ground.payee)];
    ground.provider.behave({
      ...takes('cuts'),
      paid: (response) => void (async () => (await startFault(), await ground.expireTransactions(), response.destroy()))(),
    });
    const { payment_id: id } = (await ground.by.post('/v1/payments', ground.order(account))).body;
    expect(await ended(id)).toMatchObject({ status: 'rejected', rejection_reason: 'provider_refused' });
    await expectEnded(account, 0, before);
  });

  test('a fault during finish_charge: the charge ends once, with the amount paid', async () => {
    const [account, before] = [await aPayer(), await ground.balance(ground.payee)];
    ground.provider.behave(takes('serves'));
    // The next transaction after the approval.
    let sent = 0;
    ground.proxy.fate = ({ method }) => (method === 'sendTransaction' && ++sent === 2 ? (void startFault(), 'lose') : 'pass');
    const { payment_id: id } = (await ground.by.post('/v1/payments', ground.order(account))).body;
    expect(await ended(id)).toMatchObject({ status: 'paid_unreceipted' });
    await expectEnded(account, 1, before);
  });
});
