import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { eventually } from '../../../../test/support/eventually';
import { LogSubscription } from './subscription';

interface Node {
  url: string;
  /** Addresses that were subscribed to, in order. */
  subscribed: string[];
  report(signature: string): void;
  close(): void;
}

const nodes: Node[] = [];
const subscriptions: LogSubscription[] = [];
afterEach(() => {
  for (const open of [...subscriptions.splice(0), ...nodes.splice(0)]) open.close();
});

/** The WebSocket of a node. */
async function aNode(): Promise<Node> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  const node: Node = {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    subscribed: [],
    report(signature) {
      const result = { context: { slot: 7 }, value: { signature, err: null, logs: [] } };
      for (const client of server.clients) client.send(JSON.stringify({ method: 'logsNotification', params: { result } }));
    },
    close() {
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
  server.on('connection', (socket) => {
    socket.on('message', (text) => node.subscribed.push(JSON.parse(String(text)).params[0].mentions[0]));
  });
  nodes.push(node);
  return node;
}

/** A subscription to the address `Program` at these nodes, and the signatures that it delivers. */
function subscribe(urls: string[]): string[] {
  const delivered: string[] = [];
  const onTransaction = ({ signature }: { signature: string }): void => void delivered.push(signature);
  const subscription = new LogSubscription({ urls, mentions: ['Program'], commitment: 'confirmed', onTransaction });
  subscriptions.push(subscription);
  subscription.start();
  return delivered;
}

test('transactions are delivered by the next node once one has gone away', async () => {
  const [first, second] = [await aNode(), await aNode()];
  const delivered = subscribe([first.url, second.url]);
  await eventually(() => expect(first.subscribed).toEqual(['Program']));
  first.report('by the first');
  await eventually(() => expect(delivered).toEqual(['by the first']));
  first.close();
  await eventually(() => expect(second.subscribed).toEqual(['Program']));
  second.report('by the second');
  await eventually(() => expect(delivered).toEqual(['by the first', 'by the second']));
});

test('a node that refuses connections is passed over at once', async () => {
  const node = await aNode();
  subscribe(['ws://127.0.0.1:9', node.url]);
  await eventually(() => expect(node.subscribed).toEqual(['Program']));
});

test('a single node is asked again until it is there', async () => {
  const gone = await aNode();
  gone.close();
  const delivered = subscribe([gone.url]);
  const server = new WebSocketServer({ port: Number(new URL(gone.url).port), host: '127.0.0.1' });
  server.on('connection', (socket) => {
    const result = { context: { slot: 7 }, value: { signature: 'later', err: null, logs: [] } };
    socket.send(JSON.stringify({ method: 'logsNotification', params: { result } }));
  });
  await eventually(() => expect(delivered).toContain('later'));
  for (const client of server.clients) client.terminate();
  server.close();
});
