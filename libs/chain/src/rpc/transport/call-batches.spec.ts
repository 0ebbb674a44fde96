import type { FetchFn } from '@solana/web3.js';
import { CallBatches } from './call-batches';

interface Body {
  id: number;
  method: string;
  params: unknown[];
}
type Respond = (body: Body | Body[]) => { text: string; status?: number };

/** Calls to a node that answers what `respond` returns, and the bodies that it was sent. */
function stage(respond: Respond) {
  const bodies: (Body | Body[])[] = [];
  const fetch = async (_url: unknown, { body }: { body: string }) => {
    const asked = JSON.parse(body) as Body | Body[];
    bodies.push(asked);
    const { text, status = 200 } = respond(asked);
    return { ok: status < 300, status, text: async () => text };
  };
  return { bodies, calls: new CallBatches('http://node', fetch as unknown as FetchFn) };
}

const answer = ({ id, params }: Body) =>
  params[0] === 'bad'
    ? { jsonrpc: '2.0', id, error: { code: -32602, message: 'bad' } }
    : { jsonrpc: '2.0', id, result: `done ${String(params[0])}` };
const together: Respond = (body) => ({ text: JSON.stringify(Array.isArray(body) ? body.map(answer).reverse() : answer(body)) });
const askAll = async (calls: CallBatches, names: string[]) =>
  (await Promise.allSettled(names.map((name) => calls.ask('send', [name])))).map((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason),
  );

describe('CallBatches', () => {
  it('sends a call that comes alone alone', async () => {
    const { bodies, calls } = stage(together);
    expect(await calls.ask('send', ['a'])).toBe('done a');
    expect(bodies).toEqual([{ jsonrpc: '2.0', id: 1, method: 'send', params: ['a'] }]);
  });

  it('sends calls of one method at once, and matches answers in any order by their ids', async () => {
    const { bodies, calls } = stage(together);
    expect(await askAll(calls, ['a', 'b', 'c'])).toEqual(['done a', 'done b', 'done c']);
    expect(bodies).toHaveLength(1);
  });

  it('fails a bad call of a batch alone', async () => {
    const { calls } = stage(together);
    expect(await askAll(calls, ['a', 'bad', 'c'])).toEqual(['done a', expect.stringContaining('bad'), 'done c']);
  });

  it.each([
    ['refuses a batch', { text: 'batches are not allowed', status: 403 }],
    ['answers a batch with one error', { text: '{"jsonrpc":"2.0","error":{"code":-32600,"message":"no batches"},"id":null}' }],
    ['answers a batch with a page', { text: '<html>' }],
  ])('asks a node that %s for each call alone, also the next time', async (_name, refusal) => {
    const { bodies, calls } = stage((body) => (Array.isArray(body) ? refusal : together(body)));
    expect(await askAll(calls, ['a', 'b'])).toEqual(['done a', 'done b']);
    expect(await askAll(calls, ['c', 'd'])).toEqual(['done c', 'done d']);
    expect(bodies.filter((body) => Array.isArray(body))).toHaveLength(1);
  });

  it('fails the call whose answer a node left out', async () => {
    const { calls } = stage((body) => ({ text: JSON.stringify([body].flat().slice(1).map(answer)) }));
    expect(await askAll(calls, ['a', 'b'])).toEqual([expect.stringContaining('left out'), 'done b']);
  });
});
