/** The protocol below the methods. */
import { type World } from './world';

export function jsonRpcSuite(world: World): void {
  describe('JSON-RPC', () => {
    it('JSON-RPC reports an unknown method', async () => {
      expect((await world.chain.call('getNothing')).error).toEqual({ code: -32601, message: 'Method not found' });
    });

    it('JSON-RPC reports a body that is not JSON', async () => {
      expect(await world.chain.post('{bad')).toMatchObject({ error: { code: -32700 }, id: null });
    });

    it.each([
      ['a missing address', [], -32602],
      ['a number as an address', [1], -32602],
      ['a text that is not an address', ['zz'], -32602],
    ])('JSON-RPC rejects %s', async (_, params, code) => {
      expect((await world.chain.call('getBalance', ...params)).error?.code).toBe(code);
    });

    it('JSON-RPC answers a batch of requests', async () => {
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
