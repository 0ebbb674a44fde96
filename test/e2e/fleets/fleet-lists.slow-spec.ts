/** The longest lists of a fleet's policy, over HTTP. */
import { Keypair } from '@solana/web3.js';
import type { Api, Body } from '../../support/api';
import { PurseStage } from '../../support/purses';
import { anExternalOperator } from '../../support/chain-keys';
import { anAccount, bodyOf, fund, invalidFields, pay, setPolicy } from '../../support/world';

jest.setTimeout(600_000);

let stage: PurseStage;
beforeAll(async () => void (stage = await PurseStage.start()));
afterAll(() => stage.stop());

const addresses = (count: number): string[] => Array.from({ length: count }, () => Keypair.generate().publicKey.toBase58());
const aFleet = async (by: Api): Promise<string> => `/v1/fleets/${bodyOf(await by.post('/v1/fleets', { name: 'crawlers' }), 201).fleet_id}`;
const changes = { max_single_transfer: 5, require_memo: false };

test('a fleet lists 1,024 counterparties in the order given, members pay the first and the last, and 1,025 are 400', async () => {
  const { by, payee } = stage;
  const path = await aFleet(by);
  const other = await anAccount({ by });
  const listed = [payee.address, ...addresses(1_022), other.id];
  const tooMany = await by.put(`${path}/policy`, { allowed_counterparties: [...listed, ...addresses(1)] });
  expect(invalidFields(tooMany)).toEqual(['allowed_counterparties']);
  const dryRun = await by.put(`${path}/policy`, { allowed_counterparties: listed }, { 'Dry-Run': 'true' });
  expect(bodyOf(dryRun, 200).policy.allowed_counterparties).toEqual(listed);
  bodyOf(await by.put(`${path}/policy`, changes), 200);

  const set = await by.put(`${path}/policy`, { allowed_counterparties: listed }, { 'If-Match': '"2"' });
  expect([bodyOf(set, 200), set.headers.get('etag')]).toEqual([expect.objectContaining({ ...changes, version: 3 }), '"3"']);
  expect(bodyOf(await by.get(`${path}/policy`), 200).allowed_counterparties).toEqual(listed);

  const fleetId = path.split('/').at(-1);
  const created: Body = bodyOf(await by.post('/v1/accounts', { name: 'member', fleet_id: fleetId }), 201);
  const member = {
    id: created.account_id,
    address: created.chain_address,
    tokenAccount: created.usdc_token_account,
    handle: created.handle,
  };
  await fund(member, '10', by);
  for (const payable of [payee, other]) bodyOf(await pay(member, payable, '1', {}, by), 200);
  expect((await pay(member, await anAccount({ by }), '1', {}, by)).body).toMatchObject({
    rejection_reason: 'allowed_counterparties',
    policy: { scope: 'fleet', allowed: listed, version: 3 },
  });

  const shorter = listed.slice(1, 700).reverse();
  const shortened = await by.put(`${path}/policy`, { allowed_counterparties: shorter, categories: ['food'] });
  expect(bodyOf(shortened, 200)).toMatchObject({ ...changes, allowed_counterparties: shorter, categories: ['food'], version: 4 });
  const refused = await by.put(`${path}/policy`, { allowed_counterparties: null }, { 'If-Match': '"3"' });
  expect(refused.status).toBe(412);
  expect(bodyOf(await by.put(`${path}/policy`, { allowed_counterparties: null }), 200)).toMatchObject({
    ...changes,
    allowed_counterparties: null,
    categories: ['food'],
  });
});

test('an account lists 128 counterparties in the order given, and 129 are 400', async () => {
  const account = await anAccount({ by: stage.by });
  const listed = addresses(129);
  const refused = await stage.by.put(`/v1/accounts/${account.id}/policy`, { allowed_counterparties: listed });
  expect(invalidFields(refused)).toEqual(['allowed_counterparties']);
  for (const wanted of [listed.slice(1), listed.slice(1).reverse()])
    expect((await setPolicy(account, { allowed_counterparties: wanted }, stage.by)).allowed_counterparties).toEqual(wanted);
});

test('a fleet of an operator who holds its chain key gets 1,024 counterparties', async () => {
  const { by, holder } = await anExternalOperator();
  const created = bodyOf(await holder.complete(by, await by.post('/v1/fleets', { name: 'crawlers' })), 201);
  const listed = addresses(1_024);
  const answer = await holder.complete(
    by,
    await by.put(`/v1/fleets/${created.fleet_id}/policy`, { allowed_counterparties: listed, max_daily_spend: 3 }),
  );
  expect(bodyOf(answer, 200)).toMatchObject({ allowed_counterparties: listed, max_daily_spend: 3 });
});
