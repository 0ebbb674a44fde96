/** Bytes of accounts on chain, and their rent. */
import { Keypair } from '@solana/web3.js';
import { api } from '../../support/api';
import { newOperatorKey } from '../../support/operators';
import { sharedService } from '../../support/service';
import { anAccount, bodyOf, setPolicy } from '../../support/world';

/** An account, its token account, and its policy without lists. */
const ACCOUNT_BYTES = 1_448 + 165 + 128;
const LAMPORTS_PER_BYTE = 6_960n;
const ENTRY_BYTES = 32;
const OVERHEAD_BYTES = 128;

test('the rent of an operator’s accounts grows by the bytes of an account, and of each list entry', async () => {
  // Other suites create accounts of the shared operator meanwhile.
  const by = api(sharedService().baseUrl, await newOperatorKey(sharedService()));
  const rent = async () => {
    const { bytes, lamports } = bodyOf(await by.get('/dashboard/data/rent'), 200);
    return { bytes, lamports: BigInt(lamports) };
  };
  const before = await rent();
  const account = await anAccount({ by });
  const created = await rent();
  await setPolicy(account, { allowed_counterparties: [Keypair.generate().publicKey.toBase58()], categories: ['food', 'data'] }, by);
  const listed = await rent();
  expect(created.bytes - before.bytes).toBe(ACCOUNT_BYTES);
  expect(created.lamports - before.lamports).toBe(BigInt(ACCOUNT_BYTES + 3 * OVERHEAD_BYTES) * LAMPORTS_PER_BYTE);
  expect(listed.bytes - created.bytes).toBe(3 * ENTRY_BYTES);
});

test('the metrics have the bytes of all accounts and their rent', async () => {
  await anAccount();
  const metrics = await (await fetch(new URL('/metrics', sharedService().baseUrl))).text();
  const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
  expect(metric('account_data_bytes')).toBeGreaterThanOrEqual(0);
  expect(metric('account_rent_lamports')).toBeGreaterThanOrEqual(metric('account_data_bytes') * Number(LAMPORTS_PER_BYTE));
});
