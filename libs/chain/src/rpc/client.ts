/** RPC nodes: several URLs tried in turn, a time-out for every call, a kind for every error. */
import { setTimeout } from 'node:timers/promises';
import {
  Connection,
  PublicKey,
  SendTransactionError,
  SolanaJSONRPCError,
  type AccountInfo,
  type Commitment,
  type FetchFn,
  type TransactionError,
} from '@solana/web3.js';
import { ChainUnavailableError } from '../chain.errors';
import type { SettlementCommitment } from '../tx/tx.types';
import { TransportError, boundedFetch } from './fetch';

/** JSON-RPC codes of agave for a stale node: block not available, unhealthy, slot skipped, behind `minContextSlot`. */
const STALE_CODES = new Set([-32004, -32005, -32007, -32009, -32014, -32016]);
/** Codes for a request that will never succeed: invalid parameters, failed preflight, a bad signature. */
const REFUSED_CODES = new Set([-32600, -32601, -32602, -32002, -32003, -32013]);

/** The highest transaction version that a request can name. */
const NEWEST_VERSION = 255;
/** Accounts per `getMultipleAccounts`: agave's limit. */
const MAX_ACCOUNTS = 100;
/** A stale node is retried after this long, within the time-out. */
const STALE_RETRY_MS = 150;

/** `unreachable`: no effect, another node or a later call may succeed. `refused`: the node rejected it. `unknown`: perhaps an effect. */
export type RpcErrorKind = 'unreachable' | 'refused' | 'unknown';

/** Whether a failed call may have had an effect. */
export function kindOf(error: unknown): RpcErrorKind {
  if (error instanceof WrongChainError) return 'unreachable';
  if (error instanceof SendTransactionError) return 'refused';
  if (error instanceof SolanaJSONRPCError && typeof error.code === 'number') {
    if (isStale(error)) return 'unreachable';
    return REFUSED_CODES.has(error.code) ? 'refused' : 'unknown';
  }
  if (!(error instanceof TransportError)) return 'unknown';
  const { code } = error;
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EHOSTUNREACH' ? 'unreachable' : 'unknown';
}

function isStale(error: unknown): boolean {
  return error instanceof SolanaJSONRPCError && typeof error.code === 'number' && STALE_CODES.has(error.code);
}

/** A node answers for another chain than at the start. Nothing is read from it or sent to it. */
class WrongChainError extends Error {}

/** Whether a node could not be reached, so that another may answer at its address next time. */
function isTransport(error: unknown): boolean {
  return error instanceof TransportError;
}

export interface RpcOptions {
  /** Tried in this order. */
  urls: string[];
  commitment: Commitment;
  /** For one call, over all addresses. */
  timeoutMs: number;
}

/** A node's answer to a simulation. */
export interface Simulation {
  err: TransactionError | null;
  logs: string[] | null;
  returnData?: { programId: string; data: [string, 'base64'] } | null;
}

interface Node {
  url: string;
  connection: Connection;
  fetch: FetchFn;
  /** Whether the node has answered with the genesis hash since it was last unreachable. */
  isVerified: boolean;
}

export class Rpc {
  private readonly nodes: Node[];
  private genesisHash: string | undefined;

  constructor(private readonly options: RpcOptions) {
    const timeoutMs = Math.ceil(options.timeoutMs / options.urls.length);
    const fetch = boundedFetch(timeoutMs);
    this.nodes = options.urls.map((url) => ({
      url,
      fetch,
      isVerified: false,
      connection: new Connection(url, { commitment: options.commitment, disableRetryOnRateLimit: true, fetch }),
    }));
  }

  /** Reads from the first node that answers. @throws ChainUnavailableError with `what` if none does within the time-out. */
  read<T>(what: string, call: (connection: Connection) => Promise<T>): Promise<T> {
    return this.tryNodes(what, ({ connection }) => call(connection));
  }

  /**
   * Simulates an unsigned transaction at a node that has reached `minContextSlot`. Does not use web3.js, which validates the response
   * member by member, at more cost than all the rest, and loses the error code of a stale node.
   */
  simulate(transaction: Uint8Array, config: { commitment: Commitment; minContextSlot: number }): Promise<Simulation> {
    const params = [
      Buffer.from(transaction).toString('base64'),
      { ...config, encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true },
    ];
    return this.tryNodes('no simulation', async (node) => simulationOf(await ask(node, 'simulateTransaction', params)));
  }

