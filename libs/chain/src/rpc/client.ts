/** RPC nodes: the best is asked, others if it fails or is slow; a time-out for every call, a kind for every error. */
import { setTimeout } from 'node:timers/promises';
import type { AccountInfo, Commitment, Connection, SignatureStatus } from '@solana/web3.js';
import { Batcher, type Outcomes } from '#batcher';
import { ChainUnavailableError } from '../chain.errors';
import type { SettlementCommitment } from '../tx/tx.types';
import { CallBatches } from './transport/call-batches';
import { boundedFetch, type RpcCallNoted } from './transport/fetch';
import { hedged } from './transport/hedge';
import { nodeAddress } from './transport/node-address';
import { accountsOf, type Height, heightOf, type Simulation, simulationOf, slotOf, valuesOf } from './answers';
import { leastCertain, type RpcErrorKind } from './error-kinds';
import { RpcNode, StaleNodeError, WrongChainError, isResting, isStale } from './node';

/** The highest transaction version that a request can name. */
const NEWEST_VERSION = 255;
/** Accounts per `getMultipleAccounts`: agave's limit. */
const MAX_ACCOUNTS = 100;
/** A stale node is retried after this long, within the time-out. */
const STALE_RETRY_MS = 150;

/** Without preflight the chain decides, and a failure is a fact on chain rather than one node's claim. */
const SENDING = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };

export interface RpcOptions {
  /** Nodes as settings name them, asked in this order while they answer about equally fast. */
  urls: string[];
  /** Get every transaction too, and are asked nothing. */
  sendUrls?: string[];
  commitment: Commitment;
  /** For one call to one node. A node that is slow is not waited for: another one is asked beside it. */
  timeoutMs: number;
}

/** An account that is wanted from a node that has reached a slot. */
interface Reading {
  address: string;
  minContextSlot: number;
}

export class Rpc {
  private readonly nodes: RpcNode[];
  /** Nodes that only take transactions. */
  private readonly senders: CallBatches[];
  private genesisHash: string | undefined;
  /** Gets each request to a node that has ended. */
  onCall: (call: RpcCallNoted) => void = () => undefined;
  private readonly readings = new Batcher<Reading, AccountInfo<Buffer> | null>((readings) => this.readTogether(readings), {
    most: MAX_ACCOUNTS,
  });

  constructor(private readonly options: RpcOptions) {
    const { urls, sendUrls = [], timeoutMs } = options;
    const note = (call: RpcCallNoted): void => this.onCall(call);
    this.nodes = urls.map((url) => new RpcNode(nodeAddress(url), options, note));
    this.senders = sendUrls.map(nodeAddress).map((address) => new CallBatches(address.url, boundedFetch(address, timeoutMs, note)));
  }

