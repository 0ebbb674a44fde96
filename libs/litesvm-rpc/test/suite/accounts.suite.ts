/** Reading accounts. */
import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { TransactionMessage } from '@solana/web3.js';
import bs58 from 'bs58';
import { DECIMALS } from '../chain-client';
import { newAddress, type World } from './world';

export function accountsSuite(world: World): void {
  describe('accounts', () => {
    it('getAccountInfo returns null for an address without an account', async () => {
      expect(await world.chain.connection.getAccountInfo(newAddress())).toBeNull();
      expect(await world.chain.connection.getBalance(newAddress())).toBe(0);
    });

    it('getAccountInfo returns an account whole, sliced and in base58', async () => {
      const whole = await world.chain.connection.getAccountInfo(world.token.mint);
      expect(whole).toMatchObject({ owner: TOKEN_PROGRAM_ID, executable: false, lamports: 1_461_600 });
      expect(whole!.data).toHaveLength(82);
      const part = await world.chain.connection.getAccountInfo(world.token.mint, {
        dataSlice: { offset: 44, length: 1 },
      });
      expect([...part!.data]).toEqual([DECIMALS]);
      const { result } = await world.chain.call('getAccountInfo', world.token.mint.toBase58(), {
        encoding: 'base58',
        commitment: 'confirmed',
      });
      expect(Buffer.from(bs58.decode(result.value.data[0]))).toEqual(whole!.data);
    });

    it('getAccountInfo rejects base58 for large accounts', async () => {
      const { error } = await world.chain.call('getAccountInfo', world.token.from.toBase58(), {
        encoding: 'base58',
        commitment: 'confirmed',
      });
      expect(error?.code).toBe(-32600);
    });

    it('getMultipleAccounts returns accounts in the order requested', async () => {
      const found = await world.chain.connection.getMultipleAccountsInfo([world.token.mint, newAddress(), world.token.from]);
      expect(found.map((account) => account?.data.length)).toEqual([82, undefined, 165]);
    });

    it('getAccountInfo parses mints and token accounts', async () => {
      const [mint, from] = (await world.chain.connection.getMultipleParsedAccounts([world.token.mint, world.token.from])).value;
      const info = (account: typeof mint) => (account!.data as { parsed: { info: unknown; type: string } }).parsed;
      expect(info(mint)).toEqual({
        type: 'mint',
        info: {
          decimals: DECIMALS,
          freezeAuthority: null,
          isInitialized: true,
          mintAuthority: world.payer.publicKey.toBase58(),
          supply: `${world.token.supply}`,
        },
      });
      expect(info(from)).toMatchObject({
        type: 'account',
        info: {
          mint: world.token.mint.toBase58(),
          owner: world.payer.publicKey.toBase58(),
          state: 'initialized',
          isNative: false,
        },
      });
    });

    it('getTokenAccountBalance and getTokenSupply return token amounts', async () => {
      expect((await world.chain.connection.getTokenSupply(world.token.mint)).value).toEqual({
        amount: '1000000',
        decimals: DECIMALS,
        uiAmount: 1,
        uiAmountString: '1',
      });
      const before = await world.tokens(world.token.to);
      await world.chain.land(world.payer, [world.token.transfer(25n)]);
      expect(await world.tokens(world.token.to)).toBe(before + 25n);
    });

    it('getTokenAccountsByOwner returns the token accounts of an owner', async () => {
      const byMint = await world.chain.connection.getParsedTokenAccountsByOwner(world.token.toOwner, {
        mint: world.token.mint,
      });
      expect(byMint.value.map(({ pubkey }) => pubkey.toBase58())).toEqual([world.token.to.toBase58()]);
      const byProgram = await world.chain.connection.getTokenAccountsByOwner(world.token.toOwner, {
        programId: TOKEN_PROGRAM_ID,
      });
      expect(byProgram.value).toHaveLength(1);
    });

    it.each([
      ['getTokenAccountBalance', 'could not find account'],
      ['getTokenSupply', 'could not find account'],
    ])('%s reports an address without an account', async (method, message) => {
      expect((await world.chain.call(method, newAddress().toBase58())).error).toEqual({
        code: -32602,
        message: `Invalid param: ${message}`,
      });
    });

    it('getProgramAccounts filters by content', async () => {
      const filters = [{ dataSize: 165 }, { memcmp: { offset: 0, bytes: world.token.mint.toBase58() } }];
      const found = await world.chain.connection.getProgramAccounts(TOKEN_PROGRAM_ID, { filters });
      expect(found.map(({ pubkey }) => pubkey.toBase58()).sort()).toEqual([world.token.from.toBase58(), world.token.to.toBase58()].sort());
    });

    it('rent exemption and fees are those of Solana', async () => {
      expect(await world.chain.connection.getMinimumBalanceForRentExemption(165)).toBe(2_039_280);
      const { blockhash: recentBlockhash } = await world.chain.connection.getLatestBlockhash();
      const instructions = [world.transfer(newAddress())];
      const message = new TransactionMessage({
        payerKey: world.payer.publicKey,
        recentBlockhash,
        instructions,
      }).compileToLegacyMessage();
      expect((await world.chain.connection.getFeeForMessage(message)).value).toBe(5_000);
      message.recentBlockhash = newAddress().toBase58();
      expect((await world.chain.connection.getFeeForMessage(message)).value).toBeNull();
      expect(Array.isArray(await world.chain.connection.getRecentPrioritizationFees())).toBe(true);
    });
  });
}
