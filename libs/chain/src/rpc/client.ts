/** RPC nodes: several URLs tried in turn, a time-out for every call, a kind for every error. */
import { setTimeout } from 'node:timers/promises';
import {
  Connection,
  PublicKey,
  SolanaJSONRPCError,
  type AccountInfo,
  type Commitment,
  type SignatureStatus,
  type TransactionError,
} from '@solana/web3.js';
import { Batcher, type Outcomes } from '#batcher';
import { ChainUnavailableError } from '../chain.errors';
import type { SettlementCommitment } from '../tx/tx.types';
import { CallBatches } from './call-batches';
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

/** Without preflight the chain decides, and a failure is a fact on chain rather than one node's claim. */
const SENDING = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };

/** `unreachable`: no effect, another node or a later call may succeed. `refused`: the node rejected it. `unknown`: perhaps an effect. */
export type RpcErrorKind = 'unreachable' | 'refused' | 'unknown';

/** Whether a failed call may have had an effect. */
export function kindOf(error: unknown): RpcErrorKind {
  if (error instanceof WrongChainError) return 'unreachable';
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

/** An account that is wanted from a node that has reached a slot. */
interface Reading {
  address: string;
  minContextSlot: number;
}

interface Node {
  url: string;
  connection: Connection;
  calls: CallBatches;
  /** Whether the node has answered with the genesis hash since it was last unreachable. */
  isVerified: boolean;
}

export class Rpc {
  private readonly nodes: Node[];
  private genesisHash: string | undefined;
  private readonly readings = new Batcher<Reading, AccountInfo<Buffer> | null>((readings) => this.readTogether(readings), {
    most: MAX_ACCOUNTS,
  });

  constructor(private readonly options: RpcOptions) {
    const timeoutMs = Math.ceil(options.timeoutMs / options.urls.length);
    const fetch = boundedFetch(timeoutMs);
    this.nodes = options.urls.map((url) => ({
      url,
      calls: new CallBatches(url, fetch),
      isVerified: false,
      connection: new Connection(url, { commitment: options.commitment, disableRetryOnRateLimit: true, fetch }),
    }));
  }

  /** Reads from the first node that answers. @throws ChainUnavailableError with `what` if none does within the time-out. */
  read<T>(what: string, call: (connection: Connection) => Promise<T>): Promise<T> {
    return this.tryNodes(what, ({ connection }) => call(connection));
  }

  /**
   * Simulates an unsigned transaction at a node that has reached `minContextSlot`. The calls of every transfer do not use web3.js, which
   * validates the response member by member, at more cost than all the rest, and loses the error code of a stale node.
   */
  simulate(transaction: Uint8Array, config: { commitment: Commitment; minContextSlot: number }): Promise<Simulation> {
    const params = [
      Buffer.from(transaction).toString('base64'),
      { ...config, encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true },
    ];
    return this.tryNodes('no simulation', async (node) => simulationOf(await node.calls.ask('simulateTransaction', params)));
  }

  /**
   * The JSON of a landed transaction of any version, null if the node has none. web3.js reads versions up to 0, and a node refuses to
   * return a later one to a client that does not ask for it. @throws ChainUnavailableError
   */
  transaction(signature: string, commitment: SettlementCommitment): Promise<unknown> {
    const config = { encoding: 'json', commitment, maxSupportedTransactionVersion: NEWEST_VERSION };
    return this.tryNodes('no transaction', (node) => node.calls.ask('getTransaction', [signature, config]));
  }

  /** Accounts by their addresses, a hundred per request, from a node that has reached `minContextSlot`; null where there is none. */
  async accounts(addresses: string[], minContextSlot = 0, commitment: Commitment = 'confirmed'): Promise<(AccountInfo<Buffer> | null)[]> {
    const pages = Array.from({ length: Math.ceil(addresses.length / MAX_ACCOUNTS) }, (_, index) =>
      addresses.slice(index * MAX_ACCOUNTS, (index + 1) * MAX_ACCOUNTS),
    );
    const config = { encoding: 'base64', commitment, minContextSlot };
    const infos = await Promise.all(
      pages.map((page) =>
        this.tryNodes('no accounts', async (node) => accountsOf(await node.calls.ask('getMultipleAccounts', [page, config]), page.length)),
      ),
    );
    return infos.flat();
  }

  /** An account from a node that has reached `minContextSlot`. What is read at the same time is read by one request. */
  account(address: string, minContextSlot: number): Promise<AccountInfo<Buffer> | null> {
    return this.readings.add({ address, minContextSlot });
  }

  private async readTogether(readings: Reading[]): Promise<Outcomes<AccountInfo<Buffer> | null>> {
    const addresses = [...new Set(readings.map(({ address }) => address))];
    try {
      const infos = await this.accounts(addresses, Math.max(...readings.map(({ minContextSlot }) => minContextSlot)));
      const byAddress = new Map(addresses.map((address, index) => [address, infos[index] ?? null]));
      return readings.map(({ address }) => byAddress.get(address) ?? null);
    } catch (error) {
      if (readings.length === 1) throw error;
      // A slot that no node has reached yet fails alone.
      return readings.map(async ({ address, minContextSlot }) => (await this.accounts([address], minContextSlot))[0] ?? null);
    }
  }

  /** @throws ChainUnavailableError */
  blockHeight(commitment: Commitment): Promise<number> {
    return this.tryNodes('no block height', async (node) => {
      const height = await node.calls.ask('getBlockHeight', [{ commitment }]);
      if (typeof height !== 'number') throw new TypeError('the answer is no block height');
      return height;
    });
  }

  /** The statuses of at most 256 transactions; null where the node knows none. @throws ChainUnavailableError */
  signatureStatuses(signatures: string[], searchTransactionHistory: boolean): Promise<(SignatureStatus | null)[]> {
    return this.tryNodes('no signature statuses', async (node) =>
      valuesOf<SignatureStatus>(
        await node.calls.ask('getSignatureStatuses', [signatures, { searchTransactionHistory }]),
        signatures.length,
      ),
    );
  }

  /** Submits a signed transaction to each node in turn until one accepts it. Otherwise returns the least certain error. */
  async send(bytes: Uint8Array): Promise<RpcErrorKind | 'accepted'> {
    const encoded = Buffer.from(bytes).toString('base64');
    let worst: RpcErrorKind = 'unreachable';
    for (const node of this.nodes) {
      try {
        await this.verify(node);
        await node.calls.ask('sendTransaction', [encoded, SENDING]);
        return 'accepted';
      } catch (error) {
        const kind = error instanceof SolanaJSONRPCError ? 'refused' : kindOf(error);
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

function simulationOf(result: unknown): Simulation {
  const { value = {} } = (result ?? {}) as { value?: Partial<Simulation> };
  const { err, logs = null, returnData } = value;
  const areLogs = logs === null || (Array.isArray(logs) && logs.every((line) => typeof line === 'string'));
  if (err === undefined || !areLogs) throw new TypeError('the answer is no simulation');
  return { err, logs, returnData };
}

/** The values of an answer in context. @throws TypeError where it has not one for each that was asked for */
function valuesOf<Value>(result: unknown, count: number): (Value | null)[] {
  const { value } = (result ?? {}) as { value?: unknown };
  if (!Array.isArray(value) || value.length !== count) throw new TypeError(`the answer has not ${count} values`);
  return value as (Value | null)[];
}

function accountsOf(result: unknown, count: number): (AccountInfo<Buffer> | null)[] {
  return valuesOf<Record<string, unknown>>(result, count).map((value) => {
    if (value === null) return null;
    const { data, owner, executable, lamports } = value;
    const [text, encoding] = Array.isArray(data) ? (data as unknown[]) : [];
    if (typeof text !== 'string' || encoding !== 'base64' || typeof owner !== 'string') throw new TypeError('the answer is no account');
    return { data: Buffer.from(text, 'base64'), owner: ownerOf(owner), executable: executable === true, lamports: Number(lamports) };
  });
}

/** Programs that own accounts are few. */
const MAX_OWNERS = 1_000;
const owners = new Map<string, PublicKey>();

function ownerOf(address: string): PublicKey {
  const owner = owners.get(address) ?? new PublicKey(address);
  if (owners.size >= MAX_OWNERS) owners.clear();
  owners.set(address, owner);
  return owner;
}
