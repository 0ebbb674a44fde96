import { startApp, type TestApp } from '../../../../test/support/app';
import { aTransferData } from './event.builder';
import { OutboxService, type EventToRecord } from './outbox.service';

let service: TestApp;
let outbox: OutboxService;
let event: EventToRecord;
beforeAll(async () => {
  service = await startApp();
  outbox = service.app.get(OutboxService);
});
beforeEach(async () => {
  const accountId = await service.insertAccount();
  event = { operatorId: service.operatorId, accountId, type: 'transfer.settled', data: aTransferData(accountId) };
});
afterAll(() => service.close());

const sequences = async (): Promise<number[]> => {
  const rows: { sequence: string }[] = await service.database.query('SELECT sequence FROM events WHERE account_id = $1 ORDER BY id', [
    event.accountId,
  ]);
  return rows.map((row) => Number(row.sequence));
};

test('recording an event outside a transaction throws', async () => {
  await expect(outbox.record(service.database.manager, event)).rejects.toThrow('transaction');
  expect(await sequences()).toEqual([]);
});

test('an event of an account that the operator does not own is rejected by the foreign key', async () => {
  await expect(service.database.transaction((manager) => outbox.record(manager, { ...event, accountId: 'acct_unknown' }))).rejects.toThrow(
    'foreign key',
  );
});

test('an event of a transaction that is rolled back leaves no gap in the sequence', async () => {
  await service.database.transaction((manager) => outbox.record(manager, event));
  const failing = service.database.transaction(async (manager) => {
    await outbox.record(manager, event);
    throw new Error('after the event');
  });
  await expect(failing).rejects.toThrow('after the event');
  const last = await service.database.transaction((manager) => outbox.record(manager, event));
  expect(last.sequence).toBe(2n);
  expect(await sequences()).toEqual([1, 2]);
});

test('concurrent events are numbered without gaps when every third transaction is rolled back', async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 60 }, (_, index) =>
      service.database.transaction(async (manager) => {
        await outbox.record(manager, event);
        if (index % 3 === 0) throw new Error('no');
      }),
    ),
  );
  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(40);
  expect((await sequences()).sort((one, other) => one - other)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
});

test('an event waits for its deliveries only if its operator has a webhook', async () => {
  // Asked in the transaction: a worker takes the event as soon as it ends.
  const waiting = (): Promise<unknown[]> =>
    service.database.transaction(async (manager) => {
      const { id } = await outbox.record(manager, event);
      return manager.query('SELECT FROM events_to_fan_out WHERE event_id = $1', [id]);
    });
  expect(await waiting()).toHaveLength(0);
  await service.database.query(
    `INSERT INTO webhooks (id, operator_id, url, events, all_accounts, threshold_since, status, created_at, registered_at)
     VALUES ('wh_1', $1, 'u', '{}', true, now(), 'deleted', now(), now())`,
    [service.operatorId],
  );
  expect(await waiting()).toHaveLength(1);
});

test('a recorded event has its data and the time of the clock', async () => {
  const { id, createdAt } = await service.database.transaction((manager) => outbox.record(manager, event));
  const [row] = await service.database.query('SELECT * FROM events WHERE id = $1', [id]);
  expect(row).toMatchObject({
    operator_id: service.operatorId,
    account_id: event.accountId,
    type: 'transfer.settled',
    data: event.data,
    created_at: createdAt,
    sequence: '1',
  });
});
