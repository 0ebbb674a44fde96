/** JSON-RPC 2.0: text in, text out, single requests and batches. */
import { toJson } from '../wire/json';
import type { Ledger } from '../ledger';
import type { Machine } from '../machine';
import { internalError, invalidRequest, methodNotFound, minContextSlotNotReached, parseError, RpcError } from './errors';
import { Params, type Config } from './params';

/** The version that the RPC reports: the agave release whose responses it follows. */
export const API_VERSION = '4.2.0';
const MOST_REQUESTS = 1_000;

export type Method = (request: Request) => unknown;
export type Methods = Record<string, Method>;

/** One call, with its parameters and the ledger. */
export class Request {
  readonly machine: Machine;

  constructor(
    readonly ledger: Ledger,
    readonly params: Params,
  ) {
    this.machine = ledger.machine;
  }

  /** The configuration object at this position. Throws if its `minContextSlot` is in the future. */
  config(index: number): Config {
    const config = this.params.config(index);
    this.reach(config.number('minContextSlot'));
    return config;
  }

  /** Throws if the slot is in the future. */
  reach(slot: number | undefined): void {
    const { current } = this.ledger.slots;
    if (slot !== undefined && slot > current) throw minContextSlotNotReached(current);
  }

  inContext<T>(value: T): { context: { slot: number; apiVersion: string }; value: T } {
    return { context: { slot: this.ledger.slots.current, apiVersion: API_VERSION }, value };
  }
}

interface Call {
  jsonrpc: unknown;
  id?: unknown;
  method: string;
  params: unknown[];
}

export class Dispatcher {
  private readonly methods: Map<string, Method>;

  constructor(
    private readonly ledger: Ledger,
    ...methods: Methods[]
  ) {
    this.methods = new Map(methods.flatMap((some) => Object.entries(some)));
  }

  /** Answers a body. Returns an empty text if it has notifications only. */
  answer(body: string): string {
    let parsed: unknown;
    try {
      parsed = JSON.parse(body);
    } catch {
      return errorText(null, parseError());
    }
    this.ledger.tick();
    if (!Array.isArray(parsed)) return this.answerOne(parsed);
    if (parsed.length > MOST_REQUESTS) return errorText(null, invalidRequest(`more than ${MOST_REQUESTS} requests`));
    const answers = parsed.map((one) => this.answerOne(one)).filter((text) => text !== '');
    return answers.length > 0 ? `[${answers.join(',')}]` : '';
  }

  private answerOne(request: unknown): string {
    if (typeof request !== 'object' || request === null) return errorText(null, parseError());
    const call = callOf(request);
    if (!call) return errorText('id' in request ? request.id : null, invalidRequest());
    if (call.id === undefined) return ''; // A notification; web3.js sends them to keep a socket open.
    try {
      const method = this.methods.get(call.method);
      if (!method) throw methodNotFound();
      const result = method(new Request(this.ledger, new Params(call.params)));
      return `{"jsonrpc":"2.0","result":${toJson(result ?? null)},"id":${JSON.stringify(call.id)}}`;
    } catch (error) {
      return errorText(call.id, asRpcError(error, call.method));
    }
  }
}

function callOf(request: object): Call | undefined {
  const { jsonrpc, id, method, params } = request as Partial<Record<string, unknown>>;
  const isCall = jsonrpc === '2.0' && typeof method === 'string' && (params === undefined || params === null || Array.isArray(params));
  return isCall ? { jsonrpc, id, method, params: Array.isArray(params) ? params : [] } : undefined;
}

/** An unexpected error is logged and answered as an internal error. */
export function asRpcError(error: unknown, method: string): RpcError {
  if (error instanceof RpcError) return error;
  console.error(`The embedded chain failed in ${method}:`, error);
  return internalError(`Internal error: ${error instanceof Error ? error.message : String(error)}`);
}

export function errorText(id: unknown, { code, message, data }: RpcError): string {
  return `{"jsonrpc":"2.0","error":${toJson({ code, message, ...(data !== undefined && { data }) })},"id":${JSON.stringify(id ?? null)}}`;
}
