/** A congested network: transactions are dropped, confirmations come late, nodes lag, refuse and raise their prices. */
import bs58 from 'bs58';
import type { Fate, RpcAnswer, RpcCall } from './rpc-messages';

const DROPPED_SHARE = 0.3;
const CONFIRMED_AFTER_MS = [400, 20_000] as const;
const MAX_LAG_SLOTS = 150;
/** Of each period: refuses with 429 during the first part, lags behind during the second. */
const PERIOD_MS = 10_000;
const REFUSES_MS = 700;
const LAGS_UNTIL_MS = 3_000;
const MAX_PRICE = 20_000;
const SIGNATURE_BYTES = 64;
const SLOT_NOT_REACHED = { code: -32016, message: 'Minimum context slot has not been reached' };

type Ask = (method: string, params: unknown[]) => Promise<RpcAnswer>;

export class LossyNetwork {
  dropped = 0;
  refused = 0;
  lagged = 0;
  private readonly from = Date.now();
  /** When each transaction's status is shown. */
  private readonly shownAt = new Map<string, number>();

  constructor(private readonly random: () => number) {}

  /** The fate of a call; undefined for one that the chain answers as it is. */
  async answer({ method, params }: RpcCall, ask: Ask): Promise<RpcAnswer | Fate | undefined> {
    const phase = (Date.now() - this.from) % PERIOD_MS;
    if (phase < REFUSES_MS) {
      this.refused++;
      return { text: 'Too many requests', status: 429 };
    }
    if (phase < LAGS_UNTIL_MS && (await this.isAhead(params, ask))) {
      this.lagged++;
      return { error: SLOT_NOT_REACHED };
    }
    if (method === 'getRecentPrioritizationFees')
      return { result: [{ slot: 1, prioritizationFee: Math.floor(this.random() * MAX_PRICE) }] };
    if (method === 'getSignatureStatuses') return this.shown(params[0] as string[], await ask(method, params));
    return method === 'sendTransaction' ? this.sent(String(params[0])) : undefined;
  }

  /** The status of a transaction is known some time after it was first sent. */
  private sent(encoded: string): Fate | undefined {
    const signature = bs58.encode(Buffer.from(encoded, 'base64').subarray(1, 1 + SIGNATURE_BYTES));
    const [soonest, latest] = CONFIRMED_AFTER_MS;
    if (!this.shownAt.has(signature)) this.shownAt.set(signature, Date.now() + soonest + this.random() ** 3 * (latest - soonest));
    if (this.random() >= DROPPED_SHARE) return undefined;
    this.dropped++;
    return { result: signature };
  }

  private shown(signatures: string[], answer: RpcAnswer): RpcAnswer {
    const { context, value } = answer.result as { context: unknown; value: unknown[] };
    const isShown = (signature = ''): boolean => (this.shownAt.get(signature) ?? 0) <= Date.now();
    return { result: { context, value: value.map((status, index) => (isShown(signatures[index]) ? status : null)) } };
  }

  private async isAhead(params: unknown[], ask: Ask): Promise<boolean> {
    const wanted = params.map((param) => Number((param as { minContextSlot?: number } | null)?.minContextSlot ?? 0));
    const { result } = await ask('getSlot', [{ commitment: 'confirmed' }]);
    return Math.max(0, ...wanted) > Number(result) - Math.floor(this.random() * MAX_LAG_SLOTS);
  }
}