  /** Reads from a node. @throws ChainUnavailableError with `what` if none does within the time-out. */
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
    return this.tryNodes('no simulation', async (node) => simulationOf(noted(node, await node.calls.ask('simulateTransaction', params))));
  }

  /**
   * A node's answer to a method, as `read` reads its JSON. If it throws, the answer counts as none, and another node is asked. Calls of one
   * method at the same time share a request. @throws ChainUnavailableError with `what`
   */
  ask<T>(what: string, { method, params }: { method: string; params: unknown[] }, read: (answer: unknown) => T): Promise<T> {
    return this.tryNodes(what, async (node) => read(await node.calls.ask(method, params)));
  }

  /**
   * A landed transaction of any version, as `read` reads its JSON, null if the node has none. web3.js reads versions up to 0, and a node
   * refuses to return a later one to a client that does not ask for it. @throws ChainUnavailableError
   */
  transaction<T>(signature: string, commitment: SettlementCommitment, read: (answer: unknown) => T): Promise<T> {
    const config = { encoding: 'json', commitment, maxSupportedTransactionVersion: NEWEST_VERSION };
    return this.ask('no transaction', { method: 'getTransaction', params: [signature, config] }, read);
  }

  /** Accounts by their addresses, a hundred per request, from a node that has reached `minContextSlot`; null if there is none. */
  async accounts(addresses: string[], minContextSlot = 0, commitment: Commitment = 'confirmed'): Promise<(AccountInfo<Buffer> | null)[]> {
    const pages = Array.from({ length: Math.ceil(addresses.length / MAX_ACCOUNTS) }, (_, index) =>
      addresses.slice(index * MAX_ACCOUNTS, (index + 1) * MAX_ACCOUNTS),
    );
    const config = { encoding: 'base64', commitment, minContextSlot };
    const infos = await Promise.all(
      pages.map((page) =>
        this.tryNodes('no accounts', async (node) =>
          accountsOf(noted(node, await node.calls.ask('getMultipleAccounts', [page, config])), page.length),
        ),
      ),
    );
    return infos.flat();
  }

  /** An account from a node that has reached `minContextSlot`. Accounts that are read at the same time share a request. */
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
  height(commitment: Commitment): Promise<Height> {
    return this.tryNodes('no block height', async (node) => {
      const height = heightOf(await node.calls.ask('getEpochInfo', [{ commitment }]));
      node.noteSlot(height.slot);
      return height;
    });
  }

  /**
   * The statuses of at most 256 transactions, from a node that has reached `minContextSlot`; null if the node knows none.
   * @throws ChainUnavailableError
   */
  signatureStatuses(
    signatures: string[],
    { searchTransactionHistory, minContextSlot = 0 }: { searchTransactionHistory: boolean; minContextSlot?: number },
  ): Promise<(SignatureStatus | null)[]> {
    return this.tryNodes('no signature statuses', async (node) => {
      const result = noted(node, await node.calls.ask('getSignatureStatuses', [signatures, { searchTransactionHistory }]));
      // This method has no parameter for it.
      if (slotOf(result) < minContextSlot) throw new StaleNodeError(`the node is at slot ${slotOf(result)}, before ${minContextSlot}`);
      return valuesOf<SignatureStatus>(result, signatures.length);
    });
  }

  /**
   * Submits a signed transaction to every node and sender at once. Returns when one of them has accepted it; otherwise the least certain
   * error. Waits for nodes that are busy, within the time-out.
   */
  async send(bytes: Uint8Array): Promise<RpcErrorKind | 'accepted'> {
    const encoded = Buffer.from(bytes).toString('base64');
    const submit = ({ calls }: { calls: CallBatches }): Promise<unknown> => calls.ask('sendTransaction', [encoded, SENDING]);
    const deadline = performance.now() + this.options.timeoutMs;
    for (;;) {
      const answers = [...this.nodes.map((node) => node.ask(submit, this.genesisHash)), ...this.senders.map((calls) => submit({ calls }))];
      const errors = await Promise.any(answers).then(
        () => undefined,
        (error: AggregateError) => error.errors as unknown[],
      );
      if (!errors) return 'accepted';
      const wait = errors.every(isResting) ? this.retryAfter(errors) : undefined;
      if (wait === undefined || performance.now() + wait > deadline) return leastCertain(errors);
      await setTimeout(wait);
    }
  }

  /** From now on every node must be of this chain, and is asked again each time that it was unreachable. */
  expectGenesis(hash: string): void {
    this.genesisHash = hash;
  }

  /** The first answer of a node. Waits for nodes that are behind or busy, within the time-out. @throws ChainUnavailableError with `what` */
  private async tryNodes<T>(what: string, call: (node: RpcNode) => Promise<T>): Promise<T> {
    const [only] = this.nodes.length === 1 ? this.nodes : [];
    const deadline = performance.now() + this.options.timeoutMs;
    for (;;) {
      try {
        return await (only
          ? only.ask(call, this.genesisHash)
          : hedged(this.bestFirst(), (node) => node.askUnlessBroken(call, this.genesisHash)));
      } catch (error) {
        const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
        const wait = this.retryAfter(errors);
        if (wait !== undefined && performance.now() + wait < deadline) {
          await setTimeout(wait);
          continue;
        }
        const wrong = errors.find((one) => one instanceof WrongChainError);
        throw new ChainUnavailableError(wrong?.message ?? what, { cause: errors.at(-1) });
      }
    }
  }

  private bestFirst(): RpcNode[] {
    const newest = Math.max(...this.nodes.map(({ newestSlot }) => newestSlot));
    return this.nodes
      .map((node) => ({ node, rank: node.rank(newest) }))
      .sort((one, other) => one.rank - other.rank)
      .map(({ node }) => node);
  }

  /** The milliseconds after which nodes that failed so may answer; undefined if waiting does not help. */
  private retryAfter(errors: unknown[]): number | undefined {
    if (errors.some(isStale)) return STALE_RETRY_MS;
    if (!errors.some(isResting)) return undefined;
    return Math.max(STALE_RETRY_MS, Math.min(...this.nodes.map(({ busyMs }) => busyMs)));
  }
}

/** An answer, after the node's slot was noted. */
function noted(node: RpcNode, result: unknown): unknown {
  node.noteSlot(slotOf(result));
  return result;
}
