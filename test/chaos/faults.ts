/** Faults of a site under load. Each ends when the site is healed. */
import type { Fate } from '../support/chain-proxy';
import type { RpcCall } from '../support/rpc-messages';
import { rpc } from '../support/world';
import type { Site } from './site';

/** The parts of a site that a fault affects. */
export type Target = Pick<Site, 'proxy' | 'chainUrl' | 'kill' | 'stopDatabase' | 'exhaustConnections' | 'fillDisk'>;

export interface Fault {
  name: string;
  /** Whether a process is killed: the time until everything is settled counts from here. */
  kills: boolean;
  inflict(site: Target, random: () => number): Promise<void> | void;
}

/** A node this far behind has not seen a transaction that was sent a moment ago. */
const LAG_SLOTS = 50;
/** Longer than a blockhash is valid. */
const EXPIRY_SLOTS = 200;

/** Calls a method of the embedded chain, unless another fault has killed it. */
const tell = (site: Target, method: string, argument: object): Promise<unknown> =>
  rpc(method, [argument], site.chainUrl).catch(() => undefined);

const kill = (part: Parameters<Site['kill']>[0]): Fault => ({ name: `${part} killed`, kills: true, inflict: (site) => site.kill(part) });

/** Changes the chain's answers to some calls, for a share of them. */
const lie = (name: string, share: number, fates: (random: () => number) => Record<string, Fate>, isDeaf = false): Fault => ({
  name,
  kills: false,
  inflict: ({ proxy }, random) => {
    if (isDeaf) proxy.cutWebSockets();
    proxy.fate = ({ method }) => {
      const lies = random() < share ? fates(random) : {};
      return lies[method] ?? lies['*'] ?? 'pass';
    };
  },
});

const NOTHING_SEEN = { result: { context: { slot: 1 }, value: Array.from({ length: 256 }, () => null) } };

/** Results that no method has. */
const GARBAGE: Fate[] = [
  { text: '<html>502</html>', status: 502 },
  ...[
    '"seven"',
    '7',
    '{}',
    '[]',
    '[{}]',
    '{"context":{}}',
    '{"context":{"slot":1},"value":"seven"}',
    '{"context":{"slot":1},"value":[{}]}',
  ].map((result) => ({
    text: `{"jsonrpc":"2.0","id":"1","result":${result}}`,
  })),
];

export const FAULTS: Fault[] = [
  kill('api'),
  kill('worker'),
  kill('chain'),
  kill('database'),
  { name: 'database stopped', kills: true, inflict: (site) => site.stopDatabase() },
  { name: 'database out of connections', kills: false, inflict: (site) => site.exhaustConnections() },
  { name: 'database full', kills: false, inflict: (site) => site.fillDisk() },
  lie('takes what is sent, answers never', 1, () => ({ sendTransaction: 'lose' })),
  lie('landed is "not found"', 1, () => ({ getSignatureStatuses: NOTHING_SEEN, getTransaction: { result: null } }), true),
  lie('garbage', 0.4, (random) => ({ '*': GARBAGE[Math.floor(random() * GARBAGE.length)] ?? 'pass' })),
  lie('breaks connections', 0.4, () => ({ '*': 'break' }), true),
  { name: `lags ${LAG_SLOTS} slots`, kills: false, inflict: lag },
  { name: 'blockhashes expire', kills: false, inflict: expire },
  {
    name: 'clock steps',
    kills: false,
    inflict: async (site, random) => void (await tell(site, 'sandbox_advanceClock', { seconds: 1 + Math.floor(random() * 7_200) })),
  },
];

/** The node answers with its last state and rejects requests for a newer one. */
async function lag(site: Target): Promise<void> {
  const shown = Number((await tell(site, 'getSlot', { commitment: 'confirmed' })) ?? 0) - LAG_SLOTS;
  site.proxy.cutWebSockets();
  site.proxy.fate = ({ method, params }) => {
    const wanted = params.map((param) =>
      typeof param === 'object' && param !== null && 'minContextSlot' in param ? Number(param.minContextSlot) : 0,
    );
    if (Math.max(0, ...wanted) > shown) return { error: { code: -32016, message: 'Minimum context slot has not been reached' } };
    if (method === 'getSlot') return { result: Math.max(0, shown) };
    if (method === 'getEpochInfo') return { result: { absoluteSlot: Math.max(0, shown), blockHeight: Math.max(0, shown) } };
    return ['getMultipleAccounts', 'getAccountInfo', 'getSignaturesForAddress', 'getSignatureStatuses'].includes(method) ? 'stale' : 'pass';
  };
}

/** Transactions are accepted and dropped, until their blockhash has expired. */
async function expire(site: Target): Promise<void> {
  const swallow = ({ method, params }: RpcCall): Fate =>
    method === 'sendTransaction' ? { result: String(params[0]).slice(0, 64) } : 'pass';
  site.proxy.fate = swallow;
  await new Promise((resolve) => setTimeout(resolve, 500));
  await tell(site, 'sandbox_advanceSlots', { slots: EXPIRY_SLOTS });
}
