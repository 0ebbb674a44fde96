/** WebSocket subscriptions. */
import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { eventually } from '../chain-client';
import { INSUFFICIENT_FUNDS, newAddress, type World } from './world';

export function subscriptionsSuite(world: World): void {
  describe('subscriptions', () => {
    it('signatureSubscribe notifies that a transaction landed', async () => {
      const signed = await world.chain.sign(world.payer, [world.transfer(newAddress())]);
      const notified = new Promise((resolve) => world.chain.connection.onSignature(signed.signature, resolve, 'confirmed'));
      await world.chain.send(signed);
      expect(await notified).toEqual({ err: null });
    });

    it('signatureSubscribe notifies of a transaction that landed before', async () => {
      const signed = await world.chain.land(world.payer, [world.transfer(newAddress())]);
      expect(await new Promise((resolve) => world.chain.connection.onSignature(signed.signature, resolve, 'confirmed'))).toEqual({
        err: null,
      });
    });

    it('signatureSubscribe notifies of a failed transaction', async () => {
      const signed = await world.chain.sign(world.payer, [world.token.transfer(world.token.supply + 7n)]);
      const notified = new Promise((resolve) => world.chain.connection.onSignature(signed.signature, resolve, 'confirmed'));
      await world.chain.send(signed, { skipPreflight: true });
      expect(await notified).toEqual({ err: INSUFFICIENT_FUNDS });
    });

    it('web3.js confirms a transaction by its own subscription', async () => {
      const latest = await world.chain.connection.getLatestBlockhash();
      const signed = await world.chain.sign(world.payer, [world.transfer(newAddress())], latest);
      await world.chain.send(signed);
      const { value } = await world.chain.connection.confirmTransaction({ signature: signed.signature, ...latest }, 'confirmed');
      expect(value.err).toBeNull();
    });

    it('accountSubscribe notifies of an account’s changes', async () => {
      const address = newAddress();
      const seen: number[] = [];
      const id = world.chain.connection.onAccountChange(address, ({ lamports }) => seen.push(lamports));
      await listening(id);
      await world.chain.land(world.payer, [world.transfer(address)]);
      await eventually(async () => expect(seen).toEqual([2_000_000]));
      await world.chain.connection.removeAccountChangeListener(id);
    });

    it('programSubscribe notifies of changes to a program’s accounts that match its filters', async () => {
      const seen: string[] = [];
      const filters = [{ memcmp: { offset: 0, bytes: world.token.mint.toBase58() } }];
      const id = world.chain.connection.onProgramAccountChange(TOKEN_PROGRAM_ID, ({ accountId }) => seen.push(accountId.toBase58()), {
        filters,
      });
      await listening(id);
      await world.chain.land(world.payer, [world.token.transfer(3n)]);
      await eventually(async () => expect([...seen].sort()).toEqual([world.token.from.toBase58(), world.token.to.toBase58()].sort()));
      await world.chain.connection.removeProgramAccountChangeListener(id);
    });

    it('logsSubscribe notifies of transactions that mention an address', async () => {
      const address = newAddress();
      const seen: string[] = [];
      const id = world.chain.connection.onLogs(address, ({ signature, err, logs }) => {
        if (!err && logs.length > 0) seen.push(signature);
      });
      await listening(id);
      await world.chain.land(world.payer, [world.transfer(newAddress())]);
      const { signature } = await world.chain.land(world.payer, [world.transfer(address)]);
      await eventually(async () => expect(seen).toEqual([signature]));
      await world.chain.connection.removeOnLogsListener(id);
    });

    it('logsSubscribe to all notifies of every transaction', async () => {
      const seen: string[] = [];
      const id = world.chain.connection.onLogs('all', ({ signature }) => seen.push(signature));
      await listening(id);
      const { signature } = await world.chain.land(world.payer, [world.transfer(newAddress())]);
      await eventually(async () => expect(seen).toContain(signature));
      await world.chain.connection.removeOnLogsListener(id);
    });

    it('slotSubscribe notifies of slots in order', async () => {
      const seen: number[] = [];
      const id = world.chain.connection.onSlotChange(({ slot }) => seen.push(slot));
      await eventually(async () => expect(seen.length).toBeGreaterThan(2));
      expect(seen).toEqual([...seen].sort((a, b) => a - b));
      await world.chain.connection.removeSlotChangeListener(id);
    });

    /** web3.js subscribes in the background: waits until the chain has confirmed the subscription. */
    const listening = (id: number) =>
      eventually(async () => {
        const states: Record<string, { state: string }> = (world.chain.connection as any)._subscriptionsByHash;
        const hash: string = (world.chain.connection as any)._subscriptionHashByClientSubscriptionId[id];
        expect(states[hash]?.state).toBe('subscribed');
      });
  });
}
