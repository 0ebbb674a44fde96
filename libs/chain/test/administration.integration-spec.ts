import { randomBytes } from 'node:crypto';
import { ChainOutcomeUnknownError, LocalSigner, type AccountAddresses, type Chain, type PolicyChange } from '../src';
import { landedStatuses } from '../../../test/support/forged';
import { startLocalChain, type LocalChain } from './local-chain';
import { LyingRpc } from './lying-rpc';
import { anAccount, authority, operator } from './payer';

jest.setTimeout(60_000);

let local: LocalChain;
let chain: Chain;
beforeAll(async () => {
  local = await startLocalChain();
  ({ chain } = local);
});
afterAll(() => local.stop());

const aKey = () => LocalSigner.generate().signer;
const thief = aKey();

const onChain = async ({ address }: AccountAddresses) => {
  const account = await chain.accounts.find(address);
  if (!account) throw new Error(`${address} is gone`);
  return account;
};

describe('a signer that is not the operator', () => {
  test('rotateAuthority by a signer that is not the operator fails with wrong_operator', async () => {
    const account = await anAccount(chain);
    await expect(chain.administration.rotateAuthority(account.address, thief.address, thief)).rejects.toMatchObject({
      reason: 'wrong_operator',
    });
    expect(await onChain(account)).toMatchObject({ authority: authority.address });
  });

  test('setOperator by a signer that is not the operator fails with wrong_operator', async () => {
    const account = await anAccount(chain);
    await expect(chain.administration.setOperator([account.address], thief, aKey())).rejects.toMatchObject({ reason: 'wrong_operator' });
    expect(await onChain(account)).toMatchObject({ controller: operator.address });
  });

  test('closeAccount by a signer that is not the operator fails with wrong_operator', async () => {
    const account = await anAccount(chain);
    await expect(chain.administration.closeAccount(await onChain(account), null, thief)).rejects.toMatchObject({
      reason: 'wrong_operator',
    });
    expect(await onChain(account)).toMatchObject({ controller: operator.address });
  });
});

test('rotateAuthority rejects the operator as the authority', async () => {
  const account = await anAccount(chain);
  await expect(chain.administration.rotateAuthority(account.address, operator.address, operator)).rejects.toMatchObject({
    reason: 'keys_not_distinct',
  });
});

test('rotateAuthority replaces the authority and is idempotent', async () => {
  const [account, next] = [await anAccount(chain), aKey()];
  for (let times = 0; times < 2; times++) await chain.administration.rotateAuthority(account.address, next.address, operator);
  expect(await onChain(account)).toMatchObject({ authority: next.address, controller: operator.address });
});

test('after setOperator the new operator changes the policy and the old one cannot', async () => {
  const [account, next] = [await anAccount(chain), aKey()];
  await chain.administration.setOperator([account.address], operator, next);
  expect(await chain.policies.change(account.address, { paused: true }, 1n, operator)).toEqual({ kind: 'version_mismatch' });
  expect(await chain.policies.change(account.address, { paused: true }, 1n, next)).toMatchObject({ kind: 'changed' });
});

test.each<[string, (other: Chain, account: AccountAddresses) => Promise<unknown>]>([
  ['a rotation', (other, { address }) => other.administration.rotateAuthority(address, thief.address, operator)],
  ['a change of operator', (other, { address }) => other.administration.setOperator([address], operator, thief)],
  ['a closing', async (other, account) => other.administration.closeAccount(await onChain(account), null, operator)],
  ['a pause', (other, { address }) => other.policies.change(address, { paused: true }, 1n, operator)],
  ['a creation', (other) => other.accounts.create({ id: randomBytes(16), operator: operator.address, authority: authority.address })],
])('%s that a node reports as landed is unknown until the account shows it', async (_what, ask) => {
  const [account, node] = [await anAccount(chain), await LyingRpc.start(local.rpcUrl)];
  const other = await local.connect({ rpcUrls: [node.url], webSocketUrls: ['ws://127.0.0.1:9'], adminTimeoutMs: 500 });
  node.lies.set('sendTransaction', { result: 'swallowed' }).set('getSignatureStatuses', landedStatuses([[0]]));
  await expect(ask(other, account)).rejects.toThrow(ChainOutcomeUnknownError);
  await node.stop();
});

test('closeAccount fails for an account that holds a micro-USDC', async () => {
  const account = await anAccount(chain, 1n);
  await expect(chain.administration.closeAccount(await onChain(account), null, operator)).rejects.toMatchObject({
    reason: 'account_in_use',
  });
});

test('closeAccount closes an empty account and refunds its rent to the rent payer', async () => {
  const before = await chain.feePayerLamports();
  const account = await anAccount(chain);
  await chain.administration.closeAccount(await onChain(account), null, operator);
  expect(await chain.accounts.find(account.address)).toBeNull();
  // The difference is the rent of the tombstone of 40 bytes, and the fees: 5,000 lamports for each of three signatures.
  expect(before - (await chain.feePayerLamports())).toBe(1_169_280n + 15_000n);
});

describe('drafts that were never committed', () => {
  const change: PolicyChange = { allowedCounterparties: Array.from({ length: 25 }, () => aKey().address) };

  test('closeStaleDrafts closes the draft of a closed account, once', async () => {
    const account = await anAccount(chain);
    expect(await chain.policies.change(account.address, change, 7n, operator)).toEqual({ kind: 'version_mismatch' });
    await chain.administration.closeAccount(await onChain(account), null, operator);
    expect(await chain.policies.closeStaleDrafts()).toBe(1);
    expect(await chain.policies.closeStaleDrafts()).toBe(0);
  });

  test('closeStaleDrafts closes a draft after an hour, once, and refunds its rent', async () => {
    const account = await anAccount(chain);
    const before = await chain.feePayerLamports();
    // Not the policy's version: the lists are staged and never committed.
    expect(await chain.policies.change(account.address, change, 7n, operator)).toEqual({ kind: 'version_mismatch' });
    expect(await chain.policies.closeStaleDrafts()).toBe(0);
    await chain.advanceClock(3_600);
    const beforeClosing = await chain.feePayerLamports();
    expect(await chain.policies.closeStaleDrafts()).toBe(1);
    expect(await chain.policies.closeStaleDrafts()).toBe(0);
    expect((await chain.feePayerLamports()) - beforeClosing).toBeGreaterThan(1_000_000n);
    expect(before - (await chain.feePayerLamports())).toBeLessThan(100_000n);
  });
});
