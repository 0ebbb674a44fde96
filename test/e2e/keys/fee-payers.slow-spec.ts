import { randomBytes } from 'node:crypto';
import { LAMPORTS_PER_SOL } from '@solana/web3.js';
import { LocalSigner } from '#chain';
import { api } from '../../support/api';
import { eventually } from '../../support/eventually';
import { startApart } from '../../support/operators';
import { sharedService, type Service } from '../../support/service';
import { anAccount, bodyOf, order, rpc } from '../../support/world';

jest.setTimeout(120_000);

const newKey = () => {
  const { seed, signer } = LocalSigner.generate();
  return { address: signer.address, json: JSON.stringify([...seed, ...signer.publicKey]) };
};
const [one, other, treasury] = [newKey(), newKey(), newKey()];
const lamportsOf = async (address: string): Promise<number> => (await rpc('getBalance', [address, { commitment: 'confirmed' }])).value;

let service: Service;
beforeAll(async () => {
  await rpc('requestAirdrop', [treasury.address, 10 * LAMPORTS_PER_SOL]);
  await eventually(async () => expect(await lamportsOf(treasury.address)).toBe(10 * LAMPORTS_PER_SOL));
  service = await startApart(sharedService(), {
    WORKER: 'inside',
    FEE_PAYER_KEYS: `${one.json},${other.json}`,
    TREASURY_KEY: treasury.json,
    FEE_PAYER_TOP_UP: '2',
  });
});
afterAll(() => service.stop());

test('the treasury fills the keys that pay for transfers, which then pay in turn', async () => {
  for (const { address } of [one, other])
    await eventually(async () => expect(await lamportsOf(address)).toBe(2 * LAMPORTS_PER_SOL), { timeoutMs: 30_000 });
  const by = api(service.baseUrl, service.operatorKey);
  const [payer, payee] = [await anAccount({ usdc: '10', policy: {}, by }), await anAccount({ by })];
  await eventually(
    async () => {
      bodyOf(await by.post('/v1/transfers', { ...order(payer, payee, '0.01'), idempotency_key: randomBytes(8).toString('hex') }), 200);
      for (const { address } of [one, other]) expect(await lamportsOf(address)).toBeLessThan(2 * LAMPORTS_PER_SOL);
    },
    { timeoutMs: 40_000 },
  );
});

test('each key’s balance is a metric, and a key below its bound is an event', async () => {
  const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
  for (const { address } of [one, other])
    expect(metrics).toMatch(new RegExp(`^fee_payer_lamports\\{address="${address}",pays="transfers"\\} \\d+$`, 'm'));
  const { data } = bodyOf(await api(service.baseUrl, service.operatorKey).get('/v1/events?type=fee_payer.low'), 200);
  expect(data.map((event: { data: { address: string } }) => event.data.address)).toEqual(
    expect.arrayContaining([one.address, other.address]),
  );
});

test('no key is in the log', () => {
  for (const { json } of [one, other, treasury]) expect(service.output).not.toContain(json.slice(1, 40));
});
