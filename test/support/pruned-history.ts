/** A node that has pruned its ledger: it has no transaction up to a slot any more. Its accounts are as they are. */
import type { RpcAnswer, RpcCall } from './rpc-messages';

/** Agave's code for a `before` or `until` that it does not have. */
const UNKNOWN_TRANSACTION = -32020;

type Ask = (method: string, params: unknown[]) => Promise<RpcAnswer>;
type InSlot = { slot: number } | null;

export class PrunedHistory {
  /** Keeps what is later than this slot. */
  constructor(private readonly upToSlot: number) {}

  /** The answer to a call that reads transactions; undefined for any other call, which the chain answers. */
  async answer({ method, params }: RpcCall, ask: Ask): Promise<RpcAnswer | undefined> {
    if (method === 'getTransaction') {
      const { result } = (await ask(method, params)) as { result: InSlot };
      return { result: this.kept(result) };
    }
    if (method === 'getSignatureStatuses') {
      const { result } = (await ask(method, params)) as { result: { context: unknown; value: InSlot[] } };
      return { result: { ...result, value: result.value.map((status) => this.kept(status)) } };
    }
    return method === 'getSignaturesForAddress' ? this.signatures(params, ask) : undefined;
  }

  private async signatures(params: unknown[], ask: Ask): Promise<RpcAnswer> {
    const { before, until } = (params[1] ?? {}) as { before?: string; until?: string };
    for (const signature of [before, until].flatMap((one) => one ?? [])) {
      const { result: named } = (await ask('getSignatureStatuses', [[signature], { searchTransactionHistory: true }])) as {
        result: { value: InSlot[] };
      };
      if (this.kept(named.value[0] ?? null) === null) return { error: { code: UNKNOWN_TRANSACTION, message: 'Transaction not found' } };
    }
    const { result } = (await ask('getSignaturesForAddress', params)) as { result: { slot: number }[] };
    return { result: result.filter((one) => this.kept(one) !== null) };
  }

  private kept<One extends InSlot>(one: One): One | null {
    return one !== null && one.slot > this.upToSlot ? one : null;
  }
}
