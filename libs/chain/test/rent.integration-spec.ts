/** The price of rent, and surplus rent that goes back to the creator. */
import { randomBytes } from 'node:crypto';
import { LocalSigner, type Chain } from '../src';
import { DATA_BYTES, OVERHEAD_BYTES } from '../src/accounts/rent';
import { startLocalChain, type LocalChain } from './local-chain';

jest.setTimeout(60_000);

let local: LocalChain;
let chain: Chain;
beforeAll(async () => {
  local = await startLocalChain();
  ({ chain } = local);
});
afterAll(() => local.stop());

const aKey = () => LocalSigner.generate().signer;
const rent = (bytes: number, perByte: bigint) => BigInt(OVERHEAD_BYTES + bytes) * perByte;

test('the rent of an account is that of its bytes at the present rate', async () => {
  const perByte = await chain.rent.lamportsPerByte();
  expect(rent(DATA_BYTES.tokenAccount, perByte)).toBe(2_039_280n);
  expect([DATA_BYTES.account, DATA_BYTES.policy]).toEqual([1_448, 128]);
});

test('surplus rent of accounts goes back to their creator, and what holds none stays as it is', async () => {
  const operator = aKey();
  const addresses = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const id = randomBytes(16);
      await chain.accounts.create({ id, operator: operator.address, authority: aKey().address });
      return chain.accounts.plan(id).address;
    }),
  );
  expect(await chain.rent.surplusOf(addresses)).toEqual([]);
  const given = addresses.slice(1);
  for (const address of given) await chain.sendLamports(local.options.feePayer, address, 1_000_000n);
  const surplus = await chain.rent.surplusOf([...addresses, aKey().address]);
  expect(surplus.map(({ owner, lamports }) => [owner, lamports])).toEqual(given.map((address) => [address, 1_000_000n]));
  await chain.rent.returnSurplus(surplus);
  expect(await chain.rent.surplusOf(addresses)).toEqual([]);
  await chain.rent.returnSurplus(surplus);
});
