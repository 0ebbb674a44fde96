/** Channel purses on the embedded chain: a facilitator opens a channel out of one, and what is not paid comes home. */
import { randomBytes } from 'node:crypto';
import { createAssociatedTokenAccountIdempotentInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Connection, PublicKey, VersionedTransaction } from '@solana/web3.js';
import { type AccountAddresses, ChainRefusedError, type ChannelTerms, LocalSigner } from '../src';
import { TREASURY } from '../src/channels/payment-channels';
import { type LocalChain, startLocalChain } from './local-chain';
import { anAccount, aProvider, authority, operator, type Provider, send } from './payer';

const GRACE = 900;

describe('channel purses on the embedded chain', () => {
  let local: LocalChain;
  let facilitator: Provider;
  let account: AccountAddresses;
  let key: LocalSigner;

  beforeAll(async () => {
    local = await startLocalChain();
    facilitator = await aProvider(local);
    const mint = new PublicKey(local.chain.identity.usdcMint);
    const treasury = getAssociatedTokenAddressSync(mint, TREASURY, true);
    await send(
      local,
      [createAssociatedTokenAccountIdempotentInstruction(facilitator.wallet.publicKey, treasury, TREASURY, mint)],
      facilitator.wallet,
    );
  });
  afterAll(() => local.stop());

  beforeEach(async () => {
    account = await anAccount(local.chain, 1_000n);
    key = LocalSigner.generate().signer;
  });

  const order = (microUsdc: bigint, approvedBy: string | null = null) => ({
    ...account,
    purseId: Uint8Array.from(randomBytes(16)),
    microUsdc,
    category: 'inference',
    key: key.address,
    expiresInSeconds: 3_600,
    authority: authority.address,
    approvedBy,
  });
  const name = () => ({ account: account.address, seq: 1n, key: key.address });
  const balance = async () => (await local.chain.accounts.balances([account.tokenAccount]))[0];

  async function fund(microUsdc = 100n) {
    const purse = order(microUsdc);
    const signed = await local.chain.channelPurses.signFunding(purse, 1n, [authority, key]);
    expect(await local.chain.orders.settle(signed, 10_000)).toMatchObject({ kind: 'landed' });
    return { purse, signature: signed.signature };
  }

  async function terms(deposit: bigint): Promise<ChannelTerms> {
    return {
      payer: key.address,
      rentPayer: facilitator.address,
      payee: facilitator.address,
      mint: local.chain.identity.usdcMint,
      authorizedSigner: facilitator.address,
      salt: randomBytes(8).readBigUInt64LE(),
      openSlot: await local.chain.channels.openSlot(),
      deposit,
      graceSeconds: GRACE,
      recipients: [{ owner: facilitator.address, shareBps: 10_000 }],
    };
  }

  const built = async (channel: ChannelTerms, memo: string | null = null) =>
    local.chain.channels.buildOpening(
      { terms: channel, memos: memo === null ? [] : [memo], recentBlockhash: null, minContextSlot: 0 },
      key,
    );

  async function open(channel: ChannelTerms): Promise<void> {
    const { transaction } = await built(channel);
    const complete = VersionedTransaction.deserialize(Buffer.from(transaction, 'base64'));
    complete.sign([facilitator.wallet]);
    await new Connection(local.rpcUrl, 'confirmed').sendRawTransaction(complete.serialize());
    expect(await state(channel)).toMatchObject({ status: 'open', settled: 0n });
  }

  const state = async (channel: ChannelTerms) => (await local.chain.channels.find([local.chain.channels.addressOf(channel)]))[0];

  it('a funding is simulated, signed by the key and the authority, and read back from its transaction and its account', async () => {
    expect(await local.chain.channelPurses.simulateFunding(order(1_001n), 1n, 0)).toMatchObject({ kind: 'violation' });
    expect(await local.chain.channelPurses.simulateFunding(order(1_000n), 1n, 0)).toMatchObject({ kind: 'allowed' });
    const { purse, signature } = await fund();
    const [landed] = await local.chain.history.ordersIn(signature);
    expect(landed).toMatchObject({ kind: 'channel_purse', seq: 1n, microUsdc: 100n, delegate: key.address, category: 'inference' });
    expect(landed?.id).toEqual(Buffer.from(purse.purseId));
    const { deadline } = await local.chain.channelPurses.funded(signature, purse.purseId);
    expect(await local.chain.channelPurses.purse(name())).toMatchObject({ microUsdc: 100n, swept: 0n, isFinished: false, deadline });
    expect(await local.chain.channelPurses.held(key.address)).toBe(100n);
    expect((await local.chain.history.changeIn(signature, account.tokenAccount)).ours).toBe(-100n);
  });

  it('what a channel was not paid comes home after a forced close, and is no deposit', async () => {
    const { channels, channelPurses, history } = local.chain;
    await fund();
    const channel = await terms(60n);
    await open(channel);
    await channels.requestClose(channel, key);
    await channels.requestClose(channel, key);
    expect(await state(channel)).toMatchObject({ status: 'closing' });
    await expect(channels.sealAndDistribute(channel)).rejects.toThrow(ChainRefusedError);
    await local.chain.advanceClock(GRACE + 1);
    await channels.sealAndDistribute(channel);
    await channels.sealAndDistribute(channel);
    expect(await state(channel)).toMatchObject({ status: 'distributed', settled: 0n });
    const { signature } = await channelPurses.sweep(name(), authority);
    expect((await history.changeIn(signature, account.tokenAccount)).ours).toBe(100n);
    expect(await channelPurses.finish(name(), authority)).toMatchObject({ spent: 0n });
    expect(await balance()).toBe(1_000n);
  });

  it('a purse that was finished with an open channel counts its deposit as spent, sweeps it later and is closed once', async () => {
    const { channels, channelPurses } = local.chain;
    const { purse } = await fund();
    const channel = await terms(60n);
    await open(channel);
    const finished = await channelPurses.finish(name(), operator);
    expect(finished).toMatchObject({ spent: 60n, purseId: purse.purseId });
    expect(await channelPurses.finish(name(), authority)).toEqual(finished);
    await channels.requestClose(channel, key);
    await local.chain.advanceClock(GRACE + 1);
    await channels.sealAndDistribute(channel);
    await channelPurses.sweep(name(), null).catch((error: unknown) => expect(error).toBeInstanceOf(ChainRefusedError)); // before the deadline
    await channelPurses.sweep(name(), authority);
    expect(await balance()).toBe(1_000n);
    await channelPurses.close(name(), authority);
    await channelPurses.close(name(), authority);
    expect(await channelPurses.purse(name())).toBeNull();
  });

  it('a purse whose last channel is gone is finished and closed by one transaction, and what lies there comes home', async () => {
    const { channelPurses, history } = local.chain;
    await fund();
    const finished = await channelPurses.finishAndClose(name(), operator);
    expect(finished).toMatchObject({ spent: 0n });
    expect((await channelPurses.closed(name()))?.signature).toBe(finished.signature);
    expect((await history.changeIn(finished.signature, account.tokenAccount)).ours).toBe(100n);
    expect(await channelPurses.purse(name())).toBeNull();
    expect(await balance()).toBe(1_000n);
    expect(await channelPurses.finishAndClose(name(), authority)).toEqual(finished);
  });

  it('a purse that is finished already is closed', async () => {
    const { channelPurses } = local.chain;
    await fund();
    const finished = await channelPurses.finish(name(), operator);
    expect(await channelPurses.finishAndClose(name(), authority)).toEqual(finished);
    expect(await channelPurses.purse(name())).toBeNull();
  });

  it('a top-up that would fail is refused before it is signed, and one that does not is of the facilitator and the key', async () => {
    const { channels } = local.chain;
    await fund();
    const channel = await terms(60n);
    await open(channel);
    const topUp = (microUsdc: bigint) =>
      channels.buildTopUp({ terms: channel, memos: ['a memo'], recentBlockhash: null, minContextSlot: 0 }, microUsdc, key);
    await expect(topUp(41n)).rejects.toMatchObject({ reason: 'open_fails' });
    const complete = VersionedTransaction.deserialize(Buffer.from((await topUp(40n)).transaction, 'base64'));
    complete.sign([facilitator.wallet]);
    await new Connection(local.rpcUrl, 'confirmed').sendRawTransaction(complete.serialize());
    expect(await state(channel)).toMatchObject({ status: 'open', deposit: 100n });
  });

  it('an opening that would fail is refused before it is signed', async () => {
    await fund();
    await expect(built(await terms(101n))).rejects.toMatchObject({ reason: 'open_fails' });
    const ours = { ...(await terms(1n)), rentPayer: local.options.feePayer.address };
    await expect(built(ours)).rejects.toMatchObject({ reason: 'fee_payer_in_use' });
    expect(Buffer.from((await built(await terms(1n), 'a memo')).transaction, 'base64')).toHaveLength(729);
  });
});
