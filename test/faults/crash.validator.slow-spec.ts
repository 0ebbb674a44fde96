import { api } from '../support/api';
import { eventually } from '../support/eventually';
import { Service, startService } from '../support/service';
import { anAccount, chainBalance, eventsOf, landedSignatures, micro, order, query, seeded, countByStatus } from '../support/world';

jest.setTimeout(400_000);

describe('a service that is killed during a hundred transfers', () => {
  let service: Service;
  // The lease of a transfer is 15 s longer than a request waits.
  beforeAll(async () => void (service = await startService({ variables: { SETTLEMENT_WAIT_MS: '2000' } })));
  afterAll(() => service.stop());

  test('after a kill during a hundred transfers, each is settled once or not at all, and the ledger equals the chain', async () => {
    const random = seeded(100);
    const operator = () => api(service.baseUrl, service.operatorKey);
    const [a, b] = [await anAccount({ usdc: '1000', by: operator() }), await anAccount({ by: operator() })];
    const orders = Array.from({ length: 100 }, () =>
      order(a, b, `${1 + Math.floor(random() * 5)}.${String(Math.floor(random() * 1e6)).padStart(6, '0')}`),
    );
    const rows = (statement: string) => query(statement, [a.id], service.sandbox.database_url);

    let answered = 0;
    const sent = orders.map((each) =>
      operator()
        .post('/v1/transfers', each)
        .then(
          ({ status }) => (answered++, status),
          () => undefined,
        ),
    );
    await eventually(() => expect(answered).toBeGreaterThan(10));
    await service.kill('SIGKILL');
    const settledCount = (await Promise.all(sent)).filter((status) => status === 200).length;
    await service.start();

    await eventually(
      async () => expect(await rows(`SELECT id, status FROM orders WHERE account_id = $1 AND final_at IS NULL`)).toEqual([]),
      { timeoutMs: 180_000 },
    );
    const moved = async () => [
      await chainBalance(a.tokenAccount, service.sandbox.rpc_url),
      await chainBalance(b.tokenAccount, service.sandbox.rpc_url),
    ];
    const settled = async () =>
      (
        await rows(
          `SELECT count(*)::int AS count, coalesce(sum(micro_usdc), 0)::text AS total, count(DISTINCT signature)::int AS signatures FROM orders WHERE account_id = $1 AND status = 'settled'`,
        )
      )[0];
    const after = await settled();
    expect([after?.count >= settledCount, after?.signatures]).toEqual([true, after?.count]);
    expect(await moved()).toEqual([1_000_000_000n - BigInt(after?.total), BigInt(after?.total)]);

    const again = await eventually(
      async () => {
        const answers = await Promise.all(orders.map((each) => operator().post('/v1/transfers', each)));
        expect(countByStatus(answers)).toEqual({ 200: 100 });
        return answers;
      },
      { timeoutMs: 180_000 },
    );
    const total = orders.reduce((sum, { amount }) => sum + micro(amount), 0n);
    expect(await settled()).toEqual({ count: 100, total: total.toString(), signatures: 100 });
    expect(await moved()).toEqual([1_000_000_000n - total, total]);
    expect(
      (await landedSignatures(b.tokenAccount, service.sandbox.rpc_url)).filter((signature) =>
        again.some(({ body }) => body.tx_signature === signature),
      ),
    ).toHaveLength(100);
    const events = await eventsOf(a, service.sandbox.database_url);
    expect(events.filter(([type]) => type === 'transfer.settled')).toHaveLength(100);
    expect(await rows(`SELECT count(*)::int AS count FROM ledger_entries WHERE account_id = $1 AND type = 'transfer'`)).toEqual([
      { count: 100 },
    ]);
  });
});
