/** Transfers on a congested network: each is paid exactly once, whatever is dropped, late, behind, refused or expired. */
import { eventually } from '../support/eventually';
import { LossyNetwork } from '../support/lossy-network';
import { startBehindProxy, type ProxiedService } from '../support/proxied-service';
import { sharedService } from '../support/service';
import { anAccount, chainBalance, order, query, rpc, seeded, type TestAccount } from '../support/world';

jest.setTimeout(1_800_000);

const TRANSFERS = 2_000;
const PAYERS = 20;
const AT_ONCE = 100;
const EXPIRE_EVERY_MS = 15_000;
/** More than the lifetime of a blockhash. */
const SLOTS = 200;
const TIMEOUT_MS = 900_000;

let behind: ProxiedService;
beforeAll(async () => void (behind = await startBehindProxy(sharedService(), { SETTLEMENT_WAIT_MS: '1000', LOG_LEVEL: 'error' })));
afterAll(() => behind.stop());

/** Sends a transfer until the service has taken it. */
async function sendUntilTaken(body: object): Promise<void> {
  await eventually(
    async () => {
      const { status } = await behind.by.post('/v1/transfers', body);
      expect([200, 202]).toContain(status);
    },
    { timeoutMs: TIMEOUT_MS },
  );
}

test('2,000 transfers on a congested network are each paid exactly once', async () => {
  const payers: TestAccount[] = [];
  for (let index = 0; index < PAYERS; index++) payers.push(await anAccount({ usdc: '1000', by: behind.by }));
  const payee = await anAccount({ by: behind.by });
  const network = new LossyNetwork(seeded(7));
  behind.proxy.network = network;
  behind.proxy.cutWebSockets();
  const expiring = setInterval(() => void rpc('sandbox_advanceSlots', [{ slots: SLOTS }]), EXPIRE_EVERY_MS);

  const waiting = Array.from({ length: TRANSFERS }, (_, index) =>
    order(payers[index % PAYERS] ?? '', payee, '0.01', { idempotency_key: `t-${index}` }),
  );
  const worker = async (): Promise<void> => {
    for (let body = waiting.shift(); body; body = waiting.shift()) await sendUntilTaken(body);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const counts = () =>
    query<{ status: string; count: string }>(
      `SELECT status, count(*) FROM orders WHERE kind = 'transfer' GROUP BY status`,
      [],
      behind.service.sandbox.database_url,
    );
  await eventually(async () => expect(await counts()).toEqual([{ status: 'settled', count: String(TRANSFERS) }]), {
    timeoutMs: TIMEOUT_MS,
  });
  clearInterval(expiring);
  expect(await chainBalance(payee.tokenAccount)).toBe(BigInt(TRANSFERS) * 10_000n);
  expect([network.dropped > 100, network.refused > 0, network.lagged > 0]).toEqual([true, true, true]);
  const [measured] = await query(
    `SELECT count(*) FILTER (WHERE attempts > 1) AS resigned, max(attempts) AS most,
       percentile_disc(0.5) WITHIN GROUP (ORDER BY took) AS p50, percentile_disc(0.99) WITHIN GROUP (ORDER BY took) AS p99
     FROM (SELECT extract(epoch FROM settled_at - created_at) AS took, (SELECT count(*) FROM order_attempts a WHERE a.order_id = o.id) AS attempts
           FROM orders o WHERE kind = 'transfer') t`,
    [],
    behind.service.sandbox.database_url,
  );
  console.log(JSON.stringify({ measured, dropped: network.dropped, refused: network.refused, lagged: network.lagged }));
});
