import { AuthorityType, createFreezeAccountInstruction, createSetAuthorityInstruction } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { LocalSigner, type AccountAddresses, type Chain, type SessionOrder } from '../src';
import type { LocalChain } from './local-chain';
import { aProvider, authority, closeTokenAccount, operator, send, type Provider } from './payer';
import { startSessionStage, type SessionStage, voucherOf } from './session-stage';

jest.setTimeout(60_000);

let stage: SessionStage;
let local: LocalChain;
let chain: Chain;
let provider: Provider;
beforeAll(async () => {
  stage = await startSessionStage();
  ({ local, chain, provider } = stage);
});
afterAll(() => local.stop());

test('writeOff takes back, after 90 days, what is owed to a payee that gave its token account away', async () => {
  const payee = await aProvider(local);
  const { account, session } = await stage.anOpenSession({ payee: payee.address });
  const [payeeAccount, stranger] = [new PublicKey(payee.tokenAccount), new PublicKey(provider.address)];
  await send(
    local,
    [createSetAuthorityInstruction(payeeAccount, payee.wallet.publicKey, AuthorityType.AccountOwner, stranger)],
    payee.wallet,
  );
  expect(await chain.sessions.close(session, await voucherOf(session, 60n), { closer: authority })).toMatchObject({
    status: 'owed',
    owed: 60n,
  });
  expect(await chain.owedSessions.writeOff(account.address, operator)).toBe(0);
  await chain.advanceClock(90 * 86_400);
  expect(await chain.owedSessions.writeOff(account.address, operator)).toBe(1);
  expect(await chain.sessions.closeExpired(session, null)).toMatchObject({ status: 'closed', settled: 60n, returned: 40n, owed: 0n });
  expect(await chain.owedSessions.writeOff(account.address, operator)).toBe(0);
  expect(await chain.accounts.balances([account.tokenAccount])).toEqual([1_000n]);
  const onChain = await chain.accounts.find(account.address);
  if (!onChain) throw new Error('the account is gone');
  await chain.administration.closeAccount(onChain, provider.tokenAccount, operator);
  expect(await chain.administration.closing(account.address)).toMatchObject({ swept: 1_000n, destination: provider.tokenAccount });
});

