/** Open payment channels beside a database that is restored from a backup, and on a chain that is taken back. */
import { randomUUID } from 'node:crypto';
import type { Api, Body } from '../support/api';
import { BatchSeller } from '../support/batch-seller';
import { eventually } from '../support/eventually';
import { Restorable } from '../support/restored';
import { HEALED, RollbackStage } from '../support/rollback';
import { sharedService } from '../support/service';
import { FUNDED, SessionCalls } from '../support/session-calls';
import { bodyOf, chainBalance, everyRow, type TestAccount } from '../support/world';

jest.setTimeout(600_000);

const GRACE = 905;
const channelPurse = ({ id }: TestAccount): Body => ({
  kind: 'channel',
  account_id: id,
  amount: '0.01',
  idempotency_key: `purse of ${id}`,
  expires_in_seconds: 3_600,
});
const movements = async ({ id }: TestAccount, by: Api): Promise<Body[]> =>
  (await everyRow(`/v1/accounts/${id}/transactions`, by)).filter(({ type }) => type !== 'deposit');

describe('a database that is restored', () => {
  let restorable: Restorable;
  let seller: BatchSeller;
  beforeEach(async () => {
    restorable = await Restorable.start({ ALLOW_PRIVATE_URLS: 'true' });
    seller = await BatchSeller.start(sharedService(), 1_000n);
  });
  afterEach(async () => {
    seller.stop();
    await restorable.stop();
  });

  /** The calls of an account at the service as it runs now. */
  const calls = (): SessionCalls => new SessionCalls(sharedService(), restorable.by, seller);
  const advance = async (advance_seconds: number): Promise<void> =>
    void bodyOf(await restorable.by.post('/v1/sandbox/clock', { advance_seconds }), 200);

  async function agrees(): Promise<void> {
    await eventually(
      async () => {
        const { report, status } = await restorable.reconcile();
        expect([status, report.drifts, report.unexplained, report.unreachable]).toEqual([0, [], [], []]);
      },
      { timeoutMs: 120_000 },
    );
  }

  test('calls that the backup does not have are settled as the seller claims them, and the purse of the backup is ended', async () => {
    const agent = await calls().account();
    const { purse_id } = bodyOf(await restorable.by.post('/v1/purses', channelPurse(agent)), 201);
    bodyOf(await calls().pay(calls().order(agent, { purse_id })), 200);
    const lost = await restorable.loseWhat(async () => {
      for (const _ of [1, 2]) bodyOf(await calls().pay(calls().order(agent, { purse_id })), 200);
      return String((await calls().channels(purse_id))[0]?.channel_address);
    });
    await seller.claim(lost);
    expect(await calls().pay(calls().order(agent, { purse_id }))).toMatchObject({ status: 409, body: { error: 'conflict', purse_id } });
    await eventually(async () => expect((await calls().channels(purse_id))[0]?.status).toMatch(/closing|closed/), { timeoutMs: 150_000 });
    await advance(GRACE);
    await calls().isSettled(agent, purse_id, '0.003000');
    await agrees();
  });

  test('a purse with an open channel that the backup does not have is ended: what comes back later is the account’s', async () => {
    const agent = await calls().account();
    const opening = channelPurse(agent);
    const { address, purse_id } = await restorable.loseWhat(async () => {
      const opened = bodyOf(await restorable.by.post('/v1/purses', opening), 201);
      bodyOf(await calls().pay(calls().order(agent, { purse_id: opened.purse_id })), 200);
      const [channel] = await calls().channels(opened.purse_id);
      return { address: String(channel?.channel_address), purse_id: opened.purse_id };
    });
    const again = bodyOf(await restorable.by.post('/v1/purses', opening), 201);
    expect(again).toMatchObject({ purse_id, status: 'closed', spent_usdc: '0.003000', returned_usdc: '0.007000' });
    expect(await calls().balance(agent)).toBe(FUNDED - 3_000n);
    await agrees();
    // The job that ends purses has looked at this one once it has ended a later one.
    const later = bodyOf(await restorable.by.post('/v1/purses', { ...opening, idempotency_key: randomUUID() }), 201);
    await restorable.by.post(`/v1/purses/${later.purse_id}/close`);
    await eventually(async () => expect(bodyOf(await restorable.by.get(`/v1/purses/${later.purse_id}`), 200).status).toBe('closed'));
    await seller.close(address);
    await eventually(async () => expect(await calls().balance(agent)).toBe(FUNDED - 1_000n), { timeoutMs: 60_000 });
    await eventually(async () =>
      expect(bodyOf(await restorable.by.get(`/v1/purses/${purse_id}`), 200)).toMatchObject({
        spent_usdc: '0.001000',
        returned_usdc: '0.009000',
      }),
    );
    await agrees();
    expect(await chainBalance(String(sharedService().sandbox.channels_treasury))).toBe(0n);
  });
});

test('a channel purse whose funding and channel are rolled back spends nothing, and the account makes another', async () => {
  const stage = await RollbackStage.start();
  const seller = await BatchSeller.start(stage.service, 1_000n);
  try {
    const calls = (): SessionCalls => new SessionCalls(stage.service, stage.by, seller);
    const agent = await calls().account();
    const order = channelPurse(agent);
    const purseId = await stage.rolledBack(async () => {
      const { purse_id } = bodyOf(await stage.by.post('/v1/purses', order), 201);
      bodyOf(await calls().pay(calls().order(agent, { purse_id })), 200);
      return purse_id;
    });
    await stage.expireTransactions();
    await stage.by.post(`/v1/purses/${purseId}/close`);
    await eventually(
      async () =>
        expect(bodyOf(await stage.by.get(`/v1/purses/${purseId}`), 200)).toMatchObject({ status: 'closed', spent_usdc: '0.000000' }),
      HEALED,
    );
    await eventually(async () => {
      expect(await calls().balance(agent)).toBe(FUNDED);
      expect(await movements(agent, stage.by)).toEqual([]);
      expect(bodyOf(await stage.by.get(`/v1/accounts/${agent.id}/spending`), 200)).toMatchObject({
        spent_usdc: '0.000000',
        reserved_usdc: '0.000000',
        held_usdc: '0.000000',
      });
    }, HEALED);
    const next = bodyOf(await stage.by.post('/v1/purses', { ...order, idempotency_key: randomUUID() }), 201);
    bodyOf(await calls().pay(calls().order(agent, { purse_id: next.purse_id })), 200);
    await stage.by.post(`/v1/purses/${next.purse_id}/close`);
    await calls().isSettled(agent, next.purse_id, '0.001000');
    expect(await chainBalance(String(stage.service.sandbox.channels_treasury), stage.service.sandbox.rpc_url)).toBe(0n);
  } finally {
    seller.stop();
    await stage.service.stop();
  }
});
