/** Transactions after they have landed. */
import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { Keypair, TransactionInstruction } from '@solana/web3.js';
import bs58 from 'bs58';
import { INSUFFICIENT_FUNDS, NEWEST, MEMO_PROGRAM, newAddress, type World } from './world';

export function historySuite(world: World): void {
  describe('history', () => {
    it('getTransaction returns balances, token balances and logs', async () => {
      const { signature } = await world.chain.land(world.payer, [world.token.transfer(11n)]);
      const { slot, blockTime, meta, transaction } = (await world.chain.connection.getTransaction(signature, NEWEST))!;
      expect(slot).toBeGreaterThan(0);
      expect(Math.abs(blockTime! - Date.now() / 1_000)).toBeLessThan(3_600);
      expect(transaction.signatures).toEqual([signature]);
      expect(meta).toMatchObject({ err: null, fee: 5_000, innerInstructions: [] });
      expect(meta!.preBalances[0]! - meta!.postBalances[0]!).toBe(5_000);
      expect(meta!.logMessages).toContain(`Program ${TOKEN_PROGRAM_ID.toBase58()} success`);
      expect(meta!.computeUnitsConsumed).toBeGreaterThan(0);
      const moved = meta!.postTokenBalances!.map(({ owner, uiTokenAmount }, n) => ({
        owner,
        by: BigInt(uiTokenAmount.amount) - BigInt(meta!.preTokenBalances![n]!.uiTokenAmount.amount),
      }));
      expect(moved).toContainEqual({ owner: world.token.toOwner.toBase58(), by: 11n });
      expect(moved).toContainEqual({ owner: world.payer.publicKey.toBase58(), by: -11n });
    });

    it('getTransaction parses instructions of well-known programs', async () => {
      const memo = new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data: Buffer.from('paid') });
      const { signature } = await world.chain.land(world.payer, [world.token.transfer(1n), memo]);
      const { message } = (await world.chain.connection.getParsedTransaction(signature, NEWEST))!.transaction;
      expect(message.instructions).toMatchObject([
        { program: 'spl-token', parsed: { type: 'transferChecked', info: { destination: world.token.to.toBase58() } } },
        { program: 'spl-memo', parsed: 'paid' },
      ]);
      expect(message.accountKeys[0]).toMatchObject({ pubkey: world.payer.publicKey, signer: true, writable: true });
      const [newest] = await world.chain.connection.getSignaturesForAddress(MEMO_PROGRAM, { limit: 1 });
      expect(newest).toMatchObject({ signature, memo: '[4] paid' });
    });

    it('getTransaction returns the bytes that were sent', async () => {
      const signed = await world.chain.land(world.payer, [world.transfer(newAddress())]);
      const { result } = await world.chain.call('getTransaction', signed.signature, {
        encoding: 'base64',
        commitment: 'confirmed',
      });
      expect(result.transaction).toEqual([signed.base64, 'base64']);
    });

    it('getTransaction returns failed transactions too', async () => {
      const signed = await world.chain.sign(world.payer, [world.token.transfer(world.token.supply + 6n)]);
      await world.chain.send(signed, { skipPreflight: true });
      await world.chain.confirmed(signed.signature);
      const { meta } = (await world.chain.connection.getTransaction(signed.signature, NEWEST))!;
      expect(meta).toMatchObject({ err: INSUFFICIENT_FUNDS, fee: 5_000 });
      expect(meta!.logMessages).toContain('Program log: Error: insufficient funds');
    });

    it('getTransaction and getSignatureStatuses return null for an unknown signature', async () => {
      const unknown = bs58.encode(Keypair.generate().secretKey);
      expect(await world.chain.connection.getTransaction(unknown, NEWEST)).toBeNull();
      expect(await world.chain.statusOf(unknown)).toBeNull();
    });

    it('getSignaturesForAddress pages through an address’s signatures, newest first', async () => {
      const address = newAddress();
      const sent: string[] = [];
      for (let n = 1; n <= 4; n++) sent.unshift((await world.chain.land(world.payer, [world.transfer(address, n * 1_000_000)])).signature);
      const page = async (options: object) =>
        (await world.chain.connection.getSignaturesForAddress(address, options)).map(({ signature }) => signature);
      expect(await page({})).toEqual(sent);
      expect(await page({ limit: 2 })).toEqual(sent.slice(0, 2));
      expect(await page({ limit: 2, before: sent[1] })).toEqual(sent.slice(2));
      expect(await page({ until: sent[2] })).toEqual(sent.slice(0, 2));
    });

    it('requestAirdrop sends lamports by a transaction that can be looked up', async () => {
      const address = newAddress();
      const signature = await world.chain.connection.requestAirdrop(address, 5_000_000);
      await world.chain.confirmed(signature);
      expect(await world.chain.connection.getBalance(address)).toBe(5_000_000);
      expect((await world.chain.connection.getSignaturesForAddress(address)).map((found) => found.signature)).toEqual([signature]);
    });
  });
}
