/** Sending transactions: what lands, what is rejected, and what it costs. */
import {
  Keypair,
  SystemProgram,
  ComputeBudgetProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import { INSUFFICIENT_FUNDS, NEWEST, newAddress, type World } from './world';

export function sendingSuite(world: World): void {
  describe('sending', () => {
    it('sendTransaction moves lamports and charges the fee', async () => {
      const to = newAddress();
      const before = await world.chain.connection.getBalance(world.payer.publicKey);
      await world.chain.land(world.payer, [world.transfer(to)]);
      expect(await world.chain.connection.getBalance(to)).toBe(2_000_000);
      expect(await world.chain.connection.getBalance(world.payer.publicKey)).toBe(before - 2_000_000 - 5_000);
    });

    it('sendTransaction charges the priority fee', async () => {
      const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000_000 });
      const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 1_001 });
      const { signature } = await world.chain.land(world.payer, [price, limit, world.transfer(newAddress())]);
      expect((await world.chain.connection.getTransaction(signature, NEWEST))?.meta?.fee).toBe(5_000 + 1_001);
    });

    it('sendTransaction reads base58 when no encoding is named', async () => {
      const signed = await world.chain.sign(world.payer, [world.transfer(newAddress())]);
      const { result } = await world.chain.call('sendTransaction', bs58.encode(signed.bytes), {
        preflightCommitment: 'confirmed',
      });
      expect(result).toBe(signed.signature);
      await world.chain.confirmed(signed.signature);
    });

    it('sendTransaction accepts versioned transactions', async () => {
      const { blockhash: recentBlockhash } = await world.chain.connection.getLatestBlockhash();
      const instructions = [world.transfer(newAddress())];
      const message = new TransactionMessage({
        payerKey: world.payer.publicKey,
        recentBlockhash,
        instructions,
      }).compileToV0Message();
      const transaction = new VersionedTransaction(message);
      transaction.sign([world.payer]);
      const signature = await world.chain.connection.sendTransaction(transaction);
      await world.chain.confirmed(signature);
      const { result } = await world.chain.call('getTransaction', signature, NEWEST);
      expect(result.version).toBe(0);
      expect((await world.chain.call('getTransaction', signature, { commitment: 'confirmed' })).error?.code).toBe(-32015);
    });

    it('preflight rejects a transaction that would fail, with its logs, and records nothing', async () => {
      const signed = await world.chain.sign(world.payer, [world.token.transfer(world.token.supply + 1n)]);
      const { error } = await world.chain.send(signed);
      expect(error?.code).toBe(-32002);
      expect(error?.message).toBe('Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1');
      expect(error?.data).toMatchObject({ err: INSUFFICIENT_FUNDS, accounts: null, returnData: null });
      expect(error?.data.logs).toContain('Program log: Error: insufficient funds');
      expect(error?.data.unitsConsumed).toBeGreaterThan(0);
      expect(await world.chain.statusOf(signed.signature)).toBeNull();
    });

    it('preflight rejection costs no fee', async () => {
      const before = await world.chain.connection.getBalance(world.payer.publicKey);
      await world.chain.send(await world.chain.sign(world.payer, [world.token.transfer(world.token.supply + 2n)]));
      expect(await world.chain.connection.getBalance(world.payer.publicKey)).toBe(before);
    });

    it('a transaction that preflight rejected is accepted once it can succeed', async () => {
      const poor = newAddress();
      const fromPoor = Keypair.generate();
      await world.chain.land(world.payer, [world.transfer(fromPoor.publicKey, 1_000_000)]);
      const move = SystemProgram.transfer({ fromPubkey: fromPoor.publicKey, toPubkey: poor, lamports: 3_000_000 });
      const signed = await world.chain.sign(world.payer, [move], { signers: [fromPoor] });
      expect((await world.chain.send(signed)).error?.code).toBe(-32002);
      await world.chain.land(world.payer, [world.transfer(fromPoor.publicKey, 4_000_000)]);
      expect((await world.chain.send(signed)).result).toBe(signed.signature);
      await world.chain.confirmed(signed.signature);
    });

    it('a failing transaction without preflight lands and costs its fee', async () => {
      const before = await world.chain.connection.getBalance(world.payer.publicKey);
      const signed = await world.chain.sign(world.payer, [world.token.transfer(world.token.supply + 3n)]);
      expect((await world.chain.send(signed, { skipPreflight: true })).result).toBe(signed.signature);
      await world.chain.confirmed(signed.signature);
      expect(await world.chain.statusOf(signed.signature)).toMatchObject({
        err: INSUFFICIENT_FUNDS,
        status: { Err: INSUFFICIENT_FUNDS },
      });
      expect(await world.chain.connection.getBalance(world.payer.publicKey)).toBe(before - 5_000);
      expect(await world.tokens(world.token.from)).toBeLessThanOrEqual(world.token.supply);
    });

    it('a call of a missing program without preflight lands for its fee only', async () => {
      const before = await world.chain.connection.getBalance(world.payer.publicKey);
      const call = new TransactionInstruction({ programId: newAddress(), keys: [], data: Buffer.alloc(0) });
      const signed = await world.chain.sign(world.payer, [call]);
      expect((await world.chain.send(signed)).error).toMatchObject({
        code: -32002,
        data: { err: 'ProgramAccountNotFound' },
      });
      await world.chain.send(signed, { skipPreflight: true });
      await world.chain.confirmed(signed.signature);
      expect((await world.chain.statusOf(signed.signature)).err).toBe('ProgramAccountNotFound');
      expect(await world.chain.connection.getBalance(world.payer.publicKey)).toBe(before - 5_000);
    });

    it('a transaction executes once, however often it is sent', async () => {
      const to = newAddress();
      const signed = await world.chain.land(world.payer, [world.transfer(to)]);
      const { error } = await world.chain.send(signed);
      expect(error).toMatchObject({ code: -32002, data: { err: 'AlreadyProcessed' } });
      expect(error?.message).toBe('Transaction simulation failed: This transaction has already been processed');
      expect((await world.chain.send(signed, { skipPreflight: true })).result).toBe(signed.signature);
      await world.chain.land(world.payer, [world.transfer(newAddress())]);
      expect(await world.chain.connection.getBalance(to)).toBe(2_000_000);
    });

    it('a failed transaction does not execute again', async () => {
      const signed = await world.chain.sign(world.payer, [world.token.transfer(world.token.supply + 4n)]);
      await world.chain.send(signed, { skipPreflight: true });
      await world.chain.confirmed(signed.signature);
      const before = await world.chain.connection.getBalance(world.payer.publicKey);
      await world.chain.send(signed, { skipPreflight: true });
      expect((await world.chain.send(signed)).error?.data.err).toBe('AlreadyProcessed');
      expect(await world.chain.connection.getBalance(world.payer.publicKey)).toBe(before);
    });

    it('sendTransaction rejects an unknown blockhash', async () => {
      const signed = await world.chain.sign(world.payer, [world.transfer(newAddress())], {
        blockhash: newAddress().toBase58(),
      });
      const { error } = await world.chain.send(signed);
      expect(error).toMatchObject({ code: -32002, message: 'Transaction simulation failed: Blockhash not found' });
      expect(error?.data).toMatchObject({ err: 'BlockhashNotFound', logs: [] });
    });

    it('without preflight a transaction that can never execute is dropped silently', async () => {
      const signed = await world.chain.sign(world.payer, [world.transfer(newAddress())], {
        blockhash: newAddress().toBase58(),
      });
      expect((await world.chain.send(signed, { skipPreflight: true })).result).toBe(signed.signature);
      await world.chain.land(world.payer, [world.transfer(newAddress())]);
      expect(await world.chain.statusOf(signed.signature)).toBeNull();
    });

    it.each([
      ['', {}],
      [' before an unknown blockhash', { blockhash: newAddress().toBase58() }],
    ])('sendTransaction rejects a signature that is not the signer’s%s', async (_, options) => {
      const signed = await world.chain.sign(world.payer, [world.transfer(newAddress())], options);
      const forged = Buffer.from(signed.bytes);
      forged[10]! ^= 1;
      const { error } = await world.chain.call('sendTransaction', forged.toString('base64'), {
        encoding: 'base64',
        preflightCommitment: 'confirmed',
      });
      expect(error?.message).toContain('signature verification');
    });

    it('sendTransaction rejects a fee payer without lamports', async () => {
      const poor = Keypair.generate();
      const move = SystemProgram.transfer({ fromPubkey: poor.publicKey, toPubkey: newAddress(), lamports: 1 });
      const { error } = await world.chain.send(await world.chain.sign(poor, [move]));
      expect(error).toMatchObject({ code: -32002, data: { err: 'AccountNotFound' } });
    });

    it('sendTransaction rejects a transfer that leaves an account with less than its rent', async () => {
      const { error } = await world.chain.send(await world.chain.sign(world.payer, [world.transfer(newAddress(), 1)]));
      expect(error?.data.err).toEqual({ InsufficientFundsForRent: { account_index: 1 } });
    });

    it.each([
      ['not base64', '!!!!', /invalid base64 encoding/],
      ['too short', 'AAAA', /failed to deserialize/],
      ['one byte too large', Buffer.alloc(1_233).toString('base64'), /too large: 1233 bytes/],
      ['far too large', Buffer.alloc(2_000).toString('base64'), /too large/],
    ])('sendTransaction rejects bytes that are %s', async (_, text, message) => {
      const { error } = await world.chain.call('sendTransaction', text, { encoding: 'base64' });
      expect(error?.code).toBe(-32602);
      expect(error?.message).toMatch(message);
    });
  });
}
