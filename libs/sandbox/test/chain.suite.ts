/** What a Solana chain does, asked through its RPC: the embedded chain and solana-test-validator both pass it. */
import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  SYSVAR_CLOCK_PUBKEY,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import { ChainClient, DECIMALS, eventually, type Token } from './chain-client';

const MEMO_PROGRAM = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const INSUFFICIENT_FUNDS = { InstructionError: [0, { Custom: 1 }] };
const FAR_SLOT = 1_000_000_000;

export function chainSuite(name: string, start: () => Promise<{ rpcUrl: string; wsUrl: string }>): void {
  describe(name, () => {
    let chain: ChainClient;
    let payer: Keypair;
    let token: Token;

    beforeAll(async () => {
      chain = new ChainClient(await start());
      payer = await chain.fundedPayer();
      token = await chain.token(payer);
    });

    afterAll(() => chain.close());

    const newAddress = () => Keypair.generate().publicKey;
    const transfer = (toPubkey: PublicKey, lamports = 2_000_000) =>
      SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey, lamports });
    const tokens = async (address: PublicKey) => BigInt((await chain.connection.getTokenAccountBalance(address)).value.amount);

    describe('slots and blockhashes', () => {
      it('names a blockhash that is good for 150 blocks', async () => {
        const { blockhash, lastValidBlockHeight } = await chain.connection.getLatestBlockhash();
        const height = await chain.connection.getBlockHeight();
        expect(lastValidBlockHeight).toBeLessThanOrEqual(height + 150);
        expect(lastValidBlockHeight).toBeGreaterThan(height + 140);
        expect((await chain.connection.isBlockhashValid(blockhash, { commitment: 'confirmed' })).value).toBe(true);
      });

      it('does not know a blockhash that it never gave', async () => {
        const { value } = await chain.connection.isBlockhashValid(newAddress().toBase58());
        expect(value).toBe(false);
      });

      it('goes on to new slots and new blockhashes', async () => {
        const [slot, { blockhash }] = [await chain.connection.getSlot(), await chain.connection.getLatestBlockhash()];
        await eventually(async () => {
          expect(await chain.connection.getSlot()).toBeGreaterThan(slot);
          expect((await chain.connection.getLatestBlockhash()).blockhash).not.toBe(blockhash);
        });
      });

      it('is never further at a stronger commitment', async () => {
        expect(await chain.connection.getSlot('finalized')).toBeLessThanOrEqual(await chain.connection.getSlot('confirmed'));
      });

      it('answers only at the slot that the client asks for or later', async () => {
        const { error } = await chain.call('getBalance', payer.publicKey.toBase58(), { minContextSlot: FAR_SLOT });
        expect(error).toMatchObject({ code: -32016, message: 'Minimum context slot has not been reached' });
        expect(error?.data.contextSlot).toBeGreaterThan(0);
      });

      it('says what it is', async () => {
        expect((await chain.connection.getVersion())['solana-core']).toMatch(/^\d+\.\d+\.\d+/);
        expect(bs58.decode(await chain.connection.getGenesisHash())).toHaveLength(32);
        expect(await chain.connection.getGenesisHash()).toBe(await chain.connection.getGenesisHash());
        expect((await chain.call('getHealth')).result).toBe('ok');
        expect(bs58.decode((await chain.call('getIdentity')).result.identity)).toHaveLength(32);
        expect(await chain.connection.getEpochInfo()).toMatchObject({ epoch: 0, slotsInEpoch: 432_000 });
        expect(await chain.connection.getFirstAvailableBlock()).toBeGreaterThanOrEqual(0);
        expect(await chain.connection.getMinimumLedgerSlot()).toBeGreaterThanOrEqual(0);
      });

      it('keeps a clock near the time of day', async () => {
        const { value } = await chain.connection.getParsedAccountInfo(SYSVAR_CLOCK_PUBKEY);
        const { parsed } = value!.data as { parsed: { info: { unixTimestamp: number; slot: number } } };
        expect(Math.abs(parsed.info.unixTimestamp - Date.now() / 1_000)).toBeLessThan(10);
        expect(parsed.info.slot).toBeGreaterThan(0);
      });

      it('does not know the time of a block to come', async () => {
        expect((await chain.call('getBlockTime', FAR_SLOT)).error?.code).toBe(-32004);
      });
    });

    describe('sending', () => {
      it('moves lamports and takes the fee', async () => {
        const to = newAddress();
        const before = await chain.connection.getBalance(payer.publicKey);
        await chain.land(payer, [transfer(to)]);
        expect(await chain.connection.getBalance(to)).toBe(2_000_000);
        expect(await chain.connection.getBalance(payer.publicKey)).toBe(before - 2_000_000 - 5_000);
      });

      it('takes the priority fee too', async () => {
        const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000_000 });
        const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 1_001 });
        const { signature } = await chain.land(payer, [price, limit, transfer(newAddress())]);
        expect((await chain.connection.getTransaction(signature, NEWEST))?.meta?.fee).toBe(5_000 + 1_001);
      });

      it('takes base58 where no encoding is named', async () => {
        const signed = await chain.sign(payer, [transfer(newAddress())]);
        const { result } = await chain.call('sendTransaction', bs58.encode(signed.bytes), { preflightCommitment: 'confirmed' });
        expect(result).toBe(signed.signature);
        await chain.confirmed(signed.signature);
      });

      it('takes versioned transactions', async () => {
        const { blockhash: recentBlockhash } = await chain.connection.getLatestBlockhash();
        const instructions = [transfer(newAddress())];
        const message = new TransactionMessage({ payerKey: payer.publicKey, recentBlockhash, instructions }).compileToV0Message();
        const transaction = new VersionedTransaction(message);
        transaction.sign([payer]);
        const signature = await chain.connection.sendTransaction(transaction);
        await chain.confirmed(signature);
        const { result } = await chain.call('getTransaction', signature, NEWEST);
        expect(result.version).toBe(0);
        expect((await chain.call('getTransaction', signature, { commitment: 'confirmed' })).error?.code).toBe(-32015);
      });

      it('refuses what would fail, with its logs, and records nothing', async () => {
        const signed = await chain.sign(payer, [token.transfer(token.supply + 1n)]);
        const { error } = await chain.send(signed);
        expect(error?.code).toBe(-32002);
        expect(error?.message).toBe('Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1');
        expect(error?.data).toMatchObject({ err: INSUFFICIENT_FUNDS, accounts: null, returnData: null });
        expect(error?.data.logs).toContain('Program log: Error: insufficient funds');
        expect(error?.data.unitsConsumed).toBeGreaterThan(0);
        expect(await chain.statusOf(signed.signature)).toBeNull();
      });

      it('charges nothing for what it refused', async () => {
        const before = await chain.connection.getBalance(payer.publicKey);
        await chain.send(await chain.sign(payer, [token.transfer(token.supply + 2n)]));
        expect(await chain.connection.getBalance(payer.publicKey)).toBe(before);
      });

      it('takes the same transaction after it was refused, once it can succeed', async () => {
        const poor = newAddress();
        const fromPoor = Keypair.generate();
        await chain.land(payer, [transfer(fromPoor.publicKey, 1_000_000)]);
        const move = SystemProgram.transfer({ fromPubkey: fromPoor.publicKey, toPubkey: poor, lamports: 3_000_000 });
        const signed = await chain.sign(payer, [move], { signers: [fromPoor] });
        expect((await chain.send(signed)).error?.code).toBe(-32002);
        await chain.land(payer, [transfer(fromPoor.publicKey, 4_000_000)]);
        expect((await chain.send(signed)).result).toBe(signed.signature);
        await chain.confirmed(signed.signature);
      });

      it('lands a failure that it is told not to look for first, and takes its fee', async () => {
        const before = await chain.connection.getBalance(payer.publicKey);
        const signed = await chain.sign(payer, [token.transfer(token.supply + 3n)]);
        expect((await chain.send(signed, { skipPreflight: true })).result).toBe(signed.signature);
        await chain.confirmed(signed.signature);
        expect(await chain.statusOf(signed.signature)).toMatchObject({ err: INSUFFICIENT_FUNDS, status: { Err: INSUFFICIENT_FUNDS } });
        expect(await chain.connection.getBalance(payer.publicKey)).toBe(before - 5_000);
        expect(await tokens(token.from)).toBeLessThanOrEqual(token.supply);
      });

      it('lands a call of a program that is not there, for the fee only', async () => {
        const before = await chain.connection.getBalance(payer.publicKey);
        const call = new TransactionInstruction({ programId: newAddress(), keys: [], data: Buffer.alloc(0) });
        const signed = await chain.sign(payer, [call]);
        expect((await chain.send(signed)).error).toMatchObject({ code: -32002, data: { err: 'ProgramAccountNotFound' } });
        await chain.send(signed, { skipPreflight: true });
        await chain.confirmed(signed.signature);
        expect((await chain.statusOf(signed.signature)).err).toBe('ProgramAccountNotFound');
        expect(await chain.connection.getBalance(payer.publicKey)).toBe(before - 5_000);
      });

      it('runs a transaction once, however often it is sent', async () => {
        const to = newAddress();
        const signed = await chain.land(payer, [transfer(to)]);
        const { error } = await chain.send(signed);
        expect(error).toMatchObject({ code: -32002, data: { err: 'AlreadyProcessed' } });
        expect(error?.message).toBe('Transaction simulation failed: This transaction has already been processed');
        expect((await chain.send(signed, { skipPreflight: true })).result).toBe(signed.signature);
        await chain.land(payer, [transfer(newAddress())]);
        expect(await chain.connection.getBalance(to)).toBe(2_000_000);
      });

      it('does not run a failure again either', async () => {
        const signed = await chain.sign(payer, [token.transfer(token.supply + 4n)]);
        await chain.send(signed, { skipPreflight: true });
        await chain.confirmed(signed.signature);
        const before = await chain.connection.getBalance(payer.publicKey);
        await chain.send(signed, { skipPreflight: true });
        expect((await chain.send(signed)).error?.data.err).toBe('AlreadyProcessed');
        expect(await chain.connection.getBalance(payer.publicKey)).toBe(before);
      });

      it('refuses a blockhash that it does not know', async () => {
        const signed = await chain.sign(payer, [transfer(newAddress())], { blockhash: newAddress().toBase58() });
        const { error } = await chain.send(signed);
        expect(error).toMatchObject({ code: -32002, message: 'Transaction simulation failed: Blockhash not found' });
        expect(error?.data).toMatchObject({ err: 'BlockhashNotFound', logs: [] });
      });

      it('drops without a word what could never run, when told not to look first', async () => {
        const signed = await chain.sign(payer, [transfer(newAddress())], { blockhash: newAddress().toBase58() });
        expect((await chain.send(signed, { skipPreflight: true })).result).toBe(signed.signature);
        await chain.land(payer, [transfer(newAddress())]);
        expect(await chain.statusOf(signed.signature)).toBeNull();
      });

      it('refuses a signature that is not the signer’s', async () => {
        const signed = await chain.sign(payer, [transfer(newAddress())]);
        const forged = Buffer.from(signed.bytes);
        forged[10]! ^= 1;
        const { error } = await chain.call('sendTransaction', forged.toString('base64'), { encoding: 'base64', preflightCommitment: 'confirmed' });
        expect(error?.message).toContain('signature verification');
      });

      it('refuses a fee payer who has nothing', async () => {
        const poor = Keypair.generate();
        const move = SystemProgram.transfer({ fromPubkey: poor.publicKey, toPubkey: newAddress(), lamports: 1 });
        const { error } = await chain.send(await chain.sign(poor, [move]));
        expect(error).toMatchObject({ code: -32002, data: { err: 'AccountNotFound' } });
      });

      it('refuses to leave an account with less than its rent', async () => {
        const { error } = await chain.send(await chain.sign(payer, [transfer(newAddress(), 1)]));
        expect(error?.data.err).toEqual({ InsufficientFundsForRent: { account_index: 1 } });
      });

      it.each([
        ['not base64', '!!!!', /invalid base64 encoding/],
        ['too short', 'AAAA', /failed to deserialize/],
        ['a byte too large', Buffer.alloc(1_233).toString('base64'), /too large: 1233 bytes/],
        ['far too large', Buffer.alloc(2_000).toString('base64'), /too large/],
      ])('refuses bytes that are %s', async (_, text, message) => {
        const { error } = await chain.call('sendTransaction', text, { encoding: 'base64' });
        expect(error?.code).toBe(-32602);
        expect(error?.message).toMatch(message);
      });
    });

    describe('simulation', () => {
      it('tells logs, units, fee and balances, and changes nothing', async () => {
        const before = await tokens(token.to);
        const { result } = await chain.simulate(await chain.sign(payer, [token.transfer(7n)]), { sigVerify: true });
        const { err, logs, unitsConsumed, fee, preTokenBalances, postTokenBalances } = result.value;
        expect({ err, fee }).toEqual({ err: null, fee: 5_000 });
        expect(logs).toContain(`Program ${TOKEN_PROGRAM_ID.toBase58()} success`);
        expect(unitsConsumed).toBeGreaterThan(0);
        const of = (balances: { mint: string; owner: string; uiTokenAmount: { amount: string } }[]) =>
          BigInt(balances.find(({ owner }) => owner === token.toOwner.toBase58())!.uiTokenAmount.amount);
        expect(of(postTokenBalances) - of(preTokenBalances)).toBe(7n);
        expect(await tokens(token.to)).toBe(before);
      });

      it('shows the accounts as they would be', async () => {
        const [to, other] = [newAddress(), newAddress()];
        const addresses = [to.toBase58(), payer.publicKey.toBase58()];
        const { result } = await chain.simulate(await chain.sign(payer, [transfer(to)]), { accounts: { encoding: 'base64', addresses } });
        expect(result.value.accounts[0]).toMatchObject({ lamports: 2_000_000, data: ['', 'base64'], owner: SystemProgram.programId.toBase58() });
        expect(await chain.connection.getAccountInfo(other)).toBeNull();
      });

      it('tells why it would fail, with the logs', async () => {
        const { result } = await chain.simulate(await chain.sign(payer, [token.transfer(token.supply + 5n)]));
        expect(result.value.err).toEqual(INSUFFICIENT_FUNDS);
        expect(result.value.logs).toContain('Program log: Error: insufficient funds');
      });

      it('needs no signatures unless it is asked to check them', async () => {
        const signed = await chain.sign(payer, [transfer(newAddress())]);
        const unsigned = { ...signed, base64: Buffer.concat([signed.bytes.subarray(0, 1), Buffer.alloc(64), signed.bytes.subarray(65)]).toString('base64') };
        expect((await chain.simulate(unsigned)).result.value.err).toBeNull();
        const checked = await chain.simulate(unsigned, { sigVerify: true });
        expect(JSON.stringify(checked)).toMatch(/SignatureFailure|signature verification/);
      });

      it('puts a new blockhash in the place of an old one when asked', async () => {
        const signed = await chain.sign(payer, [transfer(newAddress())], { blockhash: newAddress().toBase58() });
        expect((await chain.simulate(signed)).result.value.err).toBe('BlockhashNotFound');
        const { value } = (await chain.simulate(signed, { replaceRecentBlockhash: true })).result;
        expect(value).toMatchObject({ err: null, replacementBlockhash: { blockhash: expect.any(String), lastValidBlockHeight: expect.any(Number) } });
      });

      it('does not check signatures over a blockhash that it replaces', async () => {
        const signed = await chain.sign(payer, [transfer(newAddress())]);
        expect((await chain.simulate(signed, { sigVerify: true, replaceRecentBlockhash: true })).error?.code).toBe(-32602);
      });

      it('sees that a transaction has run', async () => {
        const signed = await chain.land(payer, [transfer(newAddress())]);
        expect((await chain.simulate(signed)).result.value.err).toBe('AlreadyProcessed');
      });

      it('waits for no slot to come', async () => {
        const { error } = await chain.simulate(await chain.sign(payer, [transfer(newAddress())]), { minContextSlot: FAR_SLOT });
        expect(error?.code).toBe(-32016);
      });

      it('hands on what a program returns', async () => {
        const keys = [{ pubkey: token.mint, isSigner: false, isWritable: false }];
        const sizeOfAccount = new TransactionInstruction({ programId: TOKEN_PROGRAM_ID, keys, data: Buffer.from([21]) });
        const { value } = (await chain.simulate(await chain.sign(payer, [sizeOfAccount]))).result;
        const size = Buffer.alloc(8);
        size.writeBigUInt64LE(165n);
        expect(Buffer.from(value.returnData.data[0], 'base64').readUInt8()).toBe(165);
        expect(value.returnData).toMatchObject({ programId: TOKEN_PROGRAM_ID.toBase58() });
      });

      it('lists the instructions that programs call', async () => {
        const [owner, mint] = [newAddress(), token.mint];
        const { createAssociatedTokenAccountInstruction, getAssociatedTokenAddressSync } = await import('@solana/spl-token');
        const create = createAssociatedTokenAccountInstruction(payer.publicKey, getAssociatedTokenAddressSync(mint, owner), owner, mint);
        const { value } = (await chain.simulate(await chain.sign(payer, [create]), { innerInstructions: true })).result;
        expect(value.innerInstructions).toHaveLength(1);
        expect(value.innerInstructions[0].index).toBe(0);
        const types = value.innerInstructions[0].instructions.map(({ parsed }: { parsed: { type: string } }) => parsed.type);
        expect(types).toEqual(['getAccountDataSize', 'createAccount', 'initializeImmutableOwner', 'initializeAccount3']);
      });
    });

    describe('accounts', () => {
      it('shows nothing where nothing is', async () => {
        expect(await chain.connection.getAccountInfo(newAddress())).toBeNull();
        expect(await chain.connection.getBalance(newAddress())).toBe(0);
      });

      it('shows an account whole, in part and in base58', async () => {
        const whole = await chain.connection.getAccountInfo(token.mint);
        expect(whole).toMatchObject({ owner: TOKEN_PROGRAM_ID, executable: false, lamports: 1_461_600 });
        expect(whole!.data).toHaveLength(82);
        const part = await chain.connection.getAccountInfo(token.mint, { dataSlice: { offset: 44, length: 1 } });
        expect([...part!.data]).toEqual([DECIMALS]);
        const { result } = await chain.call('getAccountInfo', token.mint.toBase58(), { encoding: 'base58', commitment: 'confirmed' });
        expect(Buffer.from(bs58.decode(result.value.data[0]))).toEqual(whole!.data);
      });

      it('will not write large accounts in base58', async () => {
        const { error } = await chain.call('getAccountInfo', token.from.toBase58(), { encoding: 'base58', commitment: 'confirmed' });
        expect(error?.code).toBe(-32600);
      });

      it('shows several at once, in the order asked', async () => {
        const found = await chain.connection.getMultipleAccountsInfo([token.mint, newAddress(), token.from]);
        expect(found.map((account) => account?.data.length)).toEqual([82, undefined, 165]);
      });

      it('spells out mints and token accounts', async () => {
        const [mint, from] = (await chain.connection.getMultipleParsedAccounts([token.mint, token.from])).value;
        const info = (account: typeof mint) => (account!.data as { parsed: { info: unknown; type: string } }).parsed;
        expect(info(mint)).toEqual({
          type: 'mint',
          info: { decimals: DECIMALS, freezeAuthority: null, isInitialized: true, mintAuthority: payer.publicKey.toBase58(), supply: `${token.supply}` },
        });
        expect(info(from)).toMatchObject({
          type: 'account',
          info: { mint: token.mint.toBase58(), owner: payer.publicKey.toBase58(), state: 'initialized', isNative: false },
        });
      });

      it('counts tokens', async () => {
        expect((await chain.connection.getTokenSupply(token.mint)).value).toEqual({
          amount: '1000000',
          decimals: DECIMALS,
          uiAmount: 1,
          uiAmountString: '1',
        });
        const before = await tokens(token.to);
        await chain.land(payer, [token.transfer(25n)]);
        expect(await tokens(token.to)).toBe(before + 25n);
      });

      it('finds the token accounts of an owner', async () => {
        const byMint = await chain.connection.getParsedTokenAccountsByOwner(token.toOwner, { mint: token.mint });
        expect(byMint.value.map(({ pubkey }) => pubkey.toBase58())).toEqual([token.to.toBase58()]);
        const byProgram = await chain.connection.getTokenAccountsByOwner(token.toOwner, { programId: TOKEN_PROGRAM_ID });
        expect(byProgram.value).toHaveLength(1);
      });

      it.each([
        ['getTokenAccountBalance', 'could not find account'],
        ['getTokenSupply', 'could not find account'],
      ])('%s says that there is no such account', async (method, message) => {
        expect((await chain.call(method, newAddress().toBase58())).error).toEqual({ code: -32602, message: `Invalid param: ${message}` });
      });

      it('finds a program’s accounts by what is in them', async () => {
        const filters = [{ dataSize: 165 }, { memcmp: { offset: 0, bytes: token.mint.toBase58() } }];
        const found = await chain.connection.getProgramAccounts(TOKEN_PROGRAM_ID, { filters });
        expect(found.map(({ pubkey }) => pubkey.toBase58()).sort()).toEqual([token.from.toBase58(), token.to.toBase58()].sort());
      });

      it('knows what rent and fees are due', async () => {
        expect(await chain.connection.getMinimumBalanceForRentExemption(165)).toBe(2_039_280);
        const { blockhash: recentBlockhash } = await chain.connection.getLatestBlockhash();
        const instructions = [transfer(newAddress())];
        const message = new TransactionMessage({ payerKey: payer.publicKey, recentBlockhash, instructions }).compileToLegacyMessage();
        expect((await chain.connection.getFeeForMessage(message)).value).toBe(5_000);
        message.recentBlockhash = newAddress().toBase58();
        expect((await chain.connection.getFeeForMessage(message)).value).toBeNull();
        expect(Array.isArray(await chain.connection.getRecentPrioritizationFees())).toBe(true);
      });
    });

    describe('history', () => {
      it('tells a transaction with its balances, tokens and logs', async () => {
        const { signature } = await chain.land(payer, [token.transfer(11n)]);
        const { slot, blockTime, meta, transaction } = (await chain.connection.getTransaction(signature, NEWEST))!;
        expect(slot).toBeGreaterThan(0);
        expect(Math.abs(blockTime! - Date.now() / 1_000)).toBeLessThan(30);
        expect(transaction.signatures).toEqual([signature]);
        expect(meta).toMatchObject({ err: null, fee: 5_000, innerInstructions: [] });
        expect(meta!.preBalances[0]! - meta!.postBalances[0]!).toBe(5_000);
        expect(meta!.logMessages).toContain(`Program ${TOKEN_PROGRAM_ID.toBase58()} success`);
        expect(meta!.computeUnitsConsumed).toBeGreaterThan(0);
        const moved = meta!.postTokenBalances!.map(({ owner, uiTokenAmount }, n) => ({
          owner,
          by: BigInt(uiTokenAmount.amount) - BigInt(meta!.preTokenBalances![n]!.uiTokenAmount.amount),
        }));
        expect(moved).toContainEqual({ owner: token.toOwner.toBase58(), by: 11n });
        expect(moved).toContainEqual({ owner: payer.publicKey.toBase58(), by: -11n });
      });

      it('spells out what the well-known programs did', async () => {
        const memo = new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data: Buffer.from('paid') });
        const { signature } = await chain.land(payer, [token.transfer(1n), memo]);
        const { message } = (await chain.connection.getParsedTransaction(signature, NEWEST))!.transaction;
        expect(message.instructions).toMatchObject([
          { program: 'spl-token', parsed: { type: 'transferChecked', info: { destination: token.to.toBase58() } } },
          { program: 'spl-memo', parsed: 'paid' },
        ]);
        expect(message.accountKeys[0]).toMatchObject({ pubkey: payer.publicKey, signer: true, writable: true });
        const [newest] = await chain.connection.getSignaturesForAddress(MEMO_PROGRAM, { limit: 1 });
        expect(newest).toMatchObject({ signature, memo: '[4] paid' });
      });

      it('gives back the bytes that were sent', async () => {
        const signed = await chain.land(payer, [transfer(newAddress())]);
        const { result } = await chain.call('getTransaction', signed.signature, { encoding: 'base64', commitment: 'confirmed' });
        expect(result.transaction).toEqual([signed.base64, 'base64']);
      });

      it('tells failures like successes', async () => {
        const signed = await chain.sign(payer, [token.transfer(token.supply + 6n)]);
        await chain.send(signed, { skipPreflight: true });
        await chain.confirmed(signed.signature);
        const { meta } = (await chain.connection.getTransaction(signed.signature, NEWEST))!;
        expect(meta).toMatchObject({ err: INSUFFICIENT_FUNDS, fee: 5_000 });
        expect(meta!.logMessages).toContain('Program log: Error: insufficient funds');
      });

      it('knows nothing of what it never saw', async () => {
        const unknown = bs58.encode(Keypair.generate().secretKey);
        expect(await chain.connection.getTransaction(unknown, NEWEST)).toBeNull();
        expect(await chain.statusOf(unknown)).toBeNull();
      });

      it('pages through the signatures of an address, newest first', async () => {
        const address = newAddress();
        const sent: string[] = [];
        for (let n = 1; n <= 4; n++) sent.unshift((await chain.land(payer, [transfer(address, n * 1_000_000)])).signature);
        const page = async (options: object) =>
          (await chain.connection.getSignaturesForAddress(address, options)).map(({ signature }) => signature);
        expect(await page({})).toEqual(sent);
        expect(await page({ limit: 2 })).toEqual(sent.slice(0, 2));
        expect(await page({ limit: 2, before: sent[1] })).toEqual(sent.slice(2));
        expect(await page({ until: sent[2] })).toEqual(sent.slice(0, 2));
      });

      it('gives lamports by a transaction that can be looked up', async () => {
        const address = newAddress();
        const signature = await chain.connection.requestAirdrop(address, 5_000_000);
        await chain.confirmed(signature);
        expect(await chain.connection.getBalance(address)).toBe(5_000_000);
        expect((await chain.connection.getSignaturesForAddress(address)).map((found) => found.signature)).toEqual([signature]);
      });
    });

    describe('subscriptions', () => {
      it('tell that a transaction landed', async () => {
        const signed = await chain.sign(payer, [transfer(newAddress())]);
        const told = new Promise((resolve) => chain.connection.onSignature(signed.signature, resolve, 'confirmed'));
        await chain.send(signed);
        expect(await told).toEqual({ err: null });
      });

      it('tell of a transaction that landed before anybody asked', async () => {
        const signed = await chain.land(payer, [transfer(newAddress())]);
        expect(await new Promise((resolve) => chain.connection.onSignature(signed.signature, resolve, 'confirmed'))).toEqual({ err: null });
      });

      it('tell that a transaction failed', async () => {
        const signed = await chain.sign(payer, [token.transfer(token.supply + 7n)]);
        const told = new Promise((resolve) => chain.connection.onSignature(signed.signature, resolve, 'confirmed'));
        await chain.send(signed, { skipPreflight: true });
        expect(await told).toEqual({ err: INSUFFICIENT_FUNDS });
      });

      it('let web3.js confirm a transaction its own way', async () => {
        const latest = await chain.connection.getLatestBlockhash();
        const signed = await chain.sign(payer, [transfer(newAddress())], latest);
        await chain.send(signed);
        const { value } = await chain.connection.confirmTransaction({ signature: signed.signature, ...latest }, 'confirmed');
        expect(value.err).toBeNull();
      });

      it('tell how an account changed', async () => {
        const address = newAddress();
        const seen: number[] = [];
        const id = chain.connection.onAccountChange(address, ({ lamports }) => seen.push(lamports));
        await listening(id);
        await chain.land(payer, [transfer(address)]);
        await eventually(async () => expect(seen).toEqual([2_000_000]));
        await chain.connection.removeAccountChangeListener(id);
      });

      it('tell how a program’s accounts changed', async () => {
        const seen: string[] = [];
        const filters = [{ memcmp: { offset: 0, bytes: token.mint.toBase58() } }];
        const id = chain.connection.onProgramAccountChange(TOKEN_PROGRAM_ID, ({ accountId }) => seen.push(accountId.toBase58()), { filters });
        await listening(id);
        await chain.land(payer, [token.transfer(3n)]);
        await eventually(async () => expect([...seen].sort()).toEqual([token.from.toBase58(), token.to.toBase58()].sort()));
        await chain.connection.removeProgramAccountChangeListener(id);
      });

      it('tell the logs of the transactions that mention an address', async () => {
        const address = newAddress();
        const seen: string[] = [];
        const id = chain.connection.onLogs(address, ({ signature, err, logs }) => {
          if (!err && logs.length > 0) seen.push(signature);
        });
        await listening(id);
        await chain.land(payer, [transfer(newAddress())]);
        const { signature } = await chain.land(payer, [transfer(address)]);
        await eventually(async () => expect(seen).toEqual([signature]));
        await chain.connection.removeOnLogsListener(id);
      });

      it('tell all logs to whom wants them all', async () => {
        const seen: string[] = [];
        const id = chain.connection.onLogs('all', ({ signature }) => seen.push(signature));
        await listening(id);
        const { signature } = await chain.land(payer, [transfer(newAddress())]);
        await eventually(async () => expect(seen).toContain(signature));
        await chain.connection.removeOnLogsListener(id);
      });

      it('tell the slots as they come', async () => {
        const seen: number[] = [];
        const id = chain.connection.onSlotChange(({ slot }) => seen.push(slot));
        await eventually(async () => expect(seen.length).toBeGreaterThan(2));
        expect(seen).toEqual([...seen].sort((a, b) => a - b));
        await chain.connection.removeSlotChangeListener(id);
      });

      /** web3.js subscribes in the background: wait until the chain has answered it. */
      const listening = (id: number) =>
        eventually(async () => {
          const states: Record<string, { state: string }> = (chain.connection as any)._subscriptionsByHash;
          const hash: string = (chain.connection as any)._subscriptionHashByClientSubscriptionId[id];
          expect(states[hash]?.state).toBe('subscribed');
        });
    });

    describe('JSON-RPC', () => {
      it('does not know every method', async () => {
        expect((await chain.call('getNothing')).error).toEqual({ code: -32601, message: 'Method not found' });
      });

      it('answers what is not JSON', async () => {
        expect(await chain.post('{bad')).toMatchObject({ error: { code: -32700 }, id: null });
      });

      it.each([
        ['no address', [], -32602],
        ['a number for an address', [1], -32602],
        ['a text that is no address', ['zz'], -32602],
      ])('refuses %s', async (_, params, code) => {
        expect((await chain.call('getBalance', ...params)).error?.code).toBe(code);
      });

      it('answers many requests in one', async () => {
        const calls = ['getHealth', 'getNothing'].map((method, id) => ({ jsonrpc: '2.0', id, method }));
        const answers = (await chain.post(JSON.stringify(calls))) as { id: number; result?: string; error?: { code: number } }[];
        expect(answers.sort((a, b) => a.id - b.id)).toMatchObject([{ result: 'ok' }, { error: { code: -32601 } }]);
      });
    });
  });
}

const NEWEST = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 } as const;