  /**
   * The JSON of a landed transaction of any version, null if the node has none. web3.js reads versions up to 0, and a node refuses to
   * return a later one to a client that does not ask for it. @throws ChainUnavailableError
   */
  transaction(signature: string, commitment: SettlementCommitment): Promise<unknown> {
    const config = { encoding: 'json', commitment, maxSupportedTransactionVersion: NEWEST_VERSION };
    return this.tryNodes('no transaction', (node) => ask(node, 'getTransaction', [signature, config]));
  }

  /** Accounts by their addresses, a hundred per request, from a node that has reached `minContextSlot`; null where there is none. */
  async accounts(addresses: string[], minContextSlot = 0, commitment: Commitment = 'confirmed'): Promise<(AccountInfo<Buffer> | null)[]> {
    const keys = addresses.map((address) => new PublicKey(address));
    const pages = Array.from({ length: Math.ceil(keys.length / MAX_ACCOUNTS) }, (_, index) =>
      keys.slice(index * MAX_ACCOUNTS, (index + 1) * MAX_ACCOUNTS),
    );
    const infos = await Promise.all(
      pages.map((page) =>
        this.read('no accounts', (connection) => connection.getMultipleAccountsInfo(page, { commitment, minContextSlot })),
      ),
    );
    return infos.flat();
  }

  /** Submits a signed transaction to each node in turn until one accepts it. Otherwise returns the least certain error. */
  async send(bytes: Uint8Array): Promise<RpcErrorKind | 'accepted'> {
    let worst: RpcErrorKind = 'unreachable';
    for (const node of this.nodes) {
      try {
        await this.verify(node);
        // Without preflight the chain decides, and a failure is a fact on chain rather than one node's claim.
        await node.connection.sendRawTransaction(bytes, { skipPreflight: true, maxRetries: 0 });
        return 'accepted';
      } catch (error) {
        const kind = kindOf(error);
        if (kind === 'unknown' || worst === 'unreachable') worst = kind;
      }
    }
    return worst;
  }

  /** From now on every node must be of this chain, and is asked again each time that it was unreachable. */
  expectGenesis(hash: string): void {
    this.genesisHash = hash;
  }

  /** @throws WrongChainError for a node of another chain: it is not asked and gets nothing. */
  private async verify(node: Node): Promise<void> {
    if (node.isVerified || this.genesisHash === undefined) return;
    const hash = await node.connection.getGenesisHash();
    if (hash !== this.genesisHash)
      throw new WrongChainError(`the node is of another chain: its genesis hash is ${hash}, not ${this.genesisHash}`);
    node.isVerified = true;
  }

  private async tryNodes<T>(what: string, call: (node: Node) => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.options.timeoutMs;
    let last: unknown;
    do {
      for (const node of this.nodes) {
        try {
          await this.verify(node);
          return await call(node);
        } catch (error) {
          if (isTransport(error)) node.isVerified = false;
          last = error;
        }
      }
      if (isStale(last)) await setTimeout(STALE_RETRY_MS);
    } while (isStale(last) && performance.now() < deadline);
    throw new ChainUnavailableError(last instanceof WrongChainError ? last.message : what, { cause: last });
  }
}

/** One JSON-RPC call without web3.js. @throws SolanaJSONRPCError, TransportError */
async function ask({ url, fetch }: Node, method: string, params: unknown[]): Promise<unknown> {
  const answer = await fetch(url, { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) });
  if (!answer.ok) throw new Error(`the node answered ${answer.status}`);
  const { error, result } = JSON.parse(await answer.text()) as { error?: { code: number; message: string }; result?: unknown };
  if (error) throw new SolanaJSONRPCError(error, method);
  return result;
}

function simulationOf(result: unknown): Simulation {
  const { value = {} } = (result ?? {}) as { value?: Partial<Simulation> };
  const { err, logs = null, returnData } = value;
  const areLogs = logs === null || (Array.isArray(logs) && logs.every((line) => typeof line === 'string'));
  if (err === undefined || !areLogs) throw new TypeError('the answer is no simulation');
  return { err, logs, returnData };
}
