/** Simulates the reads of a slow validator: it confirms a transaction some time before its accounts show the change. */
import { VersionedTransaction } from '@solana/web3.js';
import type { RpcAnswer, RpcCall } from './rpc-messages';

const SLOT_MS = 400;
/** Methods that read accounts. */
const READS = new Set(['getMultipleAccounts', 'getAccountInfo', 'getBalance', 'getTokenAccountBalance', 'simulateTransaction']);
const SLOT_NOT_REACHED = -32016;

type Ask = (method: string, params: unknown[]) => Promise<RpcAnswer>;

interface Change {
  at: number;
  /** A transaction's accounts before it. */
  before: Map<string, unknown>;
}

export class SlowReads {
  /** Reads that were rejected or answered with an earlier state. */
  count = 0;
  private readonly changes: Change[] = [];

  /** `refusesSlot`: rejects a `minContextSlot` that its reads have not reached, as agave does; otherwise ignores it, as gateways do. */
  constructor(private readonly options: { lagMs: number; refusesSlot: boolean }) {}

  /** The answer to a read; undefined for any other call, which the chain answers. */
  async answer({ method, params }: RpcCall, ask: Ask): Promise<RpcAnswer | undefined> {
    if (method === 'sendTransaction') await this.remember(String(params[0]), ask);
    if (!READS.has(method)) return undefined;
    if (this.options.refusesSlot && (await this.isAhead(params, ask))) {
      this.count++;
      return { error: { code: SLOT_NOT_REACHED, message: 'Minimum context slot has not been reached' } };
    }
    if (method !== 'getMultipleAccounts') return undefined;
    const [addresses] = params as [string[]];
    const answer = (await ask(method, params)) as { result: { context: unknown; value: unknown[] } };
    const { context, value } = answer.result;
    return { result: { context, value: value.map((now, index) => this.earlier(addresses[index] ?? '', now)) } };
  }

  private async remember(transaction: string, ask: Ask): Promise<void> {
    const { staticAccountKeys } = VersionedTransaction.deserialize(Buffer.from(transaction, 'base64')).message;
    const addresses = staticAccountKeys.map((key) => key.toBase58());
    const { result } = (await ask('getMultipleAccounts', [addresses, { encoding: 'base64', commitment: 'confirmed' }])) as {
      result: { value: unknown[] };
    };
    this.changes.push({ at: Date.now(), before: new Map(addresses.map((address, index) => [address, result.value[index]])) });
  }

  private async isAhead(params: unknown[], ask: Ask): Promise<boolean> {
    const { minContextSlot = 0 } = (params[1] ?? {}) as { minContextSlot?: number };
    const { result } = await ask('getSlot', [{ commitment: 'confirmed' }]);
    return minContextSlot > Number(result) - this.options.lagMs / SLOT_MS;
  }

  /** An account before the first change that is not shown yet. */
  private earlier(address: string, now: unknown): unknown {
    const hidden = this.changes.find(({ at, before }) => at > Date.now() - this.options.lagMs && before.has(address));
    if (!hidden) return now;
    this.count++;
    return hidden.before.get(address);
  }
}