describe('sessions whose payee closed its token account', () => {
  /** Whether our fee payer has created the token account again. */
  const tokenAccountExists = async ({ tokenAccount }: Provider): Promise<boolean> =>
    (await chain.accounts.balances([tokenAccount]))[0] !== null;

  async function aSessionWithout(
    more: Partial<SessionOrder> = {},
    left = 0,
  ): Promise<{ account: AccountAddresses; session: string; payee: Provider }> {
    const payee = await aProvider(local);
    const opened = await stage.anOpenSession({ payee: payee.address, ...more });
    await closeTokenAccount(local, payee, left);
    return { ...opened, payee };
  }

  test('settle records the voucher, pays nothing and does not create the payee’s token account, also when repeated', async () => {
    const { session, payee } = await aSessionWithout();
    const shown = { status: 'open', paid: 0n, settled: 60n, owed: 60n };
    for (let times = 0; times < 2; times++)
      expect(await chain.sessions.settle(session, await voucherOf(session, 60n))).toMatchObject(shown);
    expect(await chain.sessions.settle(session, null)).toMatchObject(shown);
    expect(await chain.sessions.settle(session, await voucherOf(session, 70n))).toMatchObject({ paid: 0n, settled: 70n, owed: 70n });
    expect(await tokenAccountExists(payee)).toBe(false);
  });

  test.each([0, 2_500_000])(
    'close creates the payee’s token account and pays the whole cumulative amount, with %s lamports at its address',
    async (left) => {
      const { account, session, payee } = await aSessionWithout({}, left);
      await chain.sessions.settle(session, await voucherOf(session, 60n));
      expect(await chain.sessions.close(session, null, { closer: authority })).toMatchObject({
        status: 'closed',
        paid: 60n,
        settled: 60n,
        returned: 40n,
        owed: 0n,
      });
      expect(await chain.accounts.balances([account.tokenAccount, payee.tokenAccount])).toEqual([940n, 60n]);
    },
  );

  test('close does not create the payee’s token account when nothing is due', async () => {
    const { account, session, payee } = await aSessionWithout();
    expect(await chain.sessions.close(session, null, { closer: authority })).toMatchObject({ status: 'closed', paid: 0n, returned: 100n });
    expect([await tokenAccountExists(payee), await chain.accounts.balances([account.tokenAccount])]).toEqual([false, [1_000n]]);
  });

  test('close that starts the grace period does not create the payee’s token account; the end of the session does, once', async () => {
    const { session, payee } = await aSessionWithout({ graceSeconds: 60 });
    expect(await chain.sessions.close(session, await voucherOf(session, 60n), { closer: authority })).toMatchObject({
      status: 'closing',
      paid: 0n,
      settled: 60n,
      owed: 60n,
    });
    expect(await chain.sessions.settle(session, await voucherOf(session, 80n))).toMatchObject({
      status: 'closing',
      paid: 0n,
      settled: 80n,
    });
    expect(await tokenAccountExists(payee)).toBe(false);
    await chain.advanceClock(60);
    expect(await chain.sessions.closeExpired(session, null)).toMatchObject({ status: 'closed', paid: 80n, returned: 20n });
    expect(await tokenAccountExists(payee)).toBe(true);
  });

  test('close creates the payee’s token account when the payee consents, and when the session has expired', async () => {
    const [consented, late] = [
      await aSessionWithout({ graceSeconds: 60 }),
      await aSessionWithout({ graceSeconds: 60, expiresInSeconds: 60 }),
    ];
    expect(
      await chain.sessions.close(consented.session, await voucherOf(consented.session, 60n), {
        closer: authority,
        payee: consented.payee.signer,
      }),
    ).toMatchObject({ status: 'closed', paid: 60n });
    await chain.advanceClock(120);
    expect(await chain.sessions.close(late.session, await voucherOf(late.session, 60n), { closer: authority })).toMatchObject({
      status: 'closed',
      paid: 60n,
    });
  });

  test('a session that a stranger ended releases the account’s money and owes the payee until it is claimed', async () => {
    const { account, session, payee } = await aSessionWithout({ expiresInSeconds: 60 });
    await chain.sessions.settle(session, await voucherOf(session, 60n));
    await chain.advanceClock(60);
    await send(local, [await stage.permissionlessClose(session)], provider.wallet);
    expect(await chain.sessions.session(session)).toMatchObject({ status: 'owed', settled: 0n, proven: 60n });
    expect(await chain.accounts.find(account.address)).toMatchObject({ reserved: 0n, openSessions: 0 });
    expect(await chain.sessions.settle(session, null)).toMatchObject({ status: 'owed', paid: 60n, owed: 0n });
    expect(await chain.accounts.balances([account.tokenAccount, payee.tokenAccount])).toEqual([940n, 60n]);
    expect(await chain.sessions.closeExpired(session, null)).toMatchObject({ status: 'closed', paid: 0n, settled: 60n, returned: 40n });
  });
});

test('close of a session that a stranger ended while the payee is frozen returns that end; a claim fails with payee_blocked', async () => {
  const payee = await aProvider(local);
  const { account, session } = await stage.anOpenSession({ payee: payee.address, expiresInSeconds: 60 });
  const issuer = local.options.mintAuthority as LocalSigner;
  await send(
    local,
    [createFreezeAccountInstruction(new PublicKey(payee.tokenAccount), stage.addresses.mint, new PublicKey(issuer.address))],
    payee.wallet,
    [issuer],
  );
  await chain.sessions.settle(session, await voucherOf(session, 60n));
  await chain.advanceClock(60);
  await send(local, [await stage.permissionlessClose(session)], provider.wallet);
  const owed = { status: 'owed', paid: 0n, settled: 60n, returned: 40n, owed: 60n };
  expect(await chain.sessions.close(session, null, { closer: authority })).toMatchObject(owed);
  expect(await chain.sessions.closeExpired(session, null)).toMatchObject(owed);
  await expect(chain.sessions.settle(session, null)).rejects.toMatchObject({ reason: 'payee_blocked' });
  expect(await chain.accounts.balances([account.tokenAccount])).toEqual([940n]);
});
