/** The protocol below the methods. */
import { type World } from './world';

export function jsonRpcSuite(world: World): void {
  describe('JSON-RPC', () => {
    it('does not know every method', async () => {
      expect((await world.chain.call('getNothing')).error).toEqual({ code: -32601, message: 'Method not found' });
    });

    it('answers what is not JSON', async () => {
      expect(await world.chain.post('{bad')).toMatchObject({ error: { code: -32700 }, id: null });
    });

    it.each([
      ['no address', [], -32602],
      ['a number for an address', [1], -32602],
      ['a text that is no address', ['zz'], -32602],
    ])('refuses %s', async (_, params, code) => {
      expect((await world.chain.call('getBalance', ...params)).error?.code).toBe(code);
    });

    it('answers many requests in one', async () => {
      const calls = ['getHealth', 'getNothing'].map((method, id) => ({ jsonrpc: '2.0', id, method }));
      const answers = (await world.chain.post(JSON.stringify(calls))) as {
        id: number;
        result?: string;
        error?: { code: number };
      }[];
      expect(answers.sort((a, b) => a.id - b.id)).toMatchObject([{ result: 'ok' }, { error: { code: -32601 } }]);
    });
  });
}
