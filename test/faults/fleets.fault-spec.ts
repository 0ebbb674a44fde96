/** Fleets whose process is killed: each change happens once or not at all, and what was lost with the database is found on chain. */
import { randomUUID } from 'node:crypto';
import type { Failpoint } from '../../apps/api/src/runtime/failpoints';
import { api, type Answer, type Api, type Body } from '../support/api';
import { eventually } from '../support/eventually';
import { ProcessGroup } from '../support/process-group';
import { reconcileAt, Restorable } from '../support/restored';
import type { Service } from '../support/service';
import { anAccount, bodyOf, everyRow, order, query } from '../support/world';

jest.setTimeout(600_000);

let group: ProcessGroup;
let by: Api;
beforeEach(async () => void (group = await ProcessGroup.create()));
afterEach(() => group.stop());

async function start(variables: Record<string, string> = {}): Promise<Service> {
  const service = await group.start({ LEASE_MS: '1000', ...variables });
  by = api(service.baseUrl, group.operatorKey);
  return service;
}

/** Does `prepare`, then `change` in a process that dies at a failpoint, and leaves a new process running. */
async function killedAt<T>(point: Failpoint, prepare: () => Promise<T>, change: (prepared: T) => Promise<Answer>): Promise<T> {
  const { pid } = await start({ CRASH_AT: point });
  const prepared = await prepare();
  await change(prepared).catch(() => undefined);
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow());
  await start();
  return prepared;
}

const aFleet = async (more: Body = {}): Promise<string> => bodyOf(await by.post('/v1/fleets', { name: 'crawlers', ...more }), 201).fleet_id;
const show = async (id: string): Promise<Body> => bodyOf(await by.get(`/v1/fleets/${id}`), 200);
const put = (id: string, fleet_id: string | null): Promise<Answer> => by.put(`/v1/accounts/${id}/fleet`, { fleet_id });
const events = async (fleetId: string): Promise<string[]> => {
  const rows = await query(
    'SELECT type FROM events WHERE fleet_id = $1 AND account_id IS NULL ORDER BY sequence',
    [fleetId],
    group.databaseUrl,
  );
  return rows.map(({ type }) => String(type));
};
const expectAgreement = async (): Promise<void> =>
  expect(await reconcileAt(group.databaseUrl)).toMatchObject({ status: 0, report: { fleets: [], policies: [], drifts: [] } });

test.each<Failpoint>(['fleet.inserted', 'fleet.created'])(
  'a creation of a fleet that is killed at %s is finished once, with its limits and its policy',
  async (point) => {
    const wanted = { name: 'crawlers', policy: { max_single_transfer: 5 }, limits: { max_daily_spend: 20 } };
    const create = () => by.post('/v1/fleets', wanted, { 'Idempotency-Key': 'once' });
    await killedAt(point, async () => undefined, create);
    await eventually(async () => expect(bodyOf(await by.get('/v1/fleets'), 200).data).toHaveLength(1));
    const fleet = bodyOf(await create(), 201);
    expect(fleet).toMatchObject({ policy: { max_single_transfer: 5 }, limits: { max_daily_spend: 20 }, status: 'active' });
    expect(await everyRow('/v1/fleets', by)).toHaveLength(1);
    expect(await events(fleet.fleet_id)).toEqual([]);
    await expectAgreement();
  },
);

test.each(['joins', 'leaves'])(
  'an account that %s while the process is killed did so once: it pays, and fleet and members agree',
  async (way) => {
    const isJoining = way === 'joins';
    const prepare = async () => {
      const [fleetId, account, payee] = [await aFleet(), await anAccount({ usdc: '20', by }), await anAccount({ by })];
      if (isJoining) return { fleetId, account, payee };
      const { account_id: id } = bodyOf(await by.post('/v1/accounts', { name: 'member', fleet_id: fleetId }), 201);
      return { fleetId, account: { ...account, id }, payee };
    };
    const { fleetId, account, payee } = await killedAt('fleet.moved', prepare, ({ fleetId: id, account: of }) =>
      put(of.id, isJoining ? id : null),
    );
    const report = (await reconcileAt(group.databaseUrl)).report;
    expect(report.repaired).toEqual([account.id]);
    const wanted = isJoining ? fleetId : null;
    expect(bodyOf(await put(account.id, wanted), 200).fleet_id ?? null).toBe(wanted);
    expect((await show(fleetId)).members).toBe(isJoining ? 1 : 0);
    const type = isJoining ? 'fleet.member_joined' : 'fleet.member_left';
    expect((await events(fleetId)).filter((each) => each === type)).toHaveLength(1);
    if (isJoining) bodyOf(await by.post('/v1/transfers', order(account, payee, '1')), 200);
    await expectAgreement();
  },
);

