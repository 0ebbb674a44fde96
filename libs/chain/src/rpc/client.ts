/** The nodes: several addresses tried in turn, every call bounded in time, every error sorted. */
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
import { TransportError, boundedFetch } from './fetch';

/** JSON-RPC codes of agave that mean "this node cannot say now": block not available, unhealthy, slot skipped, behind `minContextSlot`. */
const LAGGING_CODES = new Set([-32004, -32005, -32007, -32009, -32014, -32016]);
/** Codes that mean "this request will never be right": invalid parameters, failed preflight, a bad signature. */
const REFUSED_CODES = new Set([-32600, -32601, -32602, -32002, -32003, -32013]);

/** Most accounts of one `getMultipleAccounts`: agave's limit. */
const MAX_ACCOUNTS = 100;
/** A node that lags is asked again after this long, while there is time. */
const LAG_RETRY_MS = 150;

/** Unreachable: try elsewhere or later, nothing happened. Refused: the node looked and said no. Unknown: something may have happened. */
export type RpcErrorKind = 'unreachable' | 'refused' | 'unknown';

/** Whether a failed call can have had an effect. */
export function kindOf(error: unknown): RpcErrorKind {
  if (error instanceof SendTransactionError) return 'refused';
  if (error instanceof SolanaJSONRPCError && typeof error.code === 'number') {
    if (isLagging(error)) return 'unreachable';
    return REFUSED_CODES.has(error.code) ? 'refused' : 'unknown';
  }
  if (!(error instanceof TransportError)) return 'unknown';
  const { code } = error;
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EHOSTUNREACH' ? 'unreachable' : 'unknown';
}

function isLagging(error: unknown): boolean {
  return error instanceof SolanaJSONRPCError && typeof error.code === 'number' && LAGGING_CODES.has(error.code);
}

export interface RpcOptions {
  /** Tried in this order. */
  urls: string[];
  commitment: Commitment;
  /** For one call, over all addresses. */
  timeoutMs: number;
}

/** What a simulation came to. */
export interface Simulation {
  err: TransactionError | null;
  logs: string[] | null;
  returnData?: { programId: string; data: [string, 'base64'] } | null;
}

interface Node {
  url: string;
  connection: Connection;
  fetch: FetchFn;
}

export class Rpc {
  private readonly nodes: Node[];

  constructor(private readonly options: RpcOptions) {
    const timeoutMs = Math.ceil(options.timeoutMs / options.urls.length);
    const fetch = boundedFetch(timeoutMs);
    this.nodes = options.urls.map((url) => ({
      url,
      fetch,
      connection: new Connection(url, { commitment: options.commitment, disableRetryOnRateLimit: true, fetch }),
    }));
  }

  /** Reads. Every address is asked in turn until one answers; reading has no effect, so any failure may be tried elsewhere. */
  read<T>(what: string, ask: (connection: Connection) => Promise<T>): Promise<T> {
    return this.ask(what, ({ connection }) => ask(connection));
  }

  /**
   * Simulates an unsigned transaction, by a node that has reached `minContextSlot`. Not by web3.js, which checks the answer
   * member by member at more cost than all the rest, and loses the code by which a node says that it lags.
   */
  simulate(transaction: Uint8Array, config: { commitment: Commitment; minContextSlot: number }): Promise<Simulation> {
    const params = [
      Buffer.from(transaction).toString('base64'),
      { ...config, encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true },
    ];
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'simulateTransaction', params });
    return this.ask('no simulation', async ({ url, fetch }) => simulationOf(await fetch(url, { body })));
  }

  /** Accounts by their addresses, null where there is none, by a node that has reached `minContextSlot`; a hundred a request. */
  async accounts(addresses: string[], minContextSlot = 0): Promise<(AccountInfo<Buffer> | null)[]> {
    const keys = addresses.map((address) => new PublicKey(address));
    const pages = Array.from({ length: Math.ceil(keys.length / MAX_ACCOUNTS) }, (_, index) =>
      keys.slice(index * MAX_ACCOUNTS, (index + 1) * MAX_ACCOUNTS),
    );
    const infos = await Promise.all(
      pages.map((page) =>
        this.read('no accounts', (connection) => connection.getMultipleAccountsInfo(page, { commitment: 'confirmed', minContextSlot })),
      ),
    );
    return infos.flat();
  }

  /** Hands a signed transaction to every address in turn until one takes it. True if one did or may have. */
  async send(bytes: Uint8Array): Promise<RpcErrorKind | 'accepted'> {
    let worst: RpcErrorKind = 'unreachable';
    for (const { connection } of this.nodes) {
      try {
        // Without preflight the chain itself decides, and a refusal is a fact on chain rather than one node's word.
        await connection.sendRawTransaction(bytes, { skipPreflight: true, maxRetries: 0 });
        return 'accepted';
      } catch (error) {
        const kind = kindOf(error);
        if (kind === 'unknown' || worst === 'unreachable') worst = kind;
      }
    }
    return worst;
  }

  private async ask<T>(what: string, ask: (node: Node) => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.options.timeoutMs;
    let last: unknown;
    do {
      for (const node of this.nodes) {
        try {
          return await ask(node);
        } catch (error) {
          last = error;
        }
      }
      if (isLagging(last)) await setTimeout(LAG_RETRY_MS);
    } while (isLagging(last) && performance.now() < deadline);
    throw new ChainUnavailableError(what, { cause: last });
  }
}

async function simulationOf(answer: Response): Promise<Simulation> {
  if (!answer.ok) throw new Error(`the node answered ${answer.status}`);
  const { error, result } = JSON.parse(await answer.text()) as {
    error?: { code: number; message: string };
    result?: { value?: Partial<Simulation> };
  };
  if (error) throw new SolanaJSONRPCError(error, 'no simulation');
  const { err, logs = null, returnData } = result?.value ?? {};
  const areLogs = logs === null || (Array.isArray(logs) && logs.every((line) => typeof line === 'string'));
  if (err === undefined || !areLogs) throw new TypeError('the answer is no simulation');
  return { err, logs, returnData };
}
