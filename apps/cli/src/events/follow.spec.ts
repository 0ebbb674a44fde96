import { AgentPayments, AuthenticationError } from '#client';
import { follow } from './follow';

type Reply = { status?: number; ids?: string[] };

const eventOf = (id: string) => ({
  id,
  type: 'webhook.test',
  created_at: '2026-01-01T00:00:00.000Z',
  account_id: null,
  sequence: null,
  data: {},
});

/** The events that follow yields while the service gives these replies in their order, the last one again and again. */
async function followed(replies: Reply[], wanted: number): Promise<{ ids: string[]; outages: string[]; urls: string[] }> {
  const urls: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    const { status = 200, ids = [] } = (replies.length > 1 ? replies.shift() : replies[0]) ?? {};
    urls.push((input as Request).url);
    const body =
      status === 200
        ? { data: ids.map(eventOf), cursor: null, has_more: false }
        : { error: status === 401 ? 'unauthorized' : 'chain_unavailable' };
    return Response.json(body, { status });
  };
  const { events } = new AgentPayments({ apiKey: 'k', baseURL: 'http://service.example', maxRetries: 0, fetch });
  const stop = new AbortController();
  const outages: string[] = [];
  const ids: string[] = [];
  const options = {
    account: 'acct_1',
    signal: stop.signal,
    onStart: () => undefined,
    onOutage: (message: string) => void outages.push(message),
    pollMs: 1,
  };
  for await (const { id } of follow(events, options)) if (ids.push(id) === wanted) stop.abort();
  return { ids, outages, urls };
}

test('following yields later events once, oldest first, and none from before the start', async () => {
  const { ids, urls } = await followed(
    [{ ids: ['old'] }, { ids: ['old'] }, { ids: ['c', 'b', 'old'] }, { ids: ['c', 'b', 'old'] }, { ids: ['d', 'c', 'b'] }],
    3,
  );
  expect(ids).toEqual(['b', 'c', 'd']);
  // A minute back, because events are visible in the order of their commits.
  expect(urls[2]).toContain('account_id=acct_1&limit=100&since=2025-12-31T23%3A59%3A00.000Z');
});

test('following sees the first event of an operator without events', async () => {
  expect((await followed([{ ids: [] }, { ids: [] }, { ids: ['a'] }], 1)).ids).toEqual(['a']);
});

test('following goes on after an outage, which is reported once', async () => {
  const { ids, outages } = await followed([{ ids: [] }, { ids: [] }, { status: 503 }, { status: 503 }, { ids: ['a'] }], 1);
  expect([ids, outages.length]).toEqual([['a'], 1]);
});

test('following ends when the key is revoked', async () => {
  await expect(followed([{ ids: [] }, { ids: [] }, { status: 401 }], 1)).rejects.toThrow(AuthenticationError);
});
