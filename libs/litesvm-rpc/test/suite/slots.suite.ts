/** Slots, blockhashes, and a node's description of itself. */
import { SYSVAR_CLOCK_PUBKEY } from '@solana/web3.js';
import bs58 from 'bs58';
import { eventually } from '../chain-client';
import { FAR_SLOT, newAddress, type World } from './world';

export function slotsSuite(world: World): void {
  describe('slots and blockhashes', () => {
    it('getLatestBlockhash returns a blockhash that is valid for 150 blocks', async () => {
      const { blockhash, lastValidBlockHeight } = await world.chain.connection.getLatestBlockhash();
      const height = await world.chain.connection.getBlockHeight();
      expect(lastValidBlockHeight).toBeLessThanOrEqual(height + 150);
      expect(lastValidBlockHeight).toBeGreaterThan(height + 140);
      expect((await world.chain.connection.isBlockhashValid(blockhash, { commitment: 'confirmed' })).value).toBe(true);
    });

    it('isBlockhashValid is false for an unknown blockhash', async () => {
      const { value } = await world.chain.connection.isBlockhashValid(newAddress().toBase58());
      expect(value).toBe(false);
    });

    it('slots and blockhashes advance', async () => {
      const [slot, { blockhash }] = [await world.chain.connection.getSlot(), await world.chain.connection.getLatestBlockhash()];
      await eventually(async () => {
        expect(await world.chain.connection.getSlot()).toBeGreaterThan(slot);
        expect((await world.chain.connection.getLatestBlockhash()).blockhash).not.toBe(blockhash);
      });
    });

    it('the finalized slot is at most the confirmed slot', async () => {
      expect(await world.chain.connection.getSlot('finalized')).toBeLessThanOrEqual(await world.chain.connection.getSlot('confirmed'));
    });

    it('reads below the requested minContextSlot fail', async () => {
      const { error } = await world.chain.call('getBalance', world.payer.publicKey.toBase58(), {
        minContextSlot: FAR_SLOT,
      });
      expect(error).toMatchObject({ code: -32016, message: 'Minimum context slot has not been reached' });
      expect(error?.data.contextSlot).toEqual(expect.any(Number));
    });

    it('version, genesis hash, identity and epoch are reported', async () => {
      expect((await world.chain.connection.getVersion())['solana-core']).toMatch(/^\d+\.\d+\.\d+/);
      expect(bs58.decode(await world.chain.connection.getGenesisHash())).toHaveLength(32);
      expect(await world.chain.connection.getGenesisHash()).toBe(await world.chain.connection.getGenesisHash());
      expect((await world.chain.call('getHealth')).result).toBe('ok');
      expect(bs58.decode((await world.chain.call('getIdentity')).result.identity)).toHaveLength(32);
      expect(await world.chain.connection.getEpochInfo()).toMatchObject({ epoch: 0, slotsInEpoch: 432_000 });
      expect(await world.chain.connection.getFirstAvailableBlock()).toBeGreaterThanOrEqual(0);
      expect(await world.chain.connection.getMinimumLedgerSlot()).toBeGreaterThanOrEqual(0);
    });

    it('the clock sysvar is near the time of day', async () => {
      const { value } = await world.chain.connection.getParsedAccountInfo(SYSVAR_CLOCK_PUBKEY);
      const { parsed } = value!.data as { parsed: { info: { unixTimestamp: number; slot: number } } };
      // The clock of a validator that lacks processor time falls behind by minutes.
      expect(Math.abs(parsed.info.unixTimestamp - Date.now() / 1_000)).toBeLessThan(3_600);
      expect(parsed.info.slot).toBeGreaterThan(0);
    });

    it('getBlockTime fails for a future slot', async () => {
      expect((await world.chain.call('getBlockTime', FAR_SLOT)).error?.code).toBe(-32004);
    });
  });
}
