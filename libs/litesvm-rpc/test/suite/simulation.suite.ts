/** Simulating transactions. */
import { TOKEN_PROGRAM_ID, createAssociatedTokenAccountInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { INSUFFICIENT_FUNDS, FAR_SLOT, newAddress, type World } from './world';

export function simulationSuite(world: World): void {
  describe('simulation', () => {
    it('simulateTransaction returns logs, units, fee and balances and changes nothing', async () => {
      const before = await world.tokens(world.token.to);
      const { result } = await world.chain.simulate(await world.chain.sign(world.payer, [world.token.transfer(7n)]), {
        sigVerify: true,
      });
      const { err, logs, unitsConsumed, fee, preTokenBalances, postTokenBalances } = result.value;
      expect({ err, fee }).toEqual({ err: null, fee: 5_000 });
      expect(logs).toContain(`Program ${TOKEN_PROGRAM_ID.toBase58()} success`);
      expect(unitsConsumed).toBeGreaterThan(0);
      const of = (balances: { mint: string; owner: string; uiTokenAmount: { amount: string } }[]) =>
        BigInt(balances.find(({ owner }) => owner === world.token.toOwner.toBase58())!.uiTokenAmount.amount);
      expect(of(postTokenBalances) - of(preTokenBalances)).toBe(7n);
      expect(await world.tokens(world.token.to)).toBe(before);
    });

    it('simulateTransaction returns the accounts as they would be', async () => {
      const [to, other] = [newAddress(), newAddress()];
      const addresses = [to.toBase58(), world.payer.publicKey.toBase58()];
      const { result } = await world.chain.simulate(await world.chain.sign(world.payer, [world.transfer(to)]), {
        accounts: { encoding: 'base64', addresses },
      });
      expect(result.value.accounts[0]).toMatchObject({
        lamports: 2_000_000,
        data: ['', 'base64'],
        owner: SystemProgram.programId.toBase58(),
      });
      expect(await world.chain.connection.getAccountInfo(other)).toBeNull();
    });

    it('simulateTransaction returns the error of a failing transaction, with its logs', async () => {
      const { result } = await world.chain.simulate(await world.chain.sign(world.payer, [world.token.transfer(world.token.supply + 5n)]));
      expect(result.value.err).toEqual(INSUFFICIENT_FUNDS);
      expect(result.value.logs).toContain('Program log: Error: insufficient funds');
    });

    it('simulateTransaction needs no signatures unless sigVerify is set', async () => {
      const signed = await world.chain.sign(world.payer, [world.transfer(newAddress())]);
      const unsigned = {
        ...signed,
        base64: Buffer.concat([signed.bytes.subarray(0, 1), Buffer.alloc(64), signed.bytes.subarray(65)]).toString('base64'),
      };
      expect((await world.chain.simulate(unsigned)).result.value.err).toBeNull();
      const checked = await world.chain.simulate(unsigned, { sigVerify: true });
      expect(JSON.stringify(checked)).toMatch(/SignatureFailure|signature verification/);
    });

    it('simulateTransaction replaces an old blockhash when requested', async () => {
      const signed = await world.chain.sign(world.payer, [world.transfer(newAddress())], {
        blockhash: newAddress().toBase58(),
      });
      expect((await world.chain.simulate(signed)).result.value.err).toBe('BlockhashNotFound');
      const { value } = (await world.chain.simulate(signed, { replaceRecentBlockhash: true })).result;
      expect(value).toMatchObject({
        err: null,
        replacementBlockhash: { blockhash: expect.any(String), lastValidBlockHeight: expect.any(Number) },
      });
    });

    it('simulateTransaction rejects sigVerify together with a replaced blockhash', async () => {
      const signed = await world.chain.sign(world.payer, [world.transfer(newAddress())]);
      expect((await world.chain.simulate(signed, { sigVerify: true, replaceRecentBlockhash: true })).error?.code).toBe(-32602);
    });

    it('simulateTransaction reports a transaction that was processed before', async () => {
      const signed = await world.chain.land(world.payer, [world.transfer(newAddress())]);
      expect((await world.chain.simulate(signed)).result.value.err).toBe('AlreadyProcessed');
    });

    it('simulateTransaction rejects a minContextSlot in the future', async () => {
      const { error } = await world.chain.simulate(await world.chain.sign(world.payer, [world.transfer(newAddress())]), {
        minContextSlot: FAR_SLOT,
      });
      expect(error?.code).toBe(-32016);
    });

    it('simulateTransaction returns a program’s return data', async () => {
      const keys = [{ pubkey: world.token.mint, isSigner: false, isWritable: false }];
      const sizeOfAccount = new TransactionInstruction({ programId: TOKEN_PROGRAM_ID, keys, data: Buffer.from([21]) });
      const { value } = (await world.chain.simulate(await world.chain.sign(world.payer, [sizeOfAccount]))).result;
      const size = Buffer.alloc(8);
      size.writeBigUInt64LE(165n);
      expect(Buffer.from(value.returnData.data[0], 'base64').readUInt8()).toBe(165);
      expect(value.returnData).toMatchObject({ programId: TOKEN_PROGRAM_ID.toBase58() });
    });

    it('simulateTransaction lists inner instructions', async () => {
      const [owner, mint] = [newAddress(), world.token.mint];
      const create = createAssociatedTokenAccountInstruction(
        world.payer.publicKey,
        getAssociatedTokenAddressSync(mint, owner),
        owner,
        mint,
      );
      const { value } = (await world.chain.simulate(await world.chain.sign(world.payer, [create]), { innerInstructions: true })).result;
      expect(value.innerInstructions).toHaveLength(1);
      expect(value.innerInstructions[0].index).toBe(0);
      const types = value.innerInstructions[0].instructions.map(({ parsed }: { parsed: { type: string } }) => parsed.type);
      expect(types).toEqual(['getAccountDataSize', 'createAccount', 'initializeImmutableOwner', 'initializeAccount3']);
    });
  });
}