test('a fleet that is closed while the process is killed is closed', async () => {
  const id = await killedAt('fleet.closed', aFleet, (fleetId) => by.post(`/v1/fleets/${fleetId}/close`, {}));
  expect((await reconcileAt(group.databaseUrl)).report.repaired).toEqual([id]);
  expect((await show(id)).status).toBe('closed');
  expect(bodyOf(await by.post(`/v1/fleets/${id}/close`, {}), 200).status).toBe('closed');
});

test('a rotation of the chain key that is killed between two fleets ends with both, and with the accounts outside of them', async () => {
  const prepare = async () => {
    const fleets = [await aFleet(), await aFleet()];
    const { account_id: member } = bodyOf(await by.post('/v1/accounts', { name: 'member', fleet_id: fleets[1] }), 201);
    return { fleets, member, alone: await anAccount({ by }) };
  };
  const { fleets, member, alone } = await killedAt('fleet.handed', prepare, () => by.post('/v1/operators/rotate_key', {}));
  await query('UPDATE operators SET rotation_lease_until = now()', [], group.databaseUrl); // as if the dead process's lease had ended
  const isPending = async () =>
    (await query('SELECT pending_chain_key FROM operators', [], group.databaseUrl)).some((row) => row.pending_chain_key);
  await eventually(async () => expect(await isPending()).toBe(false), { timeoutMs: 60_000 });
  for (const id of fleets) bodyOf(await by.put(`/v1/fleets/${id}/limits`, { max_daily_spend: 5 }), 200);
  for (const id of [member, alone.id]) bodyOf(await by.put(`/v1/accounts/${id}/policy`, { max_single_transfer: 5 }), 200);
  await expectAgreement();
});

test('reconciliation reports a fleet whose window is not that of its members', async () => {
  await start();
  const [fleetId, account, payee] = [await aFleet(), await anAccount({ usdc: '20', by }), await anAccount({ by })];
  bodyOf(await by.post('/v1/transfers', order(account, payee, '3')), 200);
  bodyOf(await put(account.id, fleetId), 200);
  await expectAgreement();
  // As if the account had been a member when it spent.
  await query(`UPDATE fleets SET members_changed_at = members_changed_at - interval '2 days'`, [], group.databaseUrl);
  expect(await reconcileAt(group.databaseUrl)).toMatchObject({ status: 1, report: { fleets: [fleetId] } });
});

test('a fleet that a restored database has lost is found on chain with its members, and its repeated creation answers with it', async () => {
  const restorable = await Restorable.start();
  const post = (path: string, body: Body, headers = {}) => restorable.by.post(path, body, headers);
  const wanted = { name: 'crawlers', policy: { max_single_transfer: 5 }, limits: { max_daily_spend: 20 }, metadata: { team: 'x' } };
  const key = { 'Idempotency-Key': randomUUID() };
  const joining = await anAccount({ usdc: '20', by: restorable.by });
  const payee = await anAccount({ by: restorable.by });
  const { fleet_id: id } = await restorable.loseWhat(async () => {
    const fleet = bodyOf(await post('/v1/fleets', wanted, key), 201);
    bodyOf(await restorable.by.put(`/v1/accounts/${joining.id}/fleet`, { fleet_id: fleet.fleet_id }), 200);
    bodyOf(await post('/v1/accounts', { name: 'member', fleet_id: fleet.fleet_id }), 201);
    bodyOf(await post('/v1/transfers', order(joining, payee, '2')), 200);
    return fleet;
  });
  const again = await post('/v1/fleets', wanted, key);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(bodyOf(again, 201)).toMatchObject({ fleet_id: id, ...wanted, members: 2, spent_usdc: '2.000000' });
  expect(await post('/v1/fleets', { ...wanted, name: 'other' }, key)).toMatchObject({ status: 409 });
  await restorable.reconcile('--restored');
  expect(await restorable.reconcile()).toMatchObject({ status: 0, report: { fleets: [], repaired: [] } });
  const members = await everyRow(`/v1/accounts?fleet_id=${id}`, restorable.by);
  expect(members.map(({ name }) => name).sort()).toEqual(['Found on chain', 'test']);
  bodyOf(await post('/v1/transfers', order(joining, payee, '1')), 200);
  await restorable.stop();
});
